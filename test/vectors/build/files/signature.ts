import { createHash, createHmac } from 'node:crypto'
import { addModulus, toInteger, toOctets } from '../der.ts'
import { forgeCube } from '../forge-cube.ts'
import { ED25519, EXPONENT_3, modulusOf, ONE, TWO } from '../keys.ts'
import { COVERED, FIVE, KEY_ID, type Recipe, sha256, txt, vector } from '../recipe.ts'
import { digestInfo, encodePkcs1, type Scheme, signEncoded, signText } from '../sign.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

const SIGNING_STRING = 'draft-cavage-http-signatures-12 section 2.3'
const ALGORITHM = 'draft-cavage-http-signatures-12 section 2.1.3'
const PKCS1 = 'RFC 8017 section 8.2.2'
const ED25519_VERIFY = 'RFC 8032 section 5.1.7'
const MISMATCH = rejected('signature-mismatch')

const ed25519: Partial<Recipe> = {
  source: ED25519_VERIFY,
  key: ED25519,
  scheme: 'ed25519',
  algorithm: 'ed25519',
  options: { algorithms: ['ed25519'] }
}

/** The order of the group, RFC 8032 section 5.1. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n

const reversed = (bytes: Uint8Array): Buffer => Buffer.from(bytes).reverse()

/**
 * RFC 8032 section 5.1.7: S must be below L. Whoever forgets makes a second signature from every signature.
 */
function addOrder(signature: Uint8Array): Buffer {
  const s = toInteger(reversed(signature.subarray(32)))
  return Buffer.concat([signature.subarray(0, 32), reversed(toOctets(s + L, 32))])
}

/** One signature in 256 does; with this nonce it is this one. */
function startingWithZero(string: string): Buffer {
  const signature = signText(string, ONE, 'pkcs1-sha256')
  if (signature[0] !== 0) throw new Error('another nonce is needed')
  return signature
}

/** Made with another scheme than the header says. */
const madeWith = (name: string, scheme: Scheme, algorithm: 'rsa-sha256' | 'rsa-sha512' | 'hs2019') =>
  vector(name, MISMATCH, {
    source: ALGORITHM,
    scheme,
    algorithm,
    options: { algorithms: [algorithm] }
  })

const encoded = (name: string, encode: (string: string) => Uint8Array, note?: string) =>
  vector(name, MISMATCH, {
    source: PKCS1,
    ...(note !== undefined && { note }),
    signature: string => signEncoded(encode(string), ONE)
  })

/** Signed over another text than the signing string. */
const over = (name: string, signed: NonNullable<Recipe['signed']>, note?: string) =>
  vector(name, MISMATCH, { source: SIGNING_STRING, signed, ...(note !== undefined && { note }) })

const tampered = (name: string, received: NonNullable<Recipe['received']>, more: Partial<Recipe> = {}) =>
  vector(name, MISMATCH, { source: SIGNING_STRING, received, ...more })

