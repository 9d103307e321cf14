import { createHash } from 'node:crypto'
import type { VectorJson } from '../../vector-form.ts'
import { integer, RSA_ENCRYPTION, rsaPublicKey, rsaSpki, tlv, toInteger, toOctets } from '../der.ts'
import {
  EC_P256,
  ED25519,
  EXPONENT_3,
  EXPONENT_33_BITS,
  modulusOf,
  ONE,
  RSA_512,
  RSA_1023,
  RSA_1024,
  RSA_8192,
  RSA_PSS,
  TWO
} from '../keys.ts'
import { chunks, type Recipe, txt, vector } from '../recipe.ts'
import { digestInfo, encodePkcs1 } from '../sign.ts'
import { type Code, rejected, VERIFIED } from '../verdicts.ts'

const RECORD = 'RFC 6376 section 3.6.1'
const TAG_LIST = 'RFC 6376 section 3.2'
const BASE64 = 'RFC 4648 sections 3.2 and 3.5'
const SIZE = 'RFC 8301 section 3.2'

const P = ONE.p
const SPKI = Buffer.from(P, 'base64')
const MODULUS = modulusOf(ONE)

/** A record at the key's name, of which the clause that decides is the given one. */
const record = (
  name: string,
  text: string,
  verdict: Code | typeof VERIFIED,
  clause = RECORD,
  note?: string
): VectorJson =>
  vector(name, typeof verdict === 'string' ? rejected(verdict) : verdict, {
    source: clause,
    ...(note !== undefined && { note }),
    records: [chunks(text)]
  })

/** Refused for its case, or an unknown tag or flag because of it. */
const cased = (name: string, text: string, verdict: Code | typeof VERIFIED, note = 'Values are case-sensitive.') =>
  record(name, text, verdict, TAG_LIST, note)

const der = (name: string, bytes: Uint8Array, verdict: Code | typeof VERIFIED, note?: string): VectorJson =>
  record(
    name,
    `v=DKIM1; k=rsa; p=${Buffer.from(bytes).toString('base64')}`,
    verdict,
    'RFC 6376 section 3.6.1 (p=), RFC 8017 appendix A.1.1',
    note
  )

const ed25519: Partial<Recipe> = { key: ED25519, scheme: 'ed25519', algorithm: 'ed25519' }
const ALLOWED = { options: { algorithms: ['ed25519'] } } as const
const RSA_SHA512 = {
  algorithm: 'rsa-sha512',
  scheme: 'pkcs1-sha512',
  options: { algorithms: ['rsa-sha512'] }
} as const

/** A record that should be an Ed25519 key: RFC 8463. */
const ed25519Record = (name: string, verdict: VectorJson['verdict'], text: string, more: Partial<Recipe> = {}) =>
  vector(name, verdict, {
    ...ed25519,
    source: 'RFC 8463 section 4: the 32 bytes alone',
    records: txt(text),
    ...ALLOWED,
    ...more
  })
const ofBytes = (bytes: Uint8Array): string => `v=DKIM1; k=ed25519; p=${Buffer.from(bytes).toString('base64')}`
const UNREADABLE = rejected('key-unreadable')
const POINT = Buffer.from(ED25519.p, 'base64')
const ED25519_SPKI = ED25519.publicKey.export({ type: 'spki', format: 'der' })

/** An odd number of this many bits that is nobody's modulus. */
const numberOfBits = (bits: number): bigint => {
  const digest = (i: number) => createHash('sha512').update(`modulus ${i}`).digest()
  const bytes = Buffer.concat(Array.from({ length: Math.ceil(bits / 512) }, (_, i) => digest(i)))
  return (toInteger(bytes) & ((1n << BigInt(bits)) - 1n)) | (1n << BigInt(bits - 1)) | 1n
}

/** Points of small order (and non-canonical spellings): RFC 8032 section 5.1.7 and 8.4. */
const SMALL_ORDER = {
  'order-1': `01${'00'.repeat(31)}`,
  'order-2': `ec${'ff'.repeat(30)}7f`,
  'order-4': '00'.repeat(32),
  'order-8': 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'order-8-other': '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'order-4-sign-bit': `${'00'.repeat(31)}80`,
  'order-1-not-canonical': `ee${'ff'.repeat(30)}7f`,
  'order-4-not-canonical': `ed${'ff'.repeat(30)}7f`
}

