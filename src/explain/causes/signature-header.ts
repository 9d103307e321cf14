import type { Base64Form, EvidenceByCode } from '../../core/result/evidence.ts'
import { isAlgorithm } from '../../core/signature/algorithms.ts'
import { UNCLOSED } from '../../core/standards/draft-cavage/signature-header.ts'
import { fact, reasonFact, secondsFact, timeFacts } from '../facts.ts'
import { AHEAD, CLOCK_NOT_SET, STALE } from './date.ts'
import { type ConditionalCause, causeOf, type EntriesOf } from './entry.ts'

/** Says how to allow both standards, in options and in flags. */
const BOTH = {
  options: 'If the service says so, allow it: schemes: [draftCavage, rfc9421]',
  flags: 'If the service says so, allow it: --scheme draft-cavage --scheme rfc9421'
} as const

type Malformed = EvidenceByCode['signature-malformed']

const FIX =
  'Have the sender write name="value" for each parameter, with both quotes, and commas in between: ' +
  'keyId="...",headers="...",signature="...".'

const FIX_RFC9421 = {
  'Signature-Input':
    'Have the sender write Signature-Input: sig1=("@method" "@target-uri" ' +
    '"content-digest");created=1795176000;keyid="..." (RFC 9421 section 4.1): each component in quotes and in lower ' +
    'case, created= as a number without quotes.',
  Signature: 'Have the sender write Signature: sig1=:BASE64: with a colon on either side (RFC 9421 section 4.2).'
} as const

/** The position in the excerpt (`withExcerpt`). */
const BEFORE = 20

/** Returns the text at the position, and the text before it. */
const near = ({ position, excerpt = '' }: Malformed): readonly [before: string, after: string] => {
  const at = Math.min(position, BEFORE)
  return [excerpt.slice(0, at), excerpt.slice(at)]
}

/** Matches the text before the position, and the text at it. */
const looksLike =
  (after: RegExp, before = /(?:)/) =>
  ({ evidence }: { readonly evidence: Malformed }): boolean => {
    const [start, end] = near(evidence)
    return after.test(end) && before.test(start)
  }

const ONE_SPACE =
  'Have the sender write one space between them: headers="(request-target) host date" (draft section 2.1.6).'

