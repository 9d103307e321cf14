import { createHash } from 'node:crypto'
import type { VectorJson } from '../../vector-form.ts'
import { COVERED, FIVE, type Recipe, sha256, sha512, vector } from '../recipe.ts'
import { rejected, unavailable, VERIFIED } from '../verdicts.ts'

const RFC3230 = 'RFC 3230 section 4.3.2'
const RFC5843 = 'RFC 5843 section 2.2'
const BASE64 = 'RFC 4648 sections 3.1 to 3.5'

const COUNT = 'RFC 9110 section 5.4: a limit on what is parsed; fixtures/README.md: 100 instances'

const BODY = '{"event":"published"}'
const S256 = sha256(BODY)
const S512 = sha512(BODY)
const MD5 = createHash('md5').update(BODY).digest('base64')
const SHA1 = createHash('sha1').update(BODY).digest('base64')
const WRONG_256 = sha256('another body')
const WRONG_512 = sha512('another body')

/** A request that carries and signs this Digest. */
const digested = (
  name: string,
  Digest: string,
  verdict: VectorJson['verdict'],
  more: Partial<Recipe> = {}
): VectorJson => vector(name, verdict, { set: { Digest }, ...more })

const malformed = (name: string, Digest: string, more: Partial<Recipe> = {}): VectorJson =>
  digested(name, Digest, rejected('digest-malformed'), more)
const unsupported = (name: string, Digest: string, more: Partial<Recipe> = {}): VectorJson =>
  digested(name, Digest, rejected('digest-unsupported'), more)
const mismatch = (name: string, Digest: string, more: Partial<Recipe> = {}): VectorJson =>
  digested(name, Digest, rejected('digest-mismatch'), more)

const changedTo = (name: string, body: NonNullable<Recipe['received']>['body'], more: Partial<Recipe> = {}) =>
  vector(name, rejected('digest-mismatch'), { received: { body: body! }, ...more })

