import type { CheckOf, Code } from '../../result/codes.ts'
import { isAlgorithm } from '../../signature/algorithms.ts'
import { AHEAD, CLOCK_NOT_SET, STALE } from './date.ts'
import { type Causes, UNKNOWN_CAUSE, type Words } from './row.ts'

type SignatureHeaderCode = { [C in Code]: CheckOf<C> extends 'signature-header' ? C : never }[Code]

const allowBoth = ({ either }: Words): string =>
  `If the service says so, allow it: ` +
  either('schemes: [draftCavage, rfc9421]', '--scheme draft-cavage --scheme rfc9421')

export const signatureHeaderCauses = (): { readonly [C in SignatureHeaderCode]: Causes<C> } => ({
  'signature-missing': [
    {
      when: evidence => evidence?.header === 'Authorization',
      cause: shown => `the signature is in ${shown?.header}, the other form of the draft, which is not read here`,
      fix: 'Have the sender write the same parameters in a Signature header.'
    },
    {
      when: (_, { isUnsigned }) => isUnsigned,
      cause: 'this request is not signed, so it is not from the service: a scanner, a health check, a browser',
      fix:
        'Nothing to fix. If the service did send it, a proxy drops Signature and Digest: have it pass every ' +
        'header on.'
    },
    {
      when: (_, { isOtherStandard }) => isOtherStandard,
      cause: 'it is signed by the draft, not by RFC 9421, or a proxy dropped Signature-Input',
      fix: (_, words) => `${allowBoth(words)}; if not, have proxies pass Signature-Input on unchanged.`
    },
    {
      cause: 'a proxy dropped it: the rest of a signed request is there',
      fix: 'Have proxies pass Signature on unchanged.'
    }
  ],
  'signature-repeated': [UNKNOWN_CAUSE],
  'signature-malformed': [
    {
      when: ({ looksLike }) => looksLike === 'rfc9421',
      cause: 'it is signed by RFC 9421, not by the draft; or a proxy dropped Signature-Input, where both are allowed',
      fix: (_, words) => `${allowBoth(words)}; if it is allowed, have proxies pass Signature-Input on unchanged.`
    },
    UNKNOWN_CAUSE
  ],
  'signature-parameter-missing': [UNKNOWN_CAUSE],
  'signature-parameter-repeated': [UNKNOWN_CAUSE],
  'signature-algorithm-not-allowed': [
    {
      when: ({ received = '' }) => isAlgorithm(received.toLowerCase()),
      cause: 'the sender uses another algorithm',
      fix: ({ allowed }, { either, setting }, { evidence }) =>
        `If the service says so, ${either('add it:', `give it beside what is to stay (${allowed}):`)} ` +
        `${setting('algorithms', evidence.received?.toLowerCase())}.`
    },
    {
      cause: 'the sender uses another algorithm',
      fix: 'Have the sender sign with an allowed one: this library has no such algorithm.'
    }
  ],
  'signature-not-base64': [UNKNOWN_CAUSE],
  'signature-created-out-of-range': [
    { when: ({ offsetSeconds }) => offsetSeconds < 0, ...STALE },
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