/** y = 2: there is no x to it on the curve of RFC 8032 section 5.1. */
const OFF_CURVE = Uint8Array.of(2, ...new Uint8Array(31))

/** RFC 5280 section 4.1, around a key that is right. */
const spki = (algorithm: string, unusedBits = 0): Buffer =>
  tlv(0x30, Buffer.from(algorithm, 'hex'), tlv(0x03, Buffer.from([unusedBits]), rsaPublicKey(MODULUS, 65537n)))
const OID = '06092a864886f70d010101'

export const source = RECORD
export const vectors = [
  // the tag list
  vector('key-record-in-chunks', VERIFIED, {
    source: 'RFC 6376 section 3.6.2.2: strings are concatenated with nothing between',
    records: [['v=DK', 'IM1; k=rsa; p=', P.slice(0, 200), '', P.slice(200)]]
  }),
  vector('key-record-in-chunks-that-need-a-space-between', rejected('key-malformed'), {
    source: 'RFC 6376 section 3.6.2.2: strings are concatenated with nothing between',
    note: 'A backslash and a semicolon meet. With a space between them the record would be good.',
    records: [['v=DKIM1; k=rsa; n=\\', `; p=${P}`]]
  }),
  record(
    'key-record-folded',
    `v=DKIM1;\r\n k=rsa;\t p=${P.slice(0, 100)}\r\n\t${P.slice(100, 200)} ${P.slice(200, 250)}\t\t${P.slice(250)} `,
    VERIFIED,
    TAG_LIST
  ),
  record('key-record-white-space-around-everything', ` v = DKIM1 ; k = rsa ; p = ${P} ;`, VERIFIED, TAG_LIST),
  record('key-record-without-white-space', `v=DKIM1;k=rsa;p=${P}`, VERIFIED, TAG_LIST),
  record('key-record-without-version', `k=rsa; p=${P}`, VERIFIED),
  record('key-record-of-p-alone', `p=${P}`, VERIFIED),
  record('key-record-in-another-order', `v=DKIM1; p=${P}; k=rsa`, VERIFIED, TAG_LIST),
  record('key-record-semicolon-at-the-end', `v=DKIM1; p=${P};`, VERIFIED, TAG_LIST),
  record('key-record-semicolon-and-space-at-the-end', `v=DKIM1; p=${P}; `, VERIFIED, TAG_LIST),
  record('key-record-unknown-tags', `v=DKIM1; p=${P}; x=1; constructor=2; Z_9=`, VERIFIED, TAG_LIST),
  record('key-record-granularity', `v=DKIM1; g=*; p=${P}`, VERIFIED, 'RFC 4871 section 3.6.1'),
  record('key-record-notes', `v=DKIM1; p=${P}; n=made=20in=20November, "ok" \\o/`, VERIFIED),
  record(
    'key-record-tag-names-in-another-case',
    `v=DKIM1; p=${P}; P=x; K=dsa; T=y`,
    VERIFIED,
    TAG_LIST,
    'Tag names are case-sensitive: these are unknown tags.'
  ),
  record('key-record-version-not-first', `k=rsa; v=DKIM1; p=${P}`, 'key-malformed'),
  record('key-record-tag-twice', `v=DKIM1; k=rsa; k=rsa; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-p-twice', `v=DKIM1; p=${P}; p=${TWO.p}`, 'key-malformed', TAG_LIST),
  record('key-record-unknown-tag-twice', `v=DKIM1; p=${P}; x=1; x=1`, 'key-malformed', TAG_LIST),
  record('key-record-two-semicolons', `v=DKIM1;; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-two-semicolons-at-the-end', `v=DKIM1; p=${P};;`, 'key-malformed', TAG_LIST),
  record('key-record-semicolon-at-the-start', `;v=DKIM1; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-tag-without-equals', `v=DKIM1; rsa; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-tag-without-name', `v=DKIM1; =rsa; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-tag-name-with-hyphen', `v=DKIM1; x-y=1; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-tag-name-starts-with-digit', `v=DKIM1; 1x=1; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-no-break-space', `v=DKIM1;\xa0k=rsa; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-octets-above-ascii-in-notes', `v=DKIM1; n=caf\xe9; p=${P}`, 'key-malformed', TAG_LIST),
  record('key-record-nul', `v=DKIM1; p=${P}; n=\0`, 'key-malformed', TAG_LIST),
  record(
    'key-record-in-quotes',
    `"v=DKIM1; k=rsa; p=${P}"`,
    'key-malformed',
    TAG_LIST,
    'Quotes of a zone file that were published.'
  ),
  record('key-record-value-in-quotes', `v=DKIM1; k="rsa"; p=${P}`, 'key-malformed', TAG_LIST),
  record(
    'key-record-escaped-semicolons',
    `v=DKIM1\\; k=rsa\\; p=${P}`,
    'key-malformed',
    TAG_LIST,
    'Escapes of a zone file that were published.'
  ),
  record(
    'key-record-commas-for-semicolons',
    `v=DKIM1, k=rsa, p=${P}`,
    'key-version-unsupported',
    RECORD,
    'One tag, whose value is all the rest.'
  ),
  record('key-record-without-p', 'v=DKIM1; k=rsa', 'key-malformed'),

  // v=
  record('key-version-with-minor', `v=DKIM1.0; k=rsa; p=${P}`, 'key-version-unsupported'),
  record('key-version-lower-case', `v=dkim1; k=rsa; p=${P}`, 'key-version-unsupported'),
  record('key-version-empty', `v=; k=rsa; p=${P}`, 'key-version-unsupported'),
  record('key-version-next', `v=DKIM2; k=rsa; p=${P}`, 'key-version-unsupported'),

  // k=
  record('key-type-absent', `v=DKIM1; p=${P}`, VERIFIED),
  record('key-type-dsa', `v=DKIM1; k=dsa; p=${P}`, 'key-type-mismatch'),
  record('key-type-upper-case', `v=DKIM1; k=RSA; p=${P}`, 'key-type-mismatch'),
  record('key-type-empty', `v=DKIM1; k=; p=${P}`, 'key-type-mismatch'),
  record('key-type-named-proto', `v=DKIM1; k=__proto__; p=${P}`, 'key-type-mismatch'),
  vector('key-type-ed25519', VERIFIED, {
    ...ed25519,
    source: 'RFC 8463 section 4',
    options: { algorithms: ['ed25519'] }
  }),
  vector('key-type-ed25519-for-hs2019', VERIFIED, {
    ...ed25519,
    source: 'RFC 8463 section 4, draft-cavage-http-signatures-12 section 2.1.3',
    algorithm: 'hs2019',
    options: { algorithms: ['hs2019'] }
  }),
  vector('key-type-ed25519-without-algorithm', VERIFIED, {
    ...ed25519,
    source: 'RFC 8463 section 4',
    algorithm: null,
    options: { algorithms: ['rsa-sha256', 'ed25519'] }
  }),
  vector('key-type-ed25519-for-rsa-sha256', rejected('key-type-mismatch'), {
    ...ed25519,
    source: 'RFC 8463 section 4',
    algorithm: 'rsa-sha256'
  }),
  vector('key-type-ed25519-without-algorithm-and-not-allowed', rejected('key-type-mismatch'), {
    ...ed25519,
    options: { algorithms: ['rsa-sha256'] },
    source: 'RFC 8463 section 4',
    algorithm: null
  }),
  vector('key-type-rsa-for-ed25519', rejected('key-type-mismatch'), {
    ...ed25519,
    source: 'RFC 8463 section 4',
    records: txt(ONE.record),
    options: { algorithms: ['ed25519'] }
  }),
  vector('key-type-rsa-without-algorithm-and-not-allowed', rejected('key-type-mismatch'), {
    algorithm: null,
    options: { algorithms: ['rsa-sha512', 'hs2019', 'ed25519'] }
  }),
  ed25519Record('key-type-rsa-in-ed25519', UNREADABLE, `v=DKIM1; k=ed25519; p=${P}`),
  ed25519Record('key-type-ed25519-as-spki', UNREADABLE, ofBytes(ED25519_SPKI)),
  ed25519Record('key-type-ed25519-of-31-bytes', UNREADABLE, ofBytes(POINT.subarray(1))),
  ed25519Record('key-type-ed25519-of-33-bytes', UNREADABLE, ofBytes(Buffer.concat([POINT, Buffer.alloc(1)]))),
  ed25519Record('key-ed25519-not-on-the-curve', rejected('signature-mismatch'), ofBytes(OFF_CURVE), {
    source: 'RFC 8032 sections 5.1.3 and 5.1.7: a key that cannot be decoded verifies nothing',
    note: 'The record is 32 bytes, which is all that it must be; the signature fails.'
  }),
  ...Object.entries(SMALL_ORDER).map(([name, hex]) =>
    ed25519Record(`key-weak-ed25519-${name}`, rejected('key-weak'), ofBytes(Buffer.from(hex, 'hex')), {
      source: 'RFC 8032 sections 5.1.7 and 8.4',
      note: 'Under a key of small order one signature verifies for many messages.',
      signature: () => Buffer.concat([Buffer.from(SMALL_ORDER['order-1'], 'hex'), Buffer.alloc(32)])
    })
  ),

  // h=
  record('key-hash-absent', `v=DKIM1; p=${P}`, VERIFIED),
  record('key-hash-sha256', `v=DKIM1; h=sha256; p=${P}`, VERIFIED),
  record('key-hash-list', `v=DKIM1; h=sha1 : sha256; p=${P}`, VERIFIED),
  record('key-hash-unknown-in-the-list', `v=DKIM1; h=foo:sha256; p=${P}`, VERIFIED),
  record('key-hash-sha1', `v=DKIM1; h=sha1; p=${P}`, 'key-hash-not-allowed'),
  record('key-hash-sha512', `v=DKIM1; h=sha512; p=${P}`, 'key-hash-not-allowed'),
  record('key-hash-empty', `v=DKIM1; h=; p=${P}`, 'key-hash-not-allowed'),
  cased('key-hash-upper-case', `v=DKIM1; h=SHA256; p=${P}`, 'key-hash-not-allowed'),
  record('key-hash-commas', `v=DKIM1; h=sha1,sha256; p=${P}`, 'key-hash-not-allowed'),
  vector('key-hash-sha512-for-rsa-sha512', VERIFIED, {
    records: txt(`v=DKIM1; h=sha512; p=${P}`),
    ...RSA_SHA512
  }),
  vector('key-hash-sha256-for-rsa-sha512', rejected('key-hash-not-allowed'), {
    records: txt(`v=DKIM1; h=sha256; p=${P}`),
    ...RSA_SHA512
  }),
  ...(['sha512', 'sha256'] as const).map(hash =>
    vector(`key-hash-${hash}-for-hs2019`, hash === 'sha512' ? VERIFIED : rejected('key-hash-not-allowed'), {
      source: `${RECORD} (h=), draft-cavage-http-signatures-12 appendix E.2: hs2019 is SHA-512 with an RSA key`,
      records: txt(`v=DKIM1; h=${hash}; p=${P}`),
      algorithm: 'hs2019',
      scheme: 'pss-sha512',
      options: { algorithms: ['hs2019'] }
    })
  ),
  ...(['sha256', 'sha512'] as const).map(hash =>
    ed25519Record(
      `key-hash-${hash}-for-hs2019-with-ed25519`,
      hash === 'sha256' ? VERIFIED : rejected('key-hash-not-allowed'),
      `v=DKIM1; k=ed25519; h=${hash}; p=${ED25519.p}`,
      {
        source: 'RFC 8463 section 3: the hash of an Ed25519 record is SHA-256',
        algorithm: 'hs2019',
        options: { algorithms: ['hs2019'] }
      }
    )
  ),
  ed25519Record('key-hash-sha256-for-ed25519', VERIFIED, `v=DKIM1; k=ed25519; h=sha256; p=${ED25519.p}`, {
    source: 'RFC 8463 section 3: the hash of ed25519-sha256 is SHA-256'
  }),

  // s=
  record('key-service-absent', `v=DKIM1; p=${P}`, VERIFIED),
  record('key-service-any', `v=DKIM1; s=*; p=${P}`, VERIFIED),
  record('key-service-email', `v=DKIM1; s=email; p=${P}`, VERIFIED),
  record('key-service-list', `v=DKIM1; s=tlsrpt : email; p=${P}`, VERIFIED),
  record('key-service-other', `v=DKIM1; s=tlsrpt; p=${P}`, 'key-service-mismatch', 'RFC 8460 section 3'),
  cased('key-service-upper-case', `v=DKIM1; s=EMAIL; p=${P}`, 'key-service-mismatch'),
  record('key-service-empty', `v=DKIM1; s=; p=${P}`, 'key-service-mismatch'),

  // t=
  record('key-test-only', `v=DKIM1; t=y; p=${P}`, 'key-test-only'),
  record('key-testing-in-a-list', `v=DKIM1; t=s : y; p=${P}`, 'key-test-only'),
  record('key-flag-strict', `v=DKIM1; t=s; p=${P}`, VERIFIED),
  record('key-flag-unknown', `v=DKIM1; t=x:yes; p=${P}`, VERIFIED),
  record(
    'key-flag-upper-case',
    `v=DKIM1; t=Y; p=${P}`,
    VERIFIED,
    TAG_LIST,
    'Values are case-sensitive: this is an unknown flag.'
  ),
  record('key-flag-empty', `v=DKIM1; t=; p=${P}`, VERIFIED),

  // p=
  record('key-revoked', 'v=DKIM1; k=rsa; p=', 'key-revoked'),
  record('key-revoked-with-white-space', 'v=DKIM1; k=rsa; p= \t ;', 'key-revoked'),
  record('key-encoding-not-base64', 'v=DKIM1; p=not base64!', 'key-unreadable'),
  record('key-encoding-another-character', `v=DKIM1; p=${P.slice(0, 100)}*${P.slice(100)}`, 'key-unreadable'),
  record('key-encoding-url-alphabet', `v=DKIM1; p=${P.replaceAll('+', '-').replaceAll('/', '_')}`, 'key-unreadable'),
  vector('key-encoding-without-padding', rejected('key-unreadable'), {
    source: BASE64,
    key: EXPONENT_3,
    records: txt(EXPONENT_3.record.replaceAll(/=+$/g, ''))
  }),
  vector('key-encoding-stray-bits', rejected('key-unreadable'), {
    source: BASE64,
    key: EXPONENT_3,
    records: txt(
      EXPONENT_3.record.replace(/A==$/, 'B==').replace(/Q==$/, 'R==').replace(/g==$/, 'h==').replace(/w==$/, 'x==')
    )
  }),
  record('key-encoding-padding-too-much', `v=DKIM1; p=${P}=`, 'key-unreadable'),
  record('key-encoding-cut-off', `v=DKIM1; p=${P.slice(0, 200)}`, 'key-unreadable'),
  record('key-encoding-text-after', `v=DKIM1; p=${P}AAAA`, 'key-unreadable'),
  record('key-encoding-pem', `v=DKIM1; p=-----BEGIN PUBLIC KEY-----${P}-----END PUBLIC KEY-----`, 'key-unreadable'),
  der(
    'key-encoding-trailing-bytes',
    Buffer.concat([SPKI, Buffer.alloc(3)]),
    'key-unreadable',
    'OpenSSL reads it all the same.'
  ),
  der('key-encoding-no-der', Buffer.from('no DER at all'), 'key-unreadable'),
  der('key-encoding-one-byte', Buffer.from([0x30]), 'key-unreadable'),
  der(
    'key-encoding-length-not-shortest',
    Buffer.concat([Buffer.from([0x30, 0x83, 0x00]), SPKI.subarray(2)]),
    'key-unreadable',
    'BER, not DER.'
  ),
  der(
    'key-encoding-integer-with-a-zero-too-much',
    tlv(0x30, tlv(0x02, Buffer.alloc(2), toOctets(MODULUS, 256)), integer(65537n)),
    'key-unreadable',
    'BER, not DER.'
  ),
  der(
    'key-encoding-integer-negative',
    tlv(0x30, tlv(0x02, toOctets(MODULUS, 256)), integer(65537n)),
    'key-unreadable',
    'The modulus has its highest bit set, and no zero in front.'
  ),
  der(
    'key-encoding-without-null',
    spki(`300b${OID}`),
    'key-unreadable',
    'RFC 3279 section 2.3.1: the parameters of rsaEncryption are NULL, and are there.'
  ),
  der(
    'key-encoding-with-other-parameters',
    spki(`300e${OID}020101`),
    'key-unreadable',
    'RFC 3279 section 2.3.1: the parameters of rsaEncryption are NULL.'
  ),
  der(
    'key-encoding-with-unused-bits',
    spki(RSA_ENCRYPTION.toString('hex'), 1),
    'key-unreadable',
    'A key is whole octets.'
  ),
  der('key-pkcs1', rsaPublicKey(MODULUS, 65537n), VERIFIED, 'RFC 6376 erratum 3017: RSAPublicKey alone.'),
  der('key-pkcs1-trailing-bytes', Buffer.concat([rsaPublicKey(MODULUS, 65537n), Buffer.alloc(1)]), 'key-unreadable'),
  record('key-ec-as-rsa', `v=DKIM1; k=rsa; p=${EC_P256.p}`, 'key-type-mismatch'),
  record('key-rsa-pss-as-rsa', `v=DKIM1; k=rsa; p=${RSA_PSS.p}`, 'key-type-mismatch'),
  record('key-ed25519-spki-as-rsa', `v=DKIM1; k=rsa; p=${ED25519_SPKI.toString('base64')}`, 'key-type-mismatch'),

  // size and strength
  vector('key-1024-bits', VERIFIED, { source: SIZE, key: RSA_1024, options: { minRsaBits: 1024 } }),
  vector('key-too-short-1023-bits', rejected('key-too-short'), {
    source: SIZE,
    key: RSA_1023,
    options: { minRsaBits: 1024 }
  }),
  vector('key-too-short-512-bits', rejected('key-too-short'), {
    source: SIZE,
    key: RSA_512,
    options: { minRsaBits: 1024 }
  }),
  vector('key-too-short-for-this-receiver', rejected('key-too-short'), {
    source: SIZE,
    options: { minRsaBits: 2049, maxRsaBits: 8192 }
  }),
  vector('key-just-long-enough-for-this-receiver', VERIFIED, {
    source: SIZE,
    options: { minRsaBits: 2048, maxRsaBits: 8192 }
  }),
  vector('key-too-long', rejected('key-too-long'), {
    note: 'Verifying with it would cost what a stranger likes.',
    records: txt(`v=DKIM1; p=${rsaSpki(numberOfBits(8193), 65537n).toString('base64')}`),
    options: { maxRsaBits: 8192 }
  }),
  vector('key-8192-bits', VERIFIED, { key: RSA_8192, options: { maxRsaBits: 8192 } }),
  vector('key-too-long-for-this-receiver', rejected('key-too-long'), {
    options: { minRsaBits: 1024, maxRsaBits: 2047 }
  }),
  vector('key-just-short-enough-for-this-receiver', VERIFIED, {
    options: { minRsaBits: 1024, maxRsaBits: 2048 }
  }),
  vector('key-exponent-3', VERIFIED, { source: 'RFC 8017 section 3.1', key: EXPONENT_3 }),
  vector('key-weak-exponent-1', rejected('key-weak'), {
    source: 'RFC 8017 section 3.1',
    note: 'The signature is the padded digest itself: no private key is needed, and OpenSSL verifies it.',
    records: txt(`v=DKIM1; p=${rsaSpki(MODULUS, 1n).toString('base64')}`),
    signature: string => encodePkcs1(digestInfo(string), 256)
  }),
  ...([0n, 2n, 65536n] as const).map(exponent =>
    der(`key-weak-exponent-${exponent}`, rsaSpki(MODULUS, exponent), 'key-weak')
  ),
  der('key-weak-exponent-1-pkcs1', rsaPublicKey(MODULUS, 1n), 'key-weak'),
  der('key-weak-exponent-of-34-bits', rsaSpki(MODULUS, (1n << 33n) + 1n), 'key-weak'),
  der(
    'key-weak-exponent-of-3064-bits',
    rsaSpki(numberOfBits(3072), numberOfBits(3064)),
    'key-weak',
    'The time of a verification grows with the exponent.'
  ),
  vector('key-exponent-of-33-bits', VERIFIED, {
    source: 'RFC 8017 section 3.1',
    key: EXPONENT_33_BITS
  })
]
