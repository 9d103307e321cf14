import { isAlgorithm } from '../../core/signature/algorithms.ts'
import { fact, reasonFact, secondsFact, timeFacts } from '../facts.ts'
import { AHEAD, CLOCK_NOT_SET, STALE } from './date.ts'
import { type CausesOf, type FactsOf, UNKNOWN_CAUSE } from './row.ts'

/** Says how to allow both standards, in options and in flags. */
const BOTH = {
  options: 'If the service says so, allow it: schemes: [draftCavage, rfc9421]',
  flags: 'If the service says so, allow it: --scheme draft-cavage --scheme rfc9421'
} as const

export const signatureHeaderFacts = (): FactsOf<'signature-header'> => ({
  'signature-missing': ({ header }) => fact('header', header),
  'signature-repeated': ({ reason }) => reasonFact(reason),
  'signature-malformed': ({ position, reason, excerpt }) => [
    ...fact('position', position),
    ...reasonFact(reason),
    ...fact('excerpt', excerpt, 'near')
  ],
  'signature-parameter-missing': ({ parameter }) => fact('parameter', parameter),
  'signature-parameter-repeated': ({ parameter }) => fact('parameter', parameter),
  'signature-algorithm-not-allowed': ({ received, allowed }) => [
    ...fact('received', received),
    ...fact('allowed', allowed, 'expected')
  ],
  'signature-created-out-of-range': (evidence, clock) => [
    ...secondsFact('created', evidence.created),
    ...timeFacts(evidence, clock)
  ],
  'signature-expired': (evidence, clock) => [
    ...secondsFact('expires', evidence.expires),
    ...timeFacts(evidence, clock)
  ],
  'signature-times-not-allowed': ({ covered, algorithm }) => [
    ...fact('covered', covered),
    ...fact('algorithm', algorithm)
  ]
})

export const signatureHeaderCauses = (): CausesOf<'signature-header'> => ({
  'signature-missing': [
    {
      when: ({ evidence }) => evidence?.header === 'Authorization',
      cause: ({ shown }) => `the signature is in ${shown?.header}, the other form of the draft, which is not read here`,
      fix: 'Have the sender write the same parameters in a Signature header.'
    },
    {
      when: ({ isUnsigned }) => isUnsigned,
      cause: 'this request is not signed, so it is not from the service: a scanner, a health check, a browser',
      fix:
        'Nothing to fix. If the service did send it, a proxy drops Signature and Digest: have it pass every ' +
        'header on.'
    },
    {
      when: ({ isOtherStandard }) => isOtherStandard,
      cause: 'it is signed by the draft, not by RFC 9421, or a proxy dropped Signature-Input',
      fix: {
        options: `${BOTH.options}; if not, have proxies pass Signature-Input on unchanged.`,
        flags: `${BOTH.flags}; if not, have proxies pass Signature-Input on unchanged.`
      }
    },
    {
      cause: 'a proxy dropped it: the rest of a signed request is there',
      fix: 'Have proxies pass Signature on unchanged.'
    }
  ],
  'signature-repeated': [UNKNOWN_CAUSE],
  'signature-malformed': [
    {
      when: ({ evidence }) => evidence.looksLike === 'rfc9421',
      cause: 'it is signed by RFC 9421, not by the draft; or a proxy dropped Signature-Input, where both are allowed',
      fix: {
        options: `${BOTH.options}; if it is allowed, have proxies pass Signature-Input on unchanged.`,
        flags: `${BOTH.flags}; if it is allowed, have proxies pass Signature-Input on unchanged.`
      }
    },
    UNKNOWN_CAUSE
  ],
  'signature-parameter-missing': [UNKNOWN_CAUSE],
  'signature-parameter-repeated': [UNKNOWN_CAUSE],
  'signature-algorithm-not-allowed': [
    {
      when: ({ evidence: { received = '' } }) => isAlgorithm(received.toLowerCase()),
      cause: 'the sender uses another algorithm',
      fix: {
        options: ({ evidence, setting }) =>
          `If the service says so, add it: ${setting('algorithms', evidence.received?.toLowerCase())}.`,
        flags: ({ shown, evidence, setting }) =>
          `If the service says so, give it beside what is to stay (${shown.allowed}): ` +
          `${setting('algorithms', evidence.received?.toLowerCase())}.`
      }
    },
    {
      cause: 'the sender uses another algorithm',
      fix: 'Have the sender sign with an allowed one: this library does not support it.'
    }
  ],
  'signature-not-base64': [UNKNOWN_CAUSE],
  'signature-created-out-of-range': [
    { when: ({ evidence }) => evidence.offsetSeconds < 0, ...STALE },
    CLOCK_NOT_SET,
    AHEAD
  ],
  'signature-expired': [STALE],
  'signature-times-not-allowed': [
    {
      cause: 'the sender covers a time that the draft forbids with this algorithm',
      fix: 'Have the sender leave (created) and (expires) out of headers, or sign with hs2019.'
    }
  ]
})
