import { MAX_HEADER_LINES } from '../../core/http/fields.ts'
import { fact } from '../facts.ts'
import type { EntriesOf } from './entry.ts'

/** The entries of the codes of the checks request and https. */
export const requestEntries = (): EntriesOf<'request' | 'https'> => ({
  'request-malformed': {
    about:
      'A header name is not a token, the method is not its own upper case (by the draft), the method, the target, a ' +
      `name or a value has a line break or NUL, the target is empty, or there are more than ${MAX_HEADER_LINES} ` +
      'header lines. A line break in a value would let one signed line pose as two.',
    example: { part: 'header-value', name: 'X-Nonce' },
    facts: ({ part, name }) => [...fact('part', part), ...fact('name', name)],
    causes: [
      {
        find: ({ evidence }) => evidence.part === 'method',
        cause:
          'the method is missing, is not a token, or has lower-case letters, which the draft cannot tell from ' +
          'upper-case ones',
        fix: {
          options: 'Pass the method as received, with an adapter. Have the sender write it as defined, such as POST.',
          flags: 'Have proxies pass the method on as received, and the sender write it as defined, such as POST.'
        },
        examples: [{ evidence: { part: 'method' } }]
      },
      {
        find: ({ evidence }) => evidence.part === 'target',
        cause: 'there is no target, or it has a line break or NUL',
        fix: {
          options: 'Pass the target as received, with an adapter.',
          flags: 'Have proxies pass the target on as received.'
        },
        examples: [{ evidence: { part: 'target' } }]
      },
      {
        find: ({ evidence }) => evidence.part === 'header-count',
        cause: 'there are too many header lines: a proxy adds one repeatedly, or this is an attack',
        fix: `Find the header that repeats. At most ${MAX_HEADER_LINES} lines are accepted.`,
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
          `the ${part} ${name} was decoded or rebuilt on the way; or this is a broken sender or an attack`,
        fix: {
          options: 'Pass method, target and headers as received, undecoded, with an adapter.',
          flags: 'Have proxies pass method, target and headers on as received, undecoded.'
        }
      }
    ]
  },
  'not-https': {
    about:
      'The adapter saw no TLS, and `requireHttps` is true. There is evidence only where the adapter was told to ' +
      'trust `X-Forwarded-Proto`, or where that header says http or https: the header and all its values.',
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
        cause: 'TLS ends at a proxy: the request has X-Forwarded-Proto: https, which is not trusted',
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
        cause: ({ shown }) => `your proxy does not send ${shown?.header}, which you trust`,
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