export const source = RFC3230
export const vectors = [
  vector('digest-missing', rejected('coverage-absent', 'digest-missing'), {
    set: { Digest: null },
    absentAs: ''
  }),
  vector('digest-only-as-content-digest', rejected('coverage-absent', 'digest-missing'), {
    source: 'RFC 9530 section 1.3: Content-Digest is another header',
    note: 'It is not signed either: it never counts.',
    set: { Digest: null },
    add: [['Content-Digest', `sha-256=:${S256}:`]],
    absentAs: ''
  }),
  digested('digest-sha-256', `SHA-256=${S256}`, VERIFIED),
  digested('digest-sha-512', `SHA-512=${S512}`, VERIFIED, { source: RFC5843 }),
  digested('digest-both', `SHA-256=${S256},SHA-512=${S512}`, VERIFIED, { source: RFC5843 }),
  digested('digest-both-with-white-space', `SHA-512=${S512} \t, SHA-256=${S256}`, VERIFIED),
  digested('digest-name-in-lower-case', `sha-256=${S256}`, VERIFIED, {
    source: 'RFC 3230 section 4.1.1: algorithm values are case-insensitive'
  }),
  digested('digest-name-in-mixed-case', `Sha-512=${S512}`, VERIFIED, {
    source: 'RFC 3230 section 4.1.1: algorithm values are case-insensitive'
  }),
  digested('digest-with-md5', `MD5=${MD5},SHA-256=${S256}`, VERIFIED),
  digested('digest-with-wrong-md5', 'MD5=1B2M2Y8AsgTpgAmY7PhCfg==,SHA-256='.concat(S256), VERIFIED, {
    note: 'MD5 does not count, neither for nor against.'
  }),
  digested('digest-with-unknown-algorithm', `foo=bar!,SHA-256=${S256}`, VERIFIED),
  digested('digest-with-checksum', `UNIXsum=30637,SHA-256=${S256}`, VERIFIED),
  digested('digest-twice', `SHA-256=${S256},SHA-256=${S256}`, VERIFIED),
  vector('digest-in-two-headers', VERIFIED, {
    source: 'RFC 9110 section 5.3: lines of a list make one list',
    add: [['Digest', `SHA-512=${S512}`]]
  }),
  vector('digest-in-two-headers-one-wrong', rejected('digest-mismatch'), {
    source: 'RFC 9110 section 5.3: lines of a list make one list',
    add: [['Digest', `SHA-512=${WRONG_512}`]]
  }),

  mismatch('digest-mismatch', `SHA-256=${WRONG_256}`),
  mismatch('digest-sha-512-wrong', `SHA-512=${WRONG_512}`, { source: RFC5843 }),
  mismatch('digest-both-first-wrong', `SHA-256=${WRONG_256},SHA-512=${S512}`),
  mismatch('digest-both-second-wrong', `SHA-256=${S256},SHA-512=${WRONG_512}`),
  mismatch('digest-twice-one-wrong', `SHA-256=${S256},SHA-256=${WRONG_256}`),
  mismatch('digest-twice-first-wrong', `SHA-256=${WRONG_256},sha-256=${S256}`),
  mismatch('digest-wrong-content-digest-right', `SHA-256=${WRONG_256}`, {
    source: 'RFC 9530 section 1.3: Content-Digest is another header',
    add: [
      ['Content-Digest', `sha-256=:${S256}:`],
      ['Repr-Digest', `sha-256=:${S256}:`]
    ]
  }),
  mismatch('digest-of-all-zero', `SHA-256=${Buffer.alloc(32).toString('base64')}`),
  digested('digest-right-content-digest-wrong', `SHA-256=${S256}`, VERIFIED, {
    source: 'RFC 9530 section 1.3: Content-Digest is another header',
    add: [['Content-Digest', `sha-256=:${WRONG_256}:`]]
  }),

  unsupported('digest-md5-alone', `MD5=${MD5}`),
  unsupported('digest-sha-1-alone', `SHA=${SHA1}`),
  unsupported('digest-md5-and-sha-1', `MD5=${MD5},SHA=${SHA1}`),
  unsupported('digest-sha-1-by-its-other-name', `SHA-1=${SHA1}`),
  unsupported('digest-sha256-without-hyphen', `SHA256=${S256}`),
  unsupported('digest-id-sha-256', `id-sha-256=${S256}`, {
    source: 'RFC 5843 section 2.2: another algorithm'
  }),
  unsupported('digest-named-constructor', `constructor=${S256}`),
  unsupported('digest-named-proto', `__proto__=${S256}`),

  malformed('digest-empty', ''),
  malformed('digest-comma-alone', ','),
  malformed('digest-without-name', `=${S256}`),
  malformed('digest-value-alone', S256),
  malformed('digest-name-alone', 'SHA-256'),
  malformed('digest-without-value', 'SHA-256='),
  malformed('digest-unknown-without-value', `foo=,SHA-256=${S256}`),
  malformed('digest-comma-at-the-end', `SHA-256=${S256},`),
  malformed('digest-comma-at-the-start', `,SHA-256=${S256}`),
  malformed('digest-two-commas', `SHA-256=${S256},,SHA-512=${S512}`),
  malformed('digest-semicolon-between', `SHA-256=${S256};SHA-512=${S512}`),
  malformed('digest-with-quality', `SHA-256=${S256};q=1`, { note: 'Only Want-Digest has it.' }),
  malformed('digest-space-between', `SHA-256=${S256} SHA-512=${S512}`),
  malformed('digest-space-before-equals', `SHA-256 =${S256}`),
  malformed('digest-space-after-equals', `SHA-256= ${S256}`),
  malformed('digest-colon-for-equals', `SHA-256:${S256}`),
  malformed('digest-in-quotes', `SHA-256="${S256}"`),
  malformed('digest-unknown-in-quotes', `foo="a,b",SHA-256=${S256}`),
  malformed('digest-as-structured-field', `sha-256=:${S256}:`, {
    source: 'RFC 9530 section 2: of Content-Digest'
  }),
  malformed('digest-text-after', `SHA-256=${S256} (good)`),
  malformed('digest-name-not-a-token', `SHA(256)=${S256}`),
  malformed('digest-no-break-space-in-front', `\xa0SHA-256=${S256}`),
  malformed('digest-hexadecimal', `SHA-256=${Buffer.from(S256, 'base64').toString('hex')}`, {
    source: RFC5843
  }),
  malformed('digest-url-alphabet', `SHA-256=${Buffer.alloc(32, 0xfb).toString('base64url')}=`, {
    source: BASE64
  }),
  malformed('digest-without-padding', `SHA-256=${S256.replaceAll('=', '')}`, { source: BASE64 }),
  malformed('digest-padding-too-much', `SHA-256=${S256}=`, { source: BASE64 }),
  malformed(
    'digest-stray-bits',
    `SHA-256=${S256.replace(/.=$/, last => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`)}`,
    { source: BASE64 }
  ),
  malformed('digest-base64-with-space', `SHA-256=${S256.slice(0, 20)} ${S256.slice(20)}`, { source: BASE64 }),
  malformed(
    'digest-sha-512-stray-bits',
    `SHA-512=${S512.replace(/.==$/, last => `${String.fromCharCode(last.charCodeAt(0) + 1)}==`)}`,
    { source: BASE64 }
  ),
  digested('digest-of-100-instances', `${'a=1,'.repeat(99)}SHA-256=${S256}`, VERIFIED, { source: COUNT }),
  malformed('digest-of-101-instances', `${'a=1,'.repeat(100)}SHA-256=${S256}`, { source: COUNT }),
  malformed('digest-of-31-bytes', `SHA-256=${Buffer.from(S256, 'base64').subarray(1).toString('base64')}`, {
    source: RFC5843
  }),
  malformed('digest-sha-1-under-sha-256', `SHA-256=${SHA1}`, { source: RFC5843 }),
  malformed('digest-sha-256-under-sha-512', `SHA-512=${S256}`, { source: RFC5843 }),
  malformed('digest-one-good-one-malformed', `SHA-256=${S256},SHA-512=x`),

  changedTo('digest-body-changed', '{"event":"publisheD"}'),
  changedTo('digest-body-longer', `${BODY} `),
  changedTo('digest-body-shorter', BODY.slice(0, -1)),
  changedTo('digest-body-taken-out', null),
  changedTo('digest-body-empty', ''),
  changedTo('digest-body-with-line-feed-added', `${BODY}\n`),
  changedTo('digest-body-with-byte-order-mark', `\ufeff${BODY}`),
  changedTo('digest-body-reserialized', '{ "event": "published" }', {
    note: 'What a JSON parser and writer make of it.'
  }),
  changedTo('digest-body-added', BODY, { body: null, method: 'GET' }),
  changedTo('digest-body-decoded-as-latin-1', Buffer.from('caf\xc3\xa9', 'utf8'), { body: 'café' }),

  vector('digest-of-no-body', VERIFIED, { method: 'GET', body: null }),
  vector('digest-of-no-body-received-as-empty', VERIFIED, {
    method: 'GET',
    body: null,
    received: { body: '' }
  }),
  vector('digest-of-an-empty-body', VERIFIED, { body: '' }),
  vector('digest-of-a-binary-body', VERIFIED, {
    body: Uint8Array.from({ length: 256 }, (_, i) => i)
  }),
  vector('digest-of-a-body-not-ascii', VERIFIED, { body: '{"event":"veröffentlicht 👍"}' }),
  vector('digest-of-a-body-that-is-not-utf-8', VERIFIED, {
    body: Uint8Array.of(0xff, 0xfe, 0x00, 0xc3)
  }),

  vector('body-as-large-as-allowed', VERIFIED, { options: { maxBodyBytes: 21 } }),
  vector('body-too-large', rejected('body-too-large'), { options: { maxBodyBytes: 20 } }),
  vector('body-too-large-in-octets', rejected('body-too-large'), {
    note: 'Four characters, five octets.',
    body: 'café',
    options: { maxBodyBytes: 4 }
  }),
  vector('body-none-where-none-is-allowed', VERIFIED, {
    method: 'GET',
    body: null,
    options: { maxBodyBytes: 0 }
  }),
  vector('body-unreadable', unavailable('body-unreadable'), {
    source: 'RFC 9112 section 8: an incomplete message is not taken for a complete one',
    received: { body: { error: 'ECONNRESET' } }
  }),
  vector('body-not-read-under-a-bad-signature', rejected('signature-mismatch'), {
    note: 'A stranger cannot make the receiver read: that the stream breaks is never seen.',
    covered: FIVE,
    received: { target: '/other', body: { error: 'ECONNRESET' } }
  }),
  vector('body-not-read-without-a-key', rejected('key-not-found'), {
    received: { body: { error: 'ECONNRESET' } },
    records: []
  }),
  vector('digest-covered-twice-over-is-still-one', rejected('signature-mismatch'), {
    note: 'A second Digest that was added on the way is part of the signed value.',
    covered: COVERED,
    received: { add: [['Digest', `SHA-256=${S256}`]] }
  })
]