/** Lists other forms in which senders write the header of the draft. */
const OTHER_FORMS: readonly ConditionalCause<'signature-malformed'>[] = [
  causeOf({
    find: ({ evidence }) => evidence.reason === UNCLOSED && /(\w+)\s*=\s*$/.exec(near(evidence)[0])?.[1],
    cause: ({ found, shown }) => `the closing quote of ${found} is missing; it opens at position ${shown.position}`,
    fix: ({ found }) => `Have the sender write ${found}="..." with both quotes, and a comma before the next parameter.`,
    examples: [{ evidence: { position: 70, reason: UNCLOSED, excerpt: 'rsa-sha256",headers="(request-target) hos' } }]
  }),
  {
    find: looksLike(/^\s*Signature\s/i, /^\s*$/),
    cause: 'the value begins with the scheme of Authorization: Signature: Signature keyId=...',
    fix: 'Have the sender leave the word Signature out of the value: Signature: keyId="...",algorithm="...".',
    examples: [{ evidence: { position: 0, excerpt: 'Signature keyId="one' } }]
  },
  {
    find: looksLike(/^'/),
    cause: 'the sender writes values in single quotes',
    fix: `${FIX} Only " is a quote.`,
    examples: [{ evidence: { position: 6, excerpt: "keyId='one._domainkey.serv" } }]
  },
  {
    find: looksLike(/^(?:[\x80-\uffff]|=?\?)/),
    cause: 'the sender writes typographic quotes, or other characters beyond ASCII',
    fix: `${FIX} Only " is a quote.`,
    examples: [{ evidence: { position: 6, excerpt: 'keyId=\u201cone._domainkey' } }]
  },
  {
    find: looksLike(/^;/),
    cause: 'the sender separates parameters by semicolons',
    fix: FIX,
    examples: [{ evidence: { position: 19, excerpt: 'ey.service.example";algorithm="rsa-sha2' } }]
  },
  {
    find: looksLike(/^\{/, /^$/),
    cause: 'the sender writes the parameters as JSON',
    fix: FIX,
    examples: [{ evidence: { position: 0, excerpt: '{"keyId":"one._domai' } }]
  },
  {
    find: looksLike(/^\\"/),
    cause: 'the sender writes a backslash before each quote: it quotes the value once more',
    fix: FIX,
    examples: [{ evidence: { position: 6, excerpt: 'keyId=\\"one._domainkey.ser' } }]
  },
  {
    find: looksLike(/^\w+%3D/i, /^$/),
    cause: 'the sender percent-encodes the whole value, as for a URL',
    fix: FIX,
    examples: [{ evidence: { position: 0, excerpt: 'keyId%3D%22one._doma' } }]
  },
  {
    find: looksLike(/^,/, /[\w)-]$/),
    cause: 'the sender writes commas between the names in headers',
    fix: ONE_SPACE,
    examples: [{ evidence: { position: 19, excerpt: 's="(request-target), host, date, x-serv' } }]
  },
  {
    find: looksLike(/^\([\w-]+\);/),
    cause: 'the sender writes semicolons between the names in headers',
    fix: ONE_SPACE,
    examples: [{ evidence: { position: 19, excerpt: 'a-sha256",headers="(request-target);host' } }]
  },
  {
    find: ({ evidence }) => /\[["']/.test(near(evidence)[0]) && /^[,(\w]/.test(near(evidence)[1]),
    cause: 'the sender writes the names in headers as a list of its language',
    fix: ONE_SPACE,
    examples: [{ evidence: { position: 20, excerpt: "\"['(request-target)', 'host', 'date', 'x" } }]
  },
  {
    find: looksLike(/^\([^)]*\)/, /^[^(]*$/),
    cause: 'headers lists a name in parentheses that the draft does not have',
    fix: 'Have the sender write (request-target), (created) or (expires), the only ones (draft section 2.3).',
    examples: [{ evidence: { position: 19, excerpt: 'a-sha256",headers="(request_target) hos' } }]
  }
]

/** Lists other forms in which senders write the headers of RFC 9421. */
const FORMS_OF_RFC9421: readonly ConditionalCause<'signature-malformed'>[] = [
  {
    find: ({ evidence }) => /;\s*keyId=/.test(evidence.excerpt ?? ''),
    cause: 'the parameter of RFC 9421 is written keyid, in lower case',
    fix: 'Have the sender write keyid="..." in Signature-Input (RFC 9421 section 2.3).',
    examples: [{ evidence: { header: 'Signature-Input', excerpt: '")  ;keyId="one"' } }]
  },
  {
    find: ({ evidence }) => /"\((?:request-target|created|expires)\)"/i.test(evidence.excerpt ?? ''),
    cause: 'the sender lists names of the draft, which RFC 9421 does not have',
    fix: 'Have the sender list "@method" and "@target-uri" (or "@request-target" and "@authority"), and give created=.',
    examples: [{ evidence: { header: 'Signature-Input', excerpt: 'sig1=("(request-target)" "host' } }]
  },
  {
    find: looksLike(/^@?[a-z]/, /\((?:[^"]* )?@?$/),
    cause: 'the sender writes components without quotes',
    fix: FIX_RFC9421['Signature-Input'],
    examples: [{ evidence: { header: 'Signature-Input', position: 6, excerpt: 'sig1=(@method @authority)' } }]
  },
  {
    find: ({ evidence }) => evidence.header === 'Signature' && !/^[a-z*][\w.*-]*=:/.test(evidence.excerpt ?? ''),
    cause: 'the sender writes the signature without the colons of a byte sequence',
    fix: FIX_RFC9421.Signature,
    examples: [{ evidence: { header: 'Signature', position: 0, excerpt: 'sig1=K2qGT5srn2OGbO' } }]
  }
]

/** Each form that a signature has instead of base64, and how to write base64 then. */
const BY_FORM: Readonly<Record<Base64Form, readonly [cause: string, fix: string]>> = {
  base64url: [
    'it is base64url: - and _ stand for + and /',
    'Have the sender use base64 with + and /, and with its padding'
  ],
  'without-padding': ['its padding (=) is missing', 'Have the sender write it with its padding'],
  lines: [
    'it is in lines of 76 or 64 characters',
    'Have the sender write one line (openssl base64 -A; Java: getEncoder, not getMimeEncoder; Python: b64encode, not ' +
      'encodebytes)'
  ],
  'percent-encoded': [
    'it is percent-encoded (%2B, %2F, %3D)',
    'Have the sender write it without escapes: a header is not a URL'
  ],
  'plus-as-space': [
    'each + became a space, as when a form or a URL is decoded',
    'Have the sender write it to the header as it is, without decoding it as a part of a URL or form'
  ],
  hexadecimal: ['it is hexadecimal', 'Have the sender write its bytes in base64'],
  'python-bytes': [
    "it is b'...' of Python: bytes that were formatted as text",
    'Have the sender decode the bytes first: base64.b64encode(signature).decode()'
  ],
  'json-escapes': [
    'it has escapes of JSON, such as \\u003d for =, or \\/ for /',
    'Have the sender write = and / themselves (Gson: disableHtmlEscaping)'
  ],
  jws: [
    'it is a whole JWS (eyJ...), which signs another text',
    'Have the sender sign the signing string of the draft, and write the bytes of the signature alone in base64'
  ],
  placeholder: [
    'it is a placeholder, such as {{signature}} or undefined, that was not filled in',
    'Have the sender set that variable before it sends: its script did not run, or failed'
  ],
  empty: ['it is empty', 'Have the sender write the signature']
}

/** Names of other standards and libraries, and the name that is expected: of the draft, and of RFC 9421. */
const ALGORITHM_NAMES: readonly (readonly [name: RegExp, draft: string, rfc9421: string])[] = [
  [
    /^(?:rs256|sha-?256|sha256withrsa(?:encryption)?|rsa_?(?:pkcs1_?)?sha-?256|rsa-v1_5-sha256|rsa-sha256)$/i,
    'rsa-sha256',
    'rsa-v1_5-sha256'
  ],
  [/^(?:rs512|sha512withrsa(?:encryption)?|rsa_?sha512)$/i, 'rsa-sha512', 'rsa-v1_5-sha512'],
  [/^(?:ps512|rsassa-pss|rsa-pss-sha512|hs2019)$/i, 'hs2019', 'rsa-pss-sha512'],
  [/^(?:eddsa|ed25519ph)$/i, 'ed25519', 'ed25519']
]

/** Finds the allowed algorithm that the sender names in another way. */
const namedOtherwise = ({ received = '', allowed }: EvidenceByCode['signature-algorithm-not-allowed']) =>
  ALGORITHM_NAMES.find(([name]) => name.test(received))
    ?.slice(1)
    .find(name => allowed.includes(String(name)) && name !== received.toLowerCase())

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
        cause: 'this request is not signed, so it is not from the service: a scanner, a health check or a browser',
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
        cause: 'a proxy dropped this header: the rest of a signed request is there',
        fix: 'Have proxies pass Signature on unchanged.',
        examples: [{ evidence: 'none' }]
      }
    ]
  },
  'signature-repeated': {
    about:
      'There is more than one; with RFC 9421, more than one with a key of the service. An attacker must not choose ' +
      'which is verified.',
    example: { reason: 'more than one is made with a key of the service' },
    exampleNote: 'only for RFC 9421',
    facts: ({ reason }) => reasonFact(reason),
    causes: [
      {
        cause: 'the sender wrote it twice, or a proxy signs requests, too',
        fix: 'Have the sender write one Signature header. If its log has one, find what adds the other.'
      }
    ]
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
      ...OTHER_FORMS,
      ...FORMS_OF_RFC9421,
      causeOf({
        find: ({ evidence: { header = '' } }) =>
          Object.hasOwn(FIX_RFC9421, header) && FIX_RFC9421[header as keyof typeof FIX_RFC9421],
        cause: ({ shown }) => `the sender writes ${shown.header} in another form: ${shown.reason}`,
        fix: ({ found }) => found,
        examples: [
          { evidence: { header: 'Signature-Input', reason: 'created is not of type integer' } },
          {
            evidence: {
              header: 'Signature',
              excerpt: 'sig1=:AAAA',
              reason: 'a byte sequence is expected, and nothing else'
            }
          }
        ]
      }),
      {
        cause: ({ shown }) => `the sender wrote it in another form: ${shown.reason}`,
        fix: FIX
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
          `Have the sender add ${shown.parameter}= (seconds since 1970), or take (${shown.parameter}) out of ` +
          'headers. A Signature without headers covers (created).',
        examples: [{ evidence: { parameter: 'created' } }]
      },
      {
        cause: ({ shown }) => `the sender does not write ${shown.parameter}=, or writes its name in another way`,
        fix: ({ shown }) =>
          `Have the sender write ${shown.parameter}="...", with the name as the draft has it (section 2.1).`
      }
    ]
  },
  'signature-parameter-repeated': {
    about: 'A parameter appears twice.',
    example: { parameter: 'headers' },
    facts: ({ parameter }) => fact('parameter', parameter),
    causes: [
      {
        cause: ({ shown }) => `the sender writes ${shown.parameter} twice; names are compared without case`,
        fix: ({ shown }) => `Have the sender write ${shown.parameter} once.`
      }
    ]
  },
  'signature-algorithm-not-allowed': {
    about: 'The algorithm is not one of `algorithms`.',
    example: { received: 'rsa-sha512', allowed: ['rsa-sha256'] },
    facts: ({ received, allowed }) => [...fact('received', received), ...fact('allowed', allowed, 'expected')],
    causes: [
      causeOf({
        find: ({ evidence }) => namedOtherwise(evidence),
        cause: ({ found, shown }) => `the sender writes another name of ${found}: ${shown.received}`,
        fix: ({ found }) => `Have the sender write ${found}: draft and RFC 9421 have names of their own.`,
        examples: [
          { evidence: { received: 'RS256' } },
          { evidence: { received: 'rsa-sha256', allowed: ['rsa-v1_5-sha256'] } }
        ]
      }),
      {
        find: ({ evidence: { received = '' } }) => isAlgorithm(received.toLowerCase()),
        cause: 'the sender uses another algorithm',
        fix: {
          options: ({ evidence, setting }) =>
            `If the service says so, add it: ${setting('algorithms', evidence.received?.toLowerCase())}.`,
          flags: ({ shown, evidence, setting }) =>
            `If the service says so, list it together with the others (${shown.allowed}): ` +
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
    example: { form: 'base64url' },
    exampleNote: `only where \`form\` is known: ${Object.keys(BY_FORM)
      .map(form => `\`${form}\``)
      .join(', ')}`,
    facts: () => [],
    causes: [
      causeOf({
        find: ({ evidence }) => evidence && BY_FORM[evidence.form],
        cause: ({ found: [form] }) => `the sender writes the signature in another form: ${form}`,
        fix: ({ found: [, fix] }) => `${fix}.`,
        examples: (Object.keys(BY_FORM) as Base64Form[]).map(form => ({ evidence: { form } }))
      }),
      {
        cause: 'the sender cuts the signature, or writes characters that base64 does not have',
        fix:
          'Have the sender write base64 with A-Z, a-z, 0-9, + and /, with its padding, in one line (RFC 4648 section ' +
          '4).',
        examples: [{ evidence: 'none' }]
      }
    ]
  },
  'signature-created-out-of-range': {
    about: '`created` is further from now than `dateTolerance`, either way.',
    example: { created: 1_795_175_699, offsetSeconds: -301, toleranceSeconds: 300 },
    facts: (evidence, clock) => [...secondsFact('created', evidence.created), ...timeFacts(evidence, clock)],
    causes: [
      {
        find: ({ evidence }) => evidence.created > 100_000_000_000,
        cause: 'the sender writes created in milliseconds',
        fix: 'Have the sender write seconds since 1970, as a whole number.',
        examples: [{ evidence: { created: 1_795_176_000_000, offsetSeconds: 1_793_380_824_000 } }]
      },
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
      '`(created)` or `(expires)` is covered, with an algorithm for which the draft forbids it (`rsa*`, `hmac*`, ' +
      '`ecdsa*`).',
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
