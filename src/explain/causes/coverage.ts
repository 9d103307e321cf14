import { fact, reasonFact } from '../facts.ts'
import { type EntriesOf, RENAMED } from './entry.ts'

/** The parts that the service always signs, whatever is configured here. */
const ALWAYS_SIGNED: ReadonlySet<string> = new Set(['(request-target)', 'host', 'date', 'digest'])
const ALWAYS_SIGNED_BY_RFC9421: ReadonlySet<string> = new Set([
  '@method',
  '@request-target',
  '@authority',
  'content-digest'
])

export const coverageEntries = (): EntriesOf<'coverage'> => ({
  'coverage-insufficient': {
    about: 'Something that must be signed is not.',
    example: { missing: ['digest'], covered: ['(request-target)', 'host', 'date', 'x-service-id'] },
    facts: ({ missing, covered }) => [...fact('missing', missing), ...fact('covered', covered)],
    causes: [
      {
        find: ({ evidence: { missing, covered } }) =>
          missing.includes('(request-target)') && covered.includes('request-line'),
        cause: 'the sender signs request-line, the name of the first drafts',
        fix: 'Have the sender list (request-target) and sign "(request-target): post /hook" (draft section 2.3).',
        examples: [{ evidence: { missing: ['(request-target)'], covered: ['request-line', 'host', 'date'] } }]
      },
      {
        find: ({ evidence: { missing, covered } }) =>
          missing.every(name =>
            (covered.some(name => name.includes('@')) ? ALWAYS_SIGNED_BY_RFC9421 : ALWAYS_SIGNED).has(name)
          ),
        cause: 'the sender signs less than the service does',
        fix: ({ shown }) => `Have the sender sign ${shown.missing}, or anyone can change it.`
      },
      {
        cause: 'the sender signs less than the service does, or a name is configured that the service does not sign',
        fix: ({ shown, setting }) =>
          `Have the sender sign ${shown.missing}, or anyone can change it; if the service does not sign it, check ` +
          `${setting('accountHeader')} and ${setting('alsoCovered')}.`,
        examples: [{ evidence: { missing: ['x-tenant'] } }]
      }
    ]
  },
  'coverage-repeated': {
    about: 'A name is listed twice.',
    example: { repeated: ['date'] },
    facts: ({ repeated }) => fact('repeated', repeated),
    causes: [{ cause: 'a broken sender, or an attack', fix: 'Have the sender list each name once.' }]
  },
  'coverage-absent': {
    about: 'A listed header is not in the request.',
    example: { absent: ['x-nonce'] },
    facts: ({ absent, reason, renamed }) => [
      ...fact('absent', absent),
      ...fact('received', renamed),
      ...reasonFact(reason)
    ],
    causes: [
      {
        find: ({ evidence }) => evidence.renamed !== undefined,
        ...RENAMED,
        examples: [{ evidence: { absent: ['date'], renamed: ['X-Amzn-Remapped-Date'] } }]
      },
      {
        find: ({ evidence }) => evidence.reason !== undefined,
        cause: ({ shown: { absent, reason } }) => `${absent}: ${reason}`,
        fix: 'Have the sender sign it in that form.',
        examples: [{ evidence: { absent: ['"x-nonce";sf'], reason: 'it is not a structured field' } }]
      },
      {
        find: ({ evidence }) => evidence.absent.includes('content-encoding'),
        cause: 'a proxy or a parser removed Content-Encoding: it decompressed the body',
        fix: {
          options:
            'Verify before any body parser, or tell it to leave the body alone (express: inflate: false); have ' +
            'proxies pass the body on compressed (Apache: no SetInputFilter DEFLATE).',
          flags: 'Have the proxy pass the body on compressed (Apache: no SetInputFilter DEFLATE).'
        },
        examples: [{ evidence: { absent: ['content-encoding'] } }]
      },
      {
        find: ({ evidence }) => evidence.absent.includes('content-length') && evidence.isBodyEmpty,
        cause: 'a proxy removed Content-Length: 0, which is signed: by its digest, the request has no body',
        fix:
          'Have the sender leave content-length out of headers for a request without a body, or have the proxy pass ' +
          'it on (many remove it from GET).',
        examples: [{ evidence: { absent: ['content-length'], isBodyEmpty: true } }]
      },
      {
        find: ({ evidence }) => evidence.absent.includes('content-length'),
        cause:
          'a proxy removed Content-Length, which is signed: it dropped the body or sends it in chunks; or a redirect ' +
          'turned POST into GET',
        fix:
          'Have the proxy pass the body on as it was sent, with its length; give the service the URL to which a ' +
          'redirect leads.',
        examples: [{ evidence: { absent: ['content-length'] } }]
      },
      {
        find: ({ evidence }) => evidence.absent.some(name => name.includes('_')),
        cause: ({ shown }) => `a proxy dropped ${shown.absent}: many drop names with an underscore`,
        fix: 'Have the proxy pass them on (nginx: underscores_in_headers on).',
        examples: [{ evidence: { absent: ['x_nonce'] } }]
      },
      {
        cause: ({ shown }) => `a proxy removed ${shown.absent}, which is signed`,
        fix: 'Have the proxy pass it on unchanged.'
      }
    ]
  }
})
