import { isAlgorithm } from '../../core/signature/algorithms.ts'
import { fact, reasonFact, secondsFact, timeFacts } from '../facts.ts'
import { AHEAD, CLOCK_NOT_SET, STALE } from './date.ts'
import { type EntriesOf, UNKNOWN_CAUSE } from './entry.ts'

/** Says how to allow both standards, in options and in flags. */
const BOTH = {
  options: 'If the service says so, allow it: schemes: [draftCavage, rfc9421]',
  flags: 'If the service says so, allow it: --scheme draft-cavage --scheme rfc9421'
} as const

export const signatureHeaderEntries = (): EntriesOf<'signature-header'> => ({
  'signature-missing': {
    about: 'There is no `Signature` (for RFC 9421: `Signature-Input` and `Signature`).',
    example: { header: 'Authorization' },
    exampleNote: 'only where the signature is there, the other form of the draft, which is not read',
    facts: ({ header }) => fact('header', header),
    causes: [
      {
        find: ({ evidence }) => evidence?.header === 'Authorization',
        cause: ({ shown }) =>
          `the signature is in ${shown?.header}, the other form of the draft, which is not read here`,
        fix: 'Have the sender write the same parameters in a Signature header.'
      },
      {
        find: ({ isUnsigned }) => isUnsigned,
        cause: 'this request is not signed, so it is not from the service: a scanner, a health check, a browser',
        fix:
          'Nothing to fix. If the service did send it, a proxy drops Signature and Digest: have it pass every ' +
          'header on.',
        examples: [{ evidence: 'none', isUnsigned: true }]
      },
      {
        find: ({ isOtherStandard }) => isOtherStandard,
        cause: 'it is signed by the draft, not by RFC 9421, or a proxy dropped Signature-Input',
        fix: {
          options: `${BOTH.options}; if not, have proxies pass Signature-Input on unchanged.`,
          flags: `${BOTH.flags}; if not, have proxies pass Signature-Input on unchanged.`
        },
        examples: [{ evidence: 'none', isOtherStandard: true }]
      },
      {
        cause: 'a proxy dropped it: the rest of a signed request is there',
        fix: 'Have proxies pass Signature on unchanged.',
        examples: [{ evidence: 'none' }]
      }
    ]
  },
  'signature-repeated': {
    about:
      'There is more than one; with RFC 9421, more than one with a key of the service. An attacker must not choose which ' +
      'is verified.',
    example: { reason: 'more than one is made with a key of the service' },
    exampleNote: 'only for RFC 9421',
    facts: ({ reason }) => reasonFact(reason),
    causes: [UNKNOWN_CAUSE]
  },
  'signature-malformed': {
    about: 'The header does not follow its grammar. `position` and `excerpt` show where.',
    example: { position: 39, reason: 'a comma is expected', excerpt: 'ey.service.example" algorithm="rsa-sha25' },
    facts: ({ position, reason, excerpt }) => [
      ...fact('position', position),
      ...reasonFact(reason),
      ...fact('excerpt', excerpt, 'near')
    ],
    causes: [
      {
        find: ({ evidence }) => evidence.looksLike === 'rfc9421',
        cause: 'it is signed by RFC 9421, not by the draft; or a proxy dropped Signature-Input, where both are allowed',
        fix: {
          options: `${BOTH.options}; if it is allowed, have proxies pass Signature-Input on unchanged.`,
          flags: `${BOTH.flags}; if it is allowed, have proxies pass Signature-Input on unchanged.`
        },
        examples: [{ evidence: { looksLike: 'rfc9421' } }]
      },
      {
        find: ({ evidence }) => /^\s*Signature\s/i.test(evidence.excerpt ?? '') && evidence.position < 12,
        cause: 'the scheme of Authorization stands in front: Signature: Signature keyId=...',
        fix: 'Have the sender leave the word Signature out of the value: Signature: keyId="...",algorithm="...".',
        examples: [{ evidence: { position: 0, excerpt: 'Signature keyId="one' } }]
      },
      {
        find: ({ evidence }) => /[;]\s*keyId=/.test(evidence.excerpt ?? ''),
        cause: 'the parameter of RFC 9421 is written keyid, in lower case',
        fix: 'Have the sender write keyid="..." in Signature-Input (RFC 9421 section 2.3).',
        examples: [{ evidence: { excerpt: '")  ;keyId="one"' } }]
      },
      {
        cause: 'the sender wrote it in another form',
        fix:
          'Have the sender write name="value" for each parameter, with both quotes, and commas in between: ' +
          'keyId="...",headers="...",signature="...". If its log has that, have proxies pass every header on unchanged.'
      }
    ]
  },
  'signature-parameter-missing': {
    about: '`keyId`, `signature`, or a time that is covered, is missing.',
    example: { parameter: 'keyId' },
    facts: ({ parameter }) => fact('parameter', parameter),
    causes: [
      {
        find: ({ evidence }) => evidence.parameter === 'created' || evidence.parameter === 'expires',
        cause: ({ shown }) => `the sender covers (${shown.parameter}), and does not send ${shown.parameter}=`,
        fix: ({ shown }) =>
          `Have the sender add ${shown.parameter}= (seconds since 1970), or take (${shown.parameter}) out of headers. A ` +
          'Signature without headers covers (created).',
        examples: [{ evidence: { parameter: 'created' } }]
      },
      {
        cause: ({ shown }) => `the sender does not write ${shown.parameter}=, or writes its name in another way`,
        fix: ({ shown }) =>
          `Have the sender write ${shown.parameter}="..." (draft section 2.1). If its log has it, have proxies pass every ` +
          'header on unchanged.'
      }
    ]
  },
  'signature-parameter-repeated': {
    about: 'A parameter appears twice.',
    example: { parameter: 'headers' },
    facts: ({ parameter }) => fact('parameter', parameter),
    causes: [UNKNOWN_CAUSE]
  },
  'signature-algorithm-not-allowed': {
    about: 'The algorithm is not one of `algorithms`.',
    example: { received: 'rsa-sha512', allowed: ['rsa-sha256'] },
    facts: ({ received, allowed }) => [...fact('received', received), ...fact('allowed', allowed, 'expected')],
    causes: [
      {
        find: ({ evidence: { received = '' } }) => isAlgorithm(received.toLowerCase()),
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
        fix: 'Have the sender sign with an allowed one: this library does not support it.',
        examples: [{ evidence: { received: 'hmac-sha256' } }]
      }
    ]
  },
  'signature-not-base64': {
    about: 'The signature is not canonical base64 (RFC 4648 section 3.5).',
    causes: [
      {
        cause:
          'the sender writes base64url (- and _), leaves the padding (=) out, breaks lines, or encodes it for a URL ' +
          '(%2B, or + that became a space)',
        fix:
          'Have the sender write base64 with A-Z, a-z, 0-9, + and /, with its padding, in one line and without escapes ' +
          '(RFC 4648 section 4). If its log has that, have proxies pass every header on unchanged.'
      }
    ]
  },
  'signature-created-out-of-range': {
    about: '`created` is further from now than `dateTolerance`, either way.',
    example: { created: 1_795_175_699, offsetSeconds: -301, toleranceSeconds: 300 },
    facts: (evidence, clock) => [...secondsFact('created', evidence.created), ...timeFacts(evidence, clock)],
    causes: [
      { find: ({ evidence }) => evidence.offsetSeconds < 0, ...STALE },
      CLOCK_NOT_SET,
      { ...AHEAD, examples: [{ evidence: { created: 1_795_176_301, offsetSeconds: 301 } }] }
    ]
  },
  'signature-expired': {
    about: '`expires` has passed, by more than `dateTolerance`.',
    example: { expires: 1_795_175_699, offsetSeconds: -301, toleranceSeconds: 300 },
    facts: (evidence, clock) => [...secondsFact('expires', evidence.expires), ...timeFacts(evidence, clock)],
    causes: [STALE]
  },
  'signature-times-not-allowed': {
    about:
      '`(created)` or `(expires)` is covered, with an algorithm for which the draft forbids it (`rsa*`, `hmac*`, `ecdsa*`).',
    example: { covered: ['(created)'], algorithm: 'rsa-sha256' },
    facts: ({ covered, algorithm }) => [...fact('covered', covered), ...fact('algorithm', algorithm)],
    causes: [
      {
        cause: 'the sender covers a time that the draft forbids with this algorithm',
        fix: 'Have the sender leave (created) and (expires) out of headers, or sign with hs2019.'
      }
    ]
  }
})
