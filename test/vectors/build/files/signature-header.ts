import type { VectorJson } from '../../vector-form.ts'
import { ED25519 } from '../keys.ts'
import { COVERED, FIVE, type HeaderParts, KEY_ID, NOW_SECONDS, type Recipe, vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

const DRAFT = 'draft-cavage-http-signatures-12'
const GRAMMAR = `${DRAFT} section 4.1, RFC 9110 sections 11.2 (auth-param) and 5.6.1 (lists)`
const QUOTED = 'RFC 9110 section 5.6.4: quoted-string'
const ALGORITHM = `${DRAFT} section 2.1.3`
const BASE64 = 'RFC 4648 sections 3.1 to 3.5'
const SIGNING_STRING = `${DRAFT} section 2.3`
const TIMES = `${DRAFT} sections 2.1.4 and 2.1.5`

const DIGITS = `${DRAFT} sections 2.1.4 and 2.1.5: integers; fixtures/README.md: of at most 15 digits`
const LIMITS = 'RFC 9110 section 5.4: a limit on what is parsed; fixtures/README.md: 100 parameters, 100 names'

const MALFORMED = rejected('signature-malformed')
const ENCODING = rejected('signature-not-base64')

type Write = (parts: HeaderParts) => string

const written = (name: string, header: Write, verdict: VectorJson['verdict'], note?: string): VectorJson =>
  vector(name, verdict, { header, ...(note !== undefined && { note }) })

const malformed = (name: string, header: Write, note?: string): VectorJson => written(name, header, MALFORMED, note)

/** The signature's base64 spelled in another way. */
const spelled = (name: string, spell: (base64: string) => string, verdict = ENCODING): VectorJson =>
  vector(name, verdict, {
    source: BASE64,
    header: parts => parts.all.replace(parts.signature, spell(parts.signature))
  })

const algorithm = (name: string, value: string | null, verdict: VectorJson['verdict']): VectorJson =>
  vector(name, verdict, { source: ALGORITHM, algorithm: value, options: { algorithms: ['rsa-sha256'] } })

/** An Ed25519 signature, with which (created) and (expires) may be covered. */
const timed = (name: string, verdict: VectorJson['verdict'], recipe: Recipe): VectorJson =>
  vector(name, verdict, {
    source: TIMES,
    key: ED25519,
    scheme: 'ed25519',
    algorithm: 'ed25519',
    ...recipe,
    options: { algorithms: ['ed25519'], ...recipe.options }
  })

/** The last of the characters before the padding, with one of its unused bits set. */
function strayBit(base64: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const last = base64.indexOf('=') - 1
  return `${base64.slice(0, last)}${alphabet[alphabet.indexOf(base64[last]!) + 1]}==`
}

export const source = GRAMMAR
export const vectors = [
  vector('signature-missing', rejected('signature-missing'), {
    received: { set: { Signature: null } }
  }),
  vector('signature-only-in-authorization', rejected('signature-missing'), {
    note: 'The service sends Signature; an Authorization header is not looked at.',
    received: { set: { Signature: null }, add: [['Authorization', 'Signature keyId="x",signature="eA=="']] }
  }),
  vector('signature-repeated', rejected('signature-repeated'), {
    received: { add: [['signature', 'keyId="x",signature="eA=="']] }
  }),
  malformed('signature-empty', () => ''),
  malformed('signature-scheme-in-front', parts => `Signature ${parts.all}`),
  malformed('signature-comma-at-the-start', parts => `,${parts.all}`),
  malformed('signature-comma-at-the-end', parts => `${parts.all},`),
  malformed('signature-two-commas', parts => parts.all.replace('",', '",,')),
  malformed('signature-comma-missing', parts => parts.all.replace('",', '" ')),
  malformed('signature-nothing-between-parameters', parts => parts.all.replace('",', '"')),
  malformed('signature-semicolons', parts => parts.all.replaceAll('",', '";')),
  malformed('signature-text-after-the-end', parts => `${parts.all} and more`),
  malformed('signature-second-header-value-after-the-end', parts => `${parts.all};keyId="x"`),
  malformed('signature-space-before-equals', parts => parts.all.replace('keyId=', 'keyId =')),
  malformed('signature-space-after-equals', parts => parts.all.replace('keyId=', 'keyId= ')),
  malformed('signature-equals-missing', parts => parts.all.replace('keyId=', 'keyId')),
  malformed('signature-colon-for-equals', parts => parts.all.replace('keyId=', 'keyId:')),
  malformed('signature-parameter-name-missing', parts => parts.all.replace('keyId=', '=')),
  malformed('signature-parameter-value-missing', parts => `${parts.all},extra=`),
  malformed('signature-parameter-name-alone', parts => `${parts.all},extra`),
  malformed('signature-parameter-name-quoted', parts => parts.all.replace('keyId=', '"keyId"=')),
  malformed('signature-quote-not-closed', parts => parts.all.slice(0, -1)),
  malformed('signature-quote-not-opened', parts => parts.all.replace('keyId="', 'keyId=')),
  malformed('signature-single-quotes', parts => parts.all.replaceAll('"', "'")),
  malformed('signature-json', parts => JSON.stringify({ keyId: parts.keyId, signature: parts.signature })),
  malformed('signature-key-id-not-quoted', parts => parts.all.replace(`"${parts.keyId}"`, parts.keyId)),
  malformed('signature-algorithm-not-quoted', parts => parts.all.replace('"rsa-sha256"', 'rsa-sha256')),
  malformed('signature-headers-not-quoted', parts => parts.all.replace(/headers="[^"]*"/, 'headers=date')),
  malformed('signature-signature-not-quoted', parts => parts.all.replace(/signature="[^"]*"/, 'signature=abcd')),
  malformed(
    'signature-no-break-space-between',
    parts => parts.all.replace('",', '",\xa0'),
    'It is no white space of HTTP.'
  ),
  malformed('signature-form-feed-between', parts => parts.all.replace('",', '",\f'), 'It is no white space of HTTP.'),
  malformed('signature-control-character-in-quotes', parts => `${parts.all},extra="\x01"`),
  malformed('signature-delete-in-quotes', parts => `${parts.all},extra="\x7f"`),
  malformed('signature-quote-escaped-at-the-end', parts => parts.all.replace(/"$/, '\\"')),
  malformed('signature-backslash-and-end', parts => `${parts.all},extra="\\`),

  written('signature-other-order', parts => parts.all.split(',').reverse().join(','), VERIFIED),
  written('signature-white-space-after-commas', parts => parts.all.replaceAll('",', '", '), VERIFIED),
  written('signature-white-space-around-commas', parts => parts.all.replaceAll('",', '" \t,\t '), VERIFIED),
  written('signature-white-space-around-it', parts => ` \t${parts.all}\t `, VERIFIED),
  written('signature-unknown-parameter', parts => `${parts.all},extra="1"`, VERIFIED),
  written('signature-unknown-parameter-first', parts => `extra="keyId=x, y",${parts.all}`, VERIFIED),
  written('signature-unknown-parameter-empty', parts => `${parts.all},extra=""`, VERIFIED),
  written('signature-unknown-parameter-not-quoted', parts => `${parts.all},extra=1`, VERIFIED),
  written('signature-unknown-parameter-with-octets-above-ascii', parts => `${parts.all},extra="\xe9"`, VERIFIED),
  written(
    'signature-parameter-named-in-another-case',
    parts => `keyid="evil.example",KEYID="evil.example",${parts.all}`,
    VERIFIED,
    'Names are case-sensitive: these are unknown parameters.'
  ),
  written('signature-parameter-named-proto', parts => `__proto__="x",constructor="y",${parts.all}`, VERIFIED),

  vector('signature-quoted-pairs-in-key-id', rejected('key-name-malformed'), {
    source: QUOTED,
    note: 'A backslash in a value that is used is not undone: one spelling is enough, and no such value needs another.',
    header: parts => parts.all.replace('one.', '\\o\\ne\\.')
  }),
  vector('signature-quoted-pair-in-algorithm', rejected('signature-algorithm-not-allowed'), {
    source: QUOTED,
    header: parts => parts.all.replace('"rsa-sha256"', '"\\rsa-sha256"')
  }),
  vector('signature-quoted-pair-in-headers', MALFORMED, {
    source: QUOTED,
    header: parts => parts.all.replace('(request-target)', '\\(request-target\\)')
  }),
  vector('signature-quoted-pair-in-signature', ENCODING, {
    source: QUOTED,
    header: parts => parts.all.replace('signature="', 'signature="\\')
  }),
  vector('signature-quoted-quote-hides-a-parameter', rejected('key-name-malformed'), {
    source: QUOTED,
    note: 'There is one keyId, and it is no DNS name. Splitting at commas finds two, of which the second is good.',
    header: parts => parts.all.replace('keyId="', 'keyId="x\\",keyId=\\"')
  }),
  vector('signature-quoted-quote-hides-nothing', VERIFIED, {
    source: QUOTED,
    note: 'The whole of it is the value of an unknown parameter.',
    header: parts => `extra="\\",keyId=\\"evil.example",${parts.all}`
  }),
  vector('signature-quoted-backslash-before-the-end', VERIFIED, {
    source: QUOTED,
    note: 'An escaped backslash does not escape the quote after it.',
    header: parts => `extra="\\\\",${parts.all}`
  }),
  vector('signature-comma-and-equals-in-quotes', VERIFIED, {
    source: QUOTED,
    header: parts => `extra=",keyId=evil.example,signature=x",${parts.all}`
  }),

  ...['keyId', 'signature'].map(name =>
    written(
      `signature-without-${name === 'keyId' ? 'key-id' : name}`,
      parts => parts.all.replace(new RegExp(`,?${name}="[^"]*"`), '').replace(/^,/, ''),
      rejected('signature-parameter-missing')
    )
  ),
  written(
    'signature-key-id-in-another-case',
    parts => parts.all.replace('keyId', 'keyid'),
    rejected('signature-parameter-missing')
  ),
  written(
    'signature-without-key-id-and-signature',
    parts => `headers="${parts.headers}"`,
    rejected('signature-parameter-missing')
  ),
  written('signature-key-id-empty', parts => parts.all.replace(parts.keyId, ''), rejected('key-name-malformed')),

  ...(
    [
      ['key-id', 'keyId="two._domainkey.service.example"'],
      ['algorithm', 'algorithm="rsa-sha256"'],
      ['headers', `headers="${COVERED}"`],
      ['signature', 'signature="eA=="'],
      ['unknown', 'extra="1",extra="1"']
    ] as const
  ).map(([name, again]) =>
    written(`signature-${name}-twice`, parts => `${parts.all},${again}`, rejected('signature-parameter-repeated'))
  ),
  timed('signature-created-twice', rejected('signature-parameter-repeated'), {
    source: GRAMMAR,
    times: { created: NOW_SECONDS },
    header: parts => `${parts.all},created=${NOW_SECONDS}`
  }),
  timed('signature-expires-twice', rejected('signature-parameter-repeated'), {
    source: GRAMMAR,
    times: { expires: NOW_SECONDS },
    header: parts => `${parts.all},expires=${NOW_SECONDS + 60}`
  }),

  ...(
    [
      ['empty', ''],
      ['a-space', ' '],
      ['two-spaces', FIVE.replace(' ', '  ')],
      ['space-at-the-start', ` ${FIVE}`],
      ['space-at-the-end', `${FIVE} `],
      ['tabs', FIVE.replaceAll(' ', '\t')],
      ['commas', FIVE.replaceAll(' ', ',')],
      ['colon-in-a-name', `${FIVE} x-nonce:`],
      ['octets-above-ascii', `${FIVE} h\xf4st`],
      ['full-width-letters', FIVE.replace('host', '\uff48ost')]
    ] as const
  ).map(([name, list]) =>
    vector(`signature-headers-with-${name}`, MALFORMED, {
      source: `${DRAFT} section 2.1.6: a lower-cased, quoted list of names separated by a single space character`,
      covered: FIVE,
      header: parts => parts.all.replace(FIVE, list)
    })
  ),
  vector('signature-headers-with-unknown-special-name', MALFORMED, {
    source: SIGNING_STRING,
    note: 'It is neither a header name nor a special name that the draft knows.',
    covered: FIVE,
    header: parts => parts.all.replace(FIVE, `${FIVE} (response-target)`)
  }),
  vector('signature-headers-with-kelvin-sign', MALFORMED, {
    source: SIGNING_STRING,
    note: 'It becomes a "k" in lower case. Only a runtime that decodes header values as something else than octets can hand it on.',
    add: [['X-Key', '1']],
    covered: `${FIVE} x-key`,
    header: parts => parts.all.replace('x-key', 'x-\u212aey')
  }),

  ...(
    [
      [100, VERIFIED],
      [101, MALFORMED]
    ] as const
  ).flatMap(([count, verdict]) => [
    vector(`signature-headers-of-${count}-names`, verdict, {
      source: LIMITS,
      add: Array.from({ length: count - 5 }, (_, at) => [`X-${at}`, '1'] as const),
      covered: [FIVE, ...Array.from({ length: count - 5 }, (_, at) => `x-${at}`)].join(' ')
    }),
    vector(`signature-of-${count}-parameters`, verdict, {
      source: LIMITS,
      header: parts => [parts.all, ...Array.from({ length: count - 4 }, (_, at) => `x${at}=1`)].join(',')
    })
  ]),

  algorithm('signature-algorithm-absent', null, VERIFIED),
  algorithm('signature-algorithm-upper-case', 'RSA-SHA256', VERIFIED),
  ...[
    ['none', 'none'],
    ['empty', ''],
    ['hmac', 'hmac-sha256'],
    ['rsa-sha1', 'rsa-sha1'],
    ['rsa-md5', 'rsa-md5'],
    ['rsa', 'rsa'],
    ['ecdsa', 'ecdsa-sha256'],
    ['not-allowed', 'rsa-sha512'],
    ['hs2019-not-allowed', 'hs2019'],
    ['ed25519-not-allowed', 'ed25519'],
    ['with-space', ' rsa-sha256'],
    ['list', 'rsa-sha256,rsa-sha512'],
    ['named-constructor', 'constructor'],
    ['named-proto', '__proto__']
  ].map(([name, value]) =>
    algorithm(`signature-algorithm-${name}`, value!, rejected('signature-algorithm-not-allowed'))
  ),

  spelled('signature-base64-url-alphabet', base64 => base64.replaceAll('+', '-').replaceAll('/', '_')),
  spelled('signature-base64-without-padding', base64 => base64.replaceAll('=', '')),
  spelled('signature-base64-with-half-the-padding', base64 => base64.replace('==', '=')),
  spelled('signature-base64-with-more-padding', base64 => `${base64}=`),
  spelled('signature-base64-with-stray-bits', strayBit),
  spelled('signature-base64-with-space', base64 => `${base64.slice(0, 64)} ${base64.slice(64)}`),
  spelled('signature-base64-with-tab', base64 => `${base64.slice(0, 64)}\t${base64.slice(64)}`),
  spelled('signature-base64-with-space-at-the-start', base64 => ` ${base64}`),
  spelled('signature-base64-with-space-at-the-end', base64 => `${base64} `),
  spelled('signature-base64-with-another-character', base64 => `${base64.slice(0, 64)}*${base64.slice(64)}`),
  spelled('signature-base64-with-text-after-the-padding', base64 => `${base64}eA==`),
  spelled('signature-base64-with-octets-above-ascii', base64 => `\xc1${base64.slice(1)}`),
  spelled('signature-base64-empty', () => ''),
  spelled('signature-base64-only-padding', () => '===='),
  spelled('signature-base64-one-character', () => 'A'),
  spelled('signature-base64-percent-encoded', encodeURIComponent),
  spelled(
    'signature-hexadecimal',
    base64 => Buffer.from(base64, 'base64').toString('hex'),
    rejected('signature-mismatch')
  ),

  timed('signature-created', VERIFIED, { times: { created: NOW_SECONDS } }),
  timed('signature-created-covered', VERIFIED, {
    times: { created: NOW_SECONDS - 10 },
    covered: `(created) ${COVERED}`
  }),
  timed('signature-created-covered-in-another-case', VERIFIED, {
    times: { created: NOW_SECONDS - 10 },
    covered: `(Created) ${COVERED}`
  }),
  timed('signature-created-and-expires-covered', VERIFIED, {
    times: { created: NOW_SECONDS - 10, expires: NOW_SECONDS + 50 },
    covered: `(request-target) (created) (expires) host date x-service-id digest`
  }),
  timed('signature-created-as-old-as-allowed', VERIFIED, {
    times: { created: NOW_SECONDS - 300 },
    options: { dateTolerance: 300 }
  }),
  timed('signature-created-too-old', rejected('signature-created-out-of-range'), {
    times: { created: NOW_SECONDS - 301 },
    options: { dateTolerance: 300 }
  }),
  timed('signature-created-as-far-ahead-as-allowed', VERIFIED, {
    times: { created: NOW_SECONDS + 300 },
    options: { dateTolerance: 300 }
  }),
  timed('signature-created-in-future', rejected('signature-created-out-of-range'), {
    times: { created: NOW_SECONDS + 301 },
    options: { dateTolerance: 300 }
  }),
  timed('signature-created-in-milliseconds', rejected('signature-created-out-of-range'), {
    times: { created: NOW_SECONDS * 1000 }
  }),
  timed('signature-created-with-own-tolerance', rejected('signature-created-out-of-range'), {
    times: { created: NOW_SECONDS - 11 },
    options: { algorithms: ['ed25519'], dateTolerance: 10 }
  }),
  timed('signature-expires', VERIFIED, { times: { expires: NOW_SECONDS + 60 } }),
  timed('signature-expired-as-long-as-allowed', VERIFIED, {
    times: { expires: NOW_SECONDS - 300 },
    options: { dateTolerance: 300 }
  }),
  timed('signature-expired', rejected('signature-expired'), {
    times: { expires: NOW_SECONDS - 301 },
    options: { dateTolerance: 300 }
  }),
  ...(
    [
      ['quoted', `"${NOW_SECONDS}"`],
      ['negative', `-${NOW_SECONDS}`],
      ['with-sign', `+${NOW_SECONDS}`],
      ['with-fraction', `${NOW_SECONDS}.5`],
      ['with-exponent', '1e9'],
      ['hexadecimal', '0x6b008cc0'],
      ['with-zero-before', `0${NOW_SECONDS}`],
      ['a-word', 'now'],
      ['without-value', '']
    ] as const
  ).flatMap(([name, value]) =>
    (['created', 'expires'] as const).map(parameter =>
      timed(`signature-${parameter}-${name}`, MALFORMED, {
        header: parts => `${parameter}=${value},${parts.all}`
      })
    )
  ),
  timed('signature-created-covered-without-parameter', rejected('signature-parameter-missing'), {
    source: SIGNING_STRING,
    times: { created: NOW_SECONDS },
    covered: `(created) ${COVERED}`,
    header: parts => parts.all.replace(`created=${NOW_SECONDS},`, '')
  }),
  timed('signature-expires-covered-without-parameter', rejected('signature-parameter-missing'), {
    source: SIGNING_STRING,
    times: { expires: NOW_SECONDS },
    covered: `(expires) ${COVERED}`,
    header: parts => parts.all.replace(`expires=${NOW_SECONDS},`, '')
  }),
  ...(['created', 'expires'] as const).flatMap(parameter => [
    timed(`signature-${parameter}-of-16-digits`, MALFORMED, {
      source: DIGITS,
      header: parts => `${parameter}=1000000000000000,${parts.all}`
    }),
    timed(
      `signature-${parameter}-of-15-digits`,
      parameter === 'expires' ? VERIFIED : rejected('signature-created-out-of-range'),
      {
        source: DIGITS,
        times: { [parameter]: 999999999999999 }
      }
    ),
    timed(
      `signature-${parameter}-zero`,
      rejected(parameter === 'expires' ? 'signature-expired' : 'signature-created-out-of-range'),
      {
        source: TIMES,
        times: { [parameter]: 0 }
      }
    )
  ]),
  vector('signature-created-covered-without-algorithm', VERIFIED, {
    source: SIGNING_STRING,
    note: 'The draft names the parameter, which is absent; the key makes it rsa-sha256.',
    times: { created: NOW_SECONDS },
    algorithm: null,
    covered: `(created) ${COVERED}`
  }),
  vector('signature-created-covered-with-rsa-in-upper-case', rejected('signature-times-not-allowed'), {
    source: SIGNING_STRING,
    times: { created: NOW_SECONDS },
    algorithm: 'RSA-SHA256',
    covered: `(created) ${COVERED}`
  }),
  vector('signature-created-covered-with-rsa-sha512', rejected('signature-times-not-allowed'), {
    source: SIGNING_STRING,
    times: { created: NOW_SECONDS },
    algorithm: 'rsa-sha512',
    scheme: 'pkcs1-sha512',
    covered: `(created) ${COVERED}`,
    options: { algorithms: ['rsa-sha512'] }
  }),
  ...(['hmac-sha256', 'ecdsa-sha256'] as const).flatMap(name =>
    (['created', 'expires'] as const).map(parameter =>
      vector(`signature-${parameter}-covered-with-${name.split('-')[0]}`, rejected('signature-algorithm-not-allowed'), {
        source: SIGNING_STRING,
        note: 'No such algorithm can be allowed, and that is reported first.',
        times: { [parameter]: NOW_SECONDS },
        algorithm: name,
        covered: `(${parameter}) ${COVERED}`
      })
    )
  ),
  vector('signature-created-covered-with-rsa', rejected('signature-times-not-allowed'), {
    source: SIGNING_STRING,
    times: { created: NOW_SECONDS },
    covered: `(created) ${COVERED}`
  }),
  vector('signature-expires-covered-with-rsa', rejected('signature-times-not-allowed'), {
    source: SIGNING_STRING,
    times: { expires: NOW_SECONDS + 60 },
    covered: `(expires) ${COVERED}`
  }),
  vector('signature-created-with-rsa-but-not-covered', VERIFIED, {
    source: SIGNING_STRING,
    note: 'Only the special name is refused; the parameter is judged all the same.',
    times: { created: NOW_SECONDS }
  }),
  vector('signature-created-too-old-with-rsa', rejected('signature-created-out-of-range'), {
    source: TIMES,
    times: { created: NOW_SECONDS - 301 },
    options: { dateTolerance: 300 }
  }),
  timed('signature-created-changed-on-the-way', rejected('signature-mismatch'), {
    times: { created: NOW_SECONDS - 200 },
    covered: `(created) ${COVERED}`,
    header: parts => parts.all.replace(String(NOW_SECONDS - 200), String(NOW_SECONDS))
  }),
  timed('signature-expires-changed-on-the-way', rejected('signature-mismatch'), {
    times: { expires: NOW_SECONDS - 400 },
    covered: `(expires) ${COVERED}`,
    header: parts => parts.all.replace(String(NOW_SECONDS - 400), String(NOW_SECONDS + 60))
  }),
  vector('signature-key-id-with-a-comma-inside', rejected('key-name-malformed'), {
    source: QUOTED,
    header: parts => parts.all.replace(KEY_ID, `evil.example,${KEY_ID}`)
  })
]