export const source = PKCS1
export const vectors = [
  // something signed was changed
  tampered('signature-method-changed', { method: 'PUT' }),
  tampered('signature-path-changed', { target: '/hooks?id=42' }),
  tampered('signature-query-changed', { target: '/hook?id=43' }),
  tampered('signature-query-cut-off', { target: '/hook' }),
  tampered('signature-path-in-another-case', { target: '/Hook?id=42' }),
  tampered('signature-fragment-added', { target: '/hook?id=42#' }),
  tampered('signature-target-made-absolute', { target: 'https://hooks.example.com/hook?id=42' }),
  tampered('signature-target-decoded-on-the-way', { target: '/~hook?a=b c' }, { target: '/%7Ehook?a=b%20c' }),
  tampered('signature-target-in-another-encoding', { target: '/caf%c3%a9' }, { target: '/caf%C3%A9' }),
  tampered('signature-dot-segments-removed-on-the-way', { target: '/hook' }, { target: '/a/../hook' }),
  tampered('signature-slashes-merged-on-the-way', { target: '/a/hook' }, { target: '/a//hook' }),
  tampered('signature-prefix-removed-by-a-proxy', { target: '/hook' }, { target: '/api/hook' }),
  tampered('signature-date-changed', { set: { Date: 'Fri, 20 Nov 2026 12:00:01 GMT' } }),
  tampered('signature-date-in-another-form', { set: { Date: 'Friday, 20-Nov-26 12:00:00 GMT' } }),
  tampered('signature-nonce-changed', { set: { 'X-Nonce': '5d0e7e0c-9a1f-4a0b-8f0e-6f1c2d3b4a58' } }),
  tampered('signature-content-type-changed', { set: { 'Content-Type': 'text/html' } }),
  tampered('signature-content-length-changed', { set: { 'Content-Length': '22' } }),
  tampered('signature-digest-and-body-changed', {
    body: '{"event":"deleted"}',
    set: { Digest: `SHA-256=${sha256('{"event":"deleted"}')}` }
  }),
  tampered('signature-digest-name-in-another-case', {
    set: { Digest: `sha-256=${sha256('{"event":"published"}')}` }
  }),
  tampered('signature-header-not-ascii-changed', { set: { 'X-Nonce': 'caf\xe8' } }, { set: { 'X-Nonce': 'caf\xe9' } }),
  tampered(
    'signature-header-decoded-as-utf-8',
    { set: { 'X-Nonce': 'caf\xe9' } },
    { set: { 'X-Nonce': 'caf\xc3\xa9' }, note: 'The octets of the header are signed, not its characters.' }
  ),
  vector('signature-header-beyond-octets', MISMATCH, {
    source: 'RFC 9110 section 5.5: a field value is made of octets',
    note: 'U+0141 is no octet, though its lower eight bits are those of the A that was signed.',
    set: { 'X-Nonce': 'A' },
    received: { set: { 'X-Nonce': '\u0141' } }
  }),
  vector('signature-list-shortened', MISMATCH, {
    source: SIGNING_STRING,
    header: parts => parts.all.replace(COVERED, FIVE)
  }),
  vector('signature-list-in-another-order', MISMATCH, {
    source: SIGNING_STRING,
    covered: FIVE,
    header: parts => parts.all.replace('host date', 'date host')
  }),
  vector('signature-list-lengthened', MISMATCH, {
    source: SIGNING_STRING,
    covered: FIVE,
    header: parts => parts.all.replace(FIVE, `${FIVE} x-nonce`)
  }),

  // what is not signed may change
  vector('signature-unsigned-header-added', VERIFIED, {
    source: SIGNING_STRING,
    received: { add: [['X-Forwarded-For', '192.0.2.1']] }
  }),
  vector('signature-header-names-in-another-case', VERIFIED, {
    source: SIGNING_STRING,
    header: parts => parts.all.replace(COVERED, COVERED.toUpperCase())
  }),
  vector('signature-method-in-another-case', VERIFIED, {
    source: `${SIGNING_STRING}: the method is lower-cased`,
    received: { method: 'Post' }
  }),
  vector('signature-algorithm-in-another-case', VERIFIED, {
    source: ALGORITHM,
    header: parts => parts.all.replace('rsa-sha256', 'Rsa-Sha256')
  }),

  // the signing string was built in another way
  over('signature-over-names-as-written', string => string.replace('host:', 'Host:')),
  over('signature-over-upper-case-method', string => string.replace('post', 'POST')),
  over('signature-over-carriage-returns', string => string.replaceAll('\n', '\r\n')),
  over('signature-over-a-line-feed-at-the-end', string => `${string}\n`),
  over('signature-over-no-space-after-the-colon', string => string.replaceAll(': ', ':')),
  over('signature-over-a-target-without-query', string => string.replace('?id=42', '')),
  over('signature-over-a-target-without-method', string => string.replace('post ', '')),
  over('signature-over-values-alone', string => string.replaceAll(/^[^:]*: /gm, '')),
  over('signature-over-nothing', () => ''),
  vector('signature-over-outer-white-space', MISMATCH, {
    source: `${SIGNING_STRING}: leading and trailing white space is removed`,
    add: [['X-Text', ' \ta ']],
    covered: `${FIVE} x-text`,
    signed: string => string.replace('x-text: a', 'x-text:  \ta ')
  }),
  vector('signature-over-utf-8', MISMATCH, {
    source: SIGNING_STRING,
    set: { 'X-Nonce': 'caf\xe9' },
    signed: string => Buffer.from(string, 'utf8').toString('latin1'),
    note: 'The octets of the header are signed, not its characters re-encoded.'
  }),
  vector('signature-over-utf-8-octets', VERIFIED, {
    source: SIGNING_STRING,
    set: { 'X-Nonce': 'caf\xc3\xa9' }
  }),

  // another key or none
  vector('signature-by-another-key', MISMATCH, {
    source: PKCS1,
    signature: string => signText(string, TWO, 'pkcs1-sha256')
  }),
  vector('signature-of-another-request', MISMATCH, {
    source: PKCS1,
    signature: string => signText(string.replace('id=42', 'id=43'), ONE, 'pkcs1-sha256')
  }),
  vector('signature-hmac-with-the-public-key', rejected('signature-algorithm-not-allowed'), {
    source: ALGORITHM,
    note: 'The key in DNS is public: whoever lets the header choose takes it for a shared secret.',
    algorithm: 'hmac-sha256',
    signature: string =>
      createHmac('sha256', ONE.publicKey.export({ type: 'spki', format: 'pem' }))
        .update(string)
        .digest()
  }),
  vector('signature-hmac-under-rsa-sha256', MISMATCH, {
    source: ALGORITHM,
    signature: string => createHmac('sha256', Buffer.from(ONE.p, 'base64')).update(string).digest()
  }),
  vector('signature-ed25519-under-rsa-sha256', MISMATCH, {
    source: ALGORITHM,
    signature: string => signText(string, ED25519, 'ed25519')
  }),

  // another scheme
  madeWith('signature-sha512-under-rsa-sha256', 'pkcs1-sha512', 'rsa-sha256'),
  madeWith('signature-sha1-under-rsa-sha256', 'pkcs1-sha1', 'rsa-sha256'),
  madeWith('signature-md5-under-rsa-sha256', 'pkcs1-md5', 'rsa-sha256'),
  madeWith('signature-pss-under-rsa-sha256', 'pss-sha256', 'rsa-sha256'),
  madeWith('signature-sha256-under-rsa-sha512', 'pkcs1-sha256', 'rsa-sha512'),
  madeWith('signature-pss-under-rsa-sha512', 'pss-sha512', 'rsa-sha512'),
  madeWith('signature-pkcs1-under-hs2019', 'pkcs1-sha512', 'hs2019'),
  madeWith('signature-pss-sha256-under-hs2019', 'pss-sha256', 'hs2019'),
  vector('signature-rsa-sha512', VERIFIED, {
    source: ALGORITHM,
    scheme: 'pkcs1-sha512',
    algorithm: 'rsa-sha512',
    options: { algorithms: ['rsa-sha256', 'rsa-sha512'] }
  }),
  vector('signature-hs2019-rsa', VERIFIED, {
    source: `${ALGORITHM}, appendix E.2: RSASSA-PSS with SHA-512`,
    scheme: 'pss-sha512',
    algorithm: 'hs2019',
    options: { algorithms: ['hs2019'] }
  }),
  vector('signature-hs2019-ed25519', VERIFIED, {
    ...ed25519,
    source: `${ALGORITHM}, appendix E.2`,
    algorithm: 'hs2019',
    options: { algorithms: ['hs2019'] }
  }),
  ...([32, 0] as const).map(length =>
    vector(`signature-hs2019-rsa-with-a-salt-of-${length}-bytes`, VERIFIED, {
      source: `${ALGORITHM}, appendix E.2: RSASSA-PSS with SHA-512, and no word on the salt`,
      scheme: `pss-sha512-salt-${length}`,
      algorithm: 'hs2019',
      options: { algorithms: ['hs2019'] }
    })
  ),
  vector('signature-hs2019-ed25519-over-a-hash', MISMATCH, {
    ...ed25519,
    source: `${ALGORITHM}, appendix E.2; RFC 8032 section 5.1: Ed25519 signs the message, not its hash`,
    algorithm: 'hs2019',
    signed: string => createHash('sha512').update(string, 'latin1').digest().toString('latin1'),
    options: { algorithms: ['hs2019'] }
  }),
  vector('signature-hs2019-rsa-by-ed25519', MISMATCH, {
    source: `${ALGORITHM}, appendix E.2: the key says which`,
    algorithm: 'hs2019',
    signature: string => signText(string, ED25519, 'ed25519'),
    options: { algorithms: ['hs2019'] }
  }),
  vector('signature-absent-algorithm-is-rsa-sha256', MISMATCH, {
    source: ALGORITHM,
    note: 'Also where more is allowed: the scheme is not found by trying.',
    scheme: 'pkcs1-sha512',
    algorithm: null,
    options: { algorithms: ['rsa-sha256', 'rsa-sha512', 'hs2019'] }
  }),

  // not a signature
  vector('signature-all-zero', MISMATCH, { signature: () => Buffer.alloc(256) }),
  vector('signature-one', MISMATCH, { signature: () => toOctets(1n, 256) }),
  vector('signature-modulus', MISMATCH, { signature: () => toOctets(modulusOf(ONE), 256) }),
  vector('signature-modulus-minus-one', MISMATCH, {
    signature: () => toOctets(modulusOf(ONE) - 1n, 256)
  }),
  vector('signature-of-one-byte', MISMATCH, { signature: () => Buffer.from([1]) }),
  vector('signature-cut-off', MISMATCH, {
    signature: string => signText(string, ONE, 'pkcs1-sha256').subarray(0, 255)
  }),
  vector('signature-that-starts-with-zero', VERIFIED, {
    source: `${PKCS1}, step 1`,
    set: { 'X-Nonce': 'nonce-685' },
    signature: startingWithZero
  }),
  vector('signature-zero-in-front-cut-off', MISMATCH, {
    source: `${PKCS1}, step 1`,
    note: 'The same number in one octet less: a second signature for a replay store.',
    set: { 'X-Nonce': 'nonce-685' },
    signature: string => startingWithZero(string).subarray(1)
  }),
  vector('signature-with-zero-in-front', MISMATCH, {
    note: 'The same number in one octet more: the length must be that of the modulus.',
    signature: string => Buffer.concat([Buffer.alloc(1), signText(string, ONE, 'pkcs1-sha256')])
  }),
  vector('signature-with-a-byte-more', MISMATCH, {
    signature: string => Buffer.concat([signText(string, ONE, 'pkcs1-sha256'), Buffer.alloc(1)])
  }),
  vector('signature-one-bit-changed', MISMATCH, {
    signature: string => signText(string, ONE, 'pkcs1-sha256').map((byte, i) => (i === 128 ? byte ^ 1 : byte))
  }),
  vector('signature-plus-modulus', MISMATCH, {
    source: 'RFC 8017 section 5.2.2: the signature representative is below the modulus',
    note: 'The same signature modulo n: a second one for a replay store.',
    set: { 'X-Nonce': 'nonce-0' },
    signature: string => addModulus(signText(string, ONE, 'pkcs1-sha256'), modulusOf(ONE))
  }),
  vector('signature-hs2019-plus-modulus', MISMATCH, {
    source: 'RFC 8017 section 5.2.2: the signature representative is below the modulus',
    note: 'The same signature modulo n: a second one for a replay store.',
    set: { 'X-Nonce': 'nonce-0' },
    algorithm: 'hs2019',
    options: { algorithms: ['hs2019'] },
    signature: string => addModulus(signText(string, ONE, 'pss-sha512'), modulusOf(ONE))
  }),
  vector('signature-forged-cube', MISMATCH, {
    source: PKCS1,
    note: 'Made without a private key, for verifiers that do not look behind the digest (CVE-2006-4339).',
    records: txt(EXPONENT_3.record),
    signature: forgeCube
  }),
  encoded(
    'signature-over-a-bare-digest',
    string => encodePkcs1(digestInfo(string).subarray(19), 256),
    'No DigestInfo.'
  ),
  encoded(
    'signature-over-digest-info-without-null',
    string =>
      encodePkcs1(
        Buffer.concat([Buffer.from('302f300b0609608648016503040201', 'hex'), digestInfo(string).subarray(17)]),
        256
      ),
    'RFC 8017 lets a verifier accept this; one encoding of a signature is enough.'
  ),
  encoded('signature-over-bytes-behind-the-digest', string =>
    encodePkcs1(Buffer.concat([digestInfo(string), Buffer.from('trailing')]), 256)
  ),
  encoded('signature-with-block-type-2', string => {
    const block = encodePkcs1(digestInfo(string), 256)
    block[1] = 2
    return block
  }),
  encoded('signature-with-another-padding-byte', string => {
    const block = encodePkcs1(digestInfo(string), 256)
    block[100] = 0xfe
    return block
  }),

  vector('signature-ed25519', VERIFIED, { ...ed25519 }),
  vector('signature-ed25519-plus-order', MISMATCH, {
    ...ed25519,
    note: 'A second signature for a replay store.',
    signature: string => addOrder(signText(string, ED25519, 'ed25519'))
  }),
  vector('signature-ed25519-all-zero', MISMATCH, { ...ed25519, signature: () => Buffer.alloc(64) }),
  vector('signature-ed25519-cut-off', MISMATCH, {
    ...ed25519,
    signature: string => signText(string, ED25519, 'ed25519').subarray(0, 63)
  }),
  vector('signature-ed25519-with-a-byte-more', MISMATCH, {
    ...ed25519,
    signature: string => Buffer.concat([signText(string, ED25519, 'ed25519'), Buffer.alloc(1)])
  }),
  vector('signature-ed25519-one-bit-changed', MISMATCH, {
    ...ed25519,
    signature: string => signText(string, ED25519, 'ed25519').map((byte, i) => (i === 40 ? byte ^ 1 : byte))
  }),
  vector('signature-by-a-key-at-another-name', MISMATCH, {
    source: PKCS1,
    note: 'Both names are in the domain; keyId names the other one.',
    key: TWO,
    dns: { [KEY_ID]: txt(ONE.record), 'two._domainkey.service.example': txt(TWO.record) }
  })
]
