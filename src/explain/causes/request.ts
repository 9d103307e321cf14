import { MAX_HEADER_LINES } from '../../core/http/fields.ts'
import { fact } from '../facts.ts'
import type { EntriesOf } from './entry.ts'

/** The entries of the codes of the checks request and https. */
export const requestEntries = (): EntriesOf<'request' | 'https'> => ({
  'request-malformed': {
    about:
      'A header name is not a token, the method is not its own upper case (by the draft), the method, the target, a name or a value has a line break or NUL, the target is ' +
      `empty, or there are more than ${MAX_HEADER_LINES} header lines. A line break in a value would let one signed line ` +
      'pose as two.',
    example: { part: 'header-value', name: 'X-Nonce' },
    facts: ({ part, name }) => [...fact('part', part), ...fact('name', name)],
    causes: [
      {
        find: ({ evidence }) => evidence.part === 'method',
        cause:
          'there is no method, it is not a token, or it is not in upper case, which the draft signs like the one that is',
        fix: {
          options:
            'Pass the method as received: let an adapter do it. Have the sender write it as it is defined, such as POST.',
          flags: 'Have the method passed on as received, and have the sender write it as it is defined, such as POST.'
        },
        examples: [{ evidence: { part: 'method' } }]
      },
      {
        find: ({ evidence }) => evidence.part === 'target',
        cause: 'there is no target, or it has a line break or NUL',
        fix: {
          options: 'Pass the target as received: let an adapter do it.',
          flags: 'Have the target passed on as received.'
        },
        examples: [{ evidence: { part: 'target' } }]
      },
      {
        find: ({ evidence }) => evidence.part === 'header-count',
        cause: 'there are too many header lines: a proxy adds one again and again, or it is an attack',
        fix: `Look for the one that repeats; a request has at most ${MAX_HEADER_LINES}.`,
        examples: [{ evidence: { part: 'header-count' } }]
      },
      {
        find: ({ evidence: { part, name = '' } }) =>
          part === 'header-value' && /^(?:signature|digest|content-digest)$/i.test(name),
        cause: ({ shown }) => `the sender writes the base64 of ${shown.name} in several lines`,
        fix: 'Have the sender write one line (openssl base64 -A; Java: getEncoder, not getMimeEncoder).',
        examples: [{ evidence: { name: 'Signature' } }]
      },
      {
        cause: ({ shown: { part, name = '' } }) =>
          `the ${part} ${name} was decoded or rebuilt on the way, or it is a broken sender, or an attack`,
        fix: {
          options: 'Pass method, target and headers as received, undecoded: let an adapter do it.',
          flags: 'Have method, target and headers passed on as received, undecoded.'
        }
      }
    ]
  },
  'not-https': {
    about:
      'The adapter saw no TLS, and `requireHttps` is true. There is evidence only where the adapter was told to trust ' +
      '`X-Forwarded-Proto`, or where that header says http or https: the header and all its values.',
    also: 'A local test over http: `requireHttps: false`.',
    example: { header: 'X-Forwarded-Proto', received: ['https, http'] },
    facts: ({ header, received }) => [...fact('header', header), ...fact('received', received)],
    causes: [
      {
        find: ({ evidence }) => evidence?.received.join().includes(','),
        cause: ({ shown }) => `${shown?.header} came with more than one value`,
        fix:
          'Have the outermost proxy replace the header, and the inner ones pass it on: the sender may have written a ' +
          'part of a list.'
      },
      {
        find: ({ evidence }) => isWord(evidence?.received, 'https'),
        cause: 'TLS ends at a proxy: X-Forwarded-Proto: https is there, and is not trusted',
        fix: {
          options: ({ setting }) =>
            'If your own proxy sets that header itself (anyone can send it), give the adapter ' +
            `${setting('https', 'x-forwarded-proto')}; if the proxy accepts only TLS, https: true.`,
          flags: ({ setting }) =>
            'If your own proxy sets that header itself (anyone can send it): ' +
            `${setting('https', 'x-forwarded-proto')}; if the proxy accepts only TLS, --https always.`
        },
        examples: [{ evidence: { received: ['https'] } }]
      },
      {
        find: ({ evidence }) =>
          evidence !== undefined && evidence.received.join('') !== '' && !isWord(evidence.received, 'http'),
        cause: ({ shown }) => `${shown?.header} says ${shown?.received}, which is neither http nor https`,
        fix: 'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme).',
        examples: [{ evidence: { received: ['on'] } }]
      },
      {
        find: ({ evidence }) => isWord(evidence?.received, 'http'),
        cause: ({ shown }) => `${shown?.header} says http: the sender used http, or a proxy in front of yours ends TLS`,
        fix: 'Have the sender use https; with two proxies, have the outer one set the header and the inner one keep it.',
        examples: [{ evidence: { received: ['http'] } }]
      },
      {
        find: ({ evidence }) => evidence !== undefined,
        cause: ({ shown }) => `your proxy sends no ${shown?.header}, which is to be trusted`,
        fix: {
          options:
            'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme), or, if it accepts only TLS, ' +
            'https: true.',
          flags: 'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme).'
        },
        examples: [{ evidence: { received: [] } }]
      },
      {
        cause: 'TLS ends at a proxy, or the sender used http',
        fix: {
          options: ({ setting }) =>
            `If your own proxy sets X-Forwarded-Proto, give the adapter ${setting('https', 'x-forwarded-proto')}; if ` +
            'it accepts only TLS, https: true.',
          flags: ({ setting }) =>
            `If your own proxy sets X-Forwarded-Proto: ${setting('https', 'x-forwarded-proto')}; if it accepts only ` +
            'TLS, --https always.'
        },
        examples: [{ evidence: 'none' }]
      }
    ]
  }
})

const isWord = (received: readonly string[] | undefined, word: string): boolean =>
  received?.length === 1 && received[0]!.toLowerCase() === word
