import { expect, test } from 'vitest'
import { EC_P256, ED25519, ONE, TWO } from '../../../../fixtures/source/keys.ts'
import { createVerifier } from '../../../../src/index.ts'
import { loadVectors } from '../../../support/vectors.ts'

const vectors = new Map(loadVectors().map(vector => [vector.name, vector]))

const NAME = 'one._domainkey.service.example'
const REST = ONE.record.slice('v=DKIM1; k=rsa; '.length)
const FIVE = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
const SAMPLE = [...FIVE.slice(0, 3), 'content-length', 'content-type', 'x-service-id', 'digest', 'x-nonce']
const NOW = 1795176000
const recordOf = (p: string) => `v=DKIM1; k=rsa; p=${p}`
const keyed = (record: unknown, reason?: string) => ({ name: NAME, record, ...(reason && { reason }) })
const at = (position: number, reason: string, excerpt: string) => ({ position, reason, excerpt })
const A_PARAMETER = 'a parameter name and an equals sign are expected'
const A_KEY_ID = 'a quoted string is expected: keyId="..."'
const NO_RECORD = 'no key record among the TXT records'
const AN_EXPONENT = 'the public exponent is not an odd number of at least 3 and at most 33 bits'
const NOT_A_DIGEST = 'digest is not canonical base64 of the right length'
const A_LIST = 'headers is not a list of header names'

/** Maps vectors to the evidence of their only, or named, failure. */
const EVIDENCE: Readonly<Record<string, unknown>> = {
  'request-method-space': { part: 'method' },
  'request-target-nul': { part: 'target' },
  'request-target-empty': { part: 'target' },
  'request-name-colon': { part: 'header-name', name: 'X-Extra:' },
  'request-value-nul': { part: 'header-value', name: 'X-Extra' },
  'https-missing': undefined,
  'date-repeated': { received: 'Fri, 20 Nov 2026 12:00:00 GMT, Fri, 20 Nov 2026 11:59:00 GMT' },
  'date-utc-for-gmt': { received: 'Fri, 20 Nov 2026 12:00:00 UTC', reason: 'it has UTC instead of GMT' },
  'date-too-old': { received: 'Fri, 20 Nov 2026 11:54:59 GMT', offsetSeconds: -301, toleranceSeconds: 300 },
  'date-in-future': { received: 'Fri, 20 Nov 2026 12:05:01 GMT', offsetSeconds: 301, toleranceSeconds: 300 },
  'host-missing': { expected: ['hooks.example.com'] },
  'host-repeated': { received: 'hooks.example.com, other.example.com', expected: ['hooks.example.com'] },
  'host-with-another-port': { received: 'hooks.example.com:8443', expected: ['hooks.example.com'] },
  'account-missing': { header: 'x-service-id', expected: 'account-<account id>' },
  'account-repeated': { header: 'x-service-id', received: 'account-1234, account-5678' },
  'account-without-prefix': { header: 'x-service-id', received: '1234', expected: 'account-<account id>' },
  'account-of-another-customer': { header: 'x-service-id', received: '5678', expected: ['1234'] },
  'account-check-failed': { error: 'Error', problem: 'threw' },
  'signature-missing': undefined,
  'signature-repeated': undefined,
  'signature-comma-missing': at(39, 'a comma is expected', 'ey.service.example" algorithm="rsa-sha25'),
  'signature-scheme-in-front': at(0, A_PARAMETER, 'Signature keyId="one'),
  'signature-quote-not-opened': at(6, A_KEY_ID, 'keyId=one._domainkey.servi'),
  'signature-headers-with-tabs': at(71, A_LIST, 'sa-sha256",headers="(request-target)\thos'),
  'signature-without-key-id': { parameter: 'keyId' },
  'signature-without-signature': { parameter: 'signature' },
  'signature-headers-twice': { parameter: 'headers' },
  'signature-algorithm-hmac': { received: 'hmac-sha256', allowed: ['rsa-sha256'] },
  'signature-base64-with-stray-bits': undefined,
  'signature-created-too-old': { created: NOW - 301, offsetSeconds: -301, toleranceSeconds: 300 },
  'signature-created-in-future': { created: NOW + 301, offsetSeconds: 301, toleranceSeconds: 300 },
  'signature-created-covered-with-rsa': { covered: ['(created)'], algorithm: 'rsa-sha256' },
  'signature-expired': { expires: NOW - 301, offsetSeconds: -301, toleranceSeconds: 300 },
  'signature-expires-covered-with-rsa': { covered: ['(expires)'], algorithm: 'rsa-sha256' },
  'signature-created-covered-without-parameter': { parameter: 'created' },
  'signature-expires-covered-without-parameter': { parameter: 'expires' },
  'coverage-of-one-header': { missing: FIVE.filter(name => name !== 'date'), covered: ['date'] },
  'coverage-repeated-in-another-case': { repeated: ['date'] },
  'coverage-absent-constructor': { absent: ['constructor'] },
  'key-name-punycode': { received: 'xn--a.service.example', domain: 'service.example' },
  'key-name-upper-case': 'verified',
  'key-name-wildcard': { received: '*.service.example', domain: 'service.example' },
  'key-name-the-domain-itself': { received: 'service.example', domain: 'service.example' },
  'key-records-spf-alone': { name: NAME, reason: NO_RECORD, records: ['v=spf1 include:service.example -all'] },
  'dns-name-does-not-exist': { name: NAME, reason: 'ENOTFOUND' },
  'dns-name-without-txt': { name: NAME, reason: 'ENODATA' },
  'dns-servfail': { name: NAME, error: 'ESERVFAIL', problem: 'threw' },
  'dns-thrown-without-code': { name: NAME, error: 'Error', problem: 'threw' },
  'dns-timeout': { name: NAME, error: 'ETIMEOUT' },
  'key-record-version-not-first': keyed(`k=rsa; v=DKIM1; ${REST}`, 'v= is not the first tag'),
  'key-record-without-p': keyed('v=DKIM1; k=rsa', 'there is no p='),
  'key-record-tag-twice': keyed(`v=DKIM1; k=rsa; k=rsa; ${REST}`, 'a tag appears twice'),
  'key-record-tag-without-equals': keyed(`v=DKIM1; rsa; ${REST}`, 'a tag has no equals sign'),
  'key-record-tag-name-with-hyphen': keyed(
    `v=DKIM1; x-y=1; ${REST}`,
    'a tag name is not a letter followed by letters, digits and underscores'
  ),
  'key-record-no-break-space': keyed(`v=DKIM1;\xa0k=rsa; ${REST}`, 'it has a character outside printable ASCII'),
  'key-record-escaped-semicolons': keyed(
    `v=DKIM1\\; k=rsa\\; ${REST}`,
    'it has an escaped semicolon, as zone files write it'
  ),
  'key-record-value-in-quotes': keyed(`v=DKIM1; k="rsa"; ${REST}`, 'k= has a quote or a backslash'),
  'key-version-lower-case': keyed(`v=dkim1; k=rsa; ${REST}`),
  'key-type-dsa': keyed(`v=DKIM1; k=dsa; ${REST}`, 'k= is not rsa or ed25519'),
  'key-hash-sha1': keyed(`v=DKIM1; h=sha1; ${REST}`, 'h= allows neither sha256 nor sha512'),
  'key-hash-sha512': keyed(`v=DKIM1; h=sha512; ${REST}`, 'h= does not allow sha256'),
  'key-service-other': keyed(`v=DKIM1; s=tlsrpt; ${REST}`),
  'key-test-only': keyed(`v=DKIM1; t=y; ${REST}`),
  'key-revoked': keyed('v=DKIM1; k=rsa; p='),
  'key-encoding-not-base64': keyed('v=DKIM1; p=not base64!', 'p= is not canonical base64'),
  'key-encoding-one-byte': keyed('v=DKIM1; k=rsa; p=MA==', 'p= is not the DER of a public key'),
  'key-type-ed25519-for-rsa-sha256': keyed(ED25519.record, 'an ed25519 key does not fit the allowed algorithm'),
  'key-ec-as-rsa': keyed(recordOf(EC_P256.p), 'k= says rsa but the key is of another type'),
  'key-encoding-trailing-bytes': keyed(recordOf(`${ONE.p}AAAA`), 'the DER has bytes that do not belong to the key'),
  'key-weak-exponent-2': { ...keyed(expect.stringMatching(/^v=DKIM1; k=rsa; p=/), AN_EXPONENT), bits: 2048 },
  'key-type-ed25519-of-31-bytes': keyed(
    expect.stringMatching(/^v=DKIM1; k=ed25519; p=/),
    'an Ed25519 key must be 32 bytes'
  ),
  'key-weak-ed25519-order-1': keyed(
    `v=DKIM1; k=ed25519; p=AQ${'A'.repeat(41)}=`,
    'the Ed25519 point is of small order'
  ),
  'key-too-short-for-this-receiver': { ...keyed(ONE.record), bits: 2048, limit: 2049 },
  'key-too-long-for-this-receiver': { ...keyed(ONE.record), bits: 2048, limit: 2047 },
  'key-records-two-none-good': 'a signing string',
  'digest-empty': { received: '', reason: 'an algorithm, an equals sign and a value are expected' },
  'digest-without-value': { received: 'SHA-256=', reason: `a sha-256 ${NOT_A_DIGEST}` },
  'digest-unknown-without-value': expect.objectContaining({ reason: `a foo ${NOT_A_DIGEST}` }),
  'digest-md5-and-sha-1': { received: ['md5', 'sha'] },
  'digest-body-changed': {
    algorithm: 'sha-256',
    expected: 'VvqGr5/m2K/J+HI6Sxu9FmNGYP7gDLlFcE/Nalpl03M=',
    actual: expect.stringMatching(/^.{43}=$/),
    bodyLength: 21,
    contentLength: 21
  },
  'body-too-large': { limit: 20 },
  'body-unreadable': { error: 'ECONNRESET' },
  replayed: { replayId: expect.stringMatching(/^.{43}=$/) },
  'replay-store-failed': { error: 'Error', problem: 'threw' }
}

async function evidenceOf(name: string): Promise<unknown> {
  const { options, request } = vectors.get(name)!
  const verdict = await createVerifier(options)(request)
  if (verdict.status === 'verified') return 'verified'
  const [failure] = verdict.failures
  if (failure.code !== 'signature-mismatch') return failure.evidence
  const { keyId, algorithm, record } = failure.evidence
  expect({ keyId, algorithm, record }).toEqual({ keyId: NAME, algorithm: 'rsa-sha256', record: TWO.record })
  expect(failure.evidence.signingString.split('\n').map(line => line.split(': ')[0])).toEqual(SAMPLE)
  return 'a signing string'
}

test.each(Object.entries(EVIDENCE))('the vector has its evidence: %s', async (name, evidence) => {
  expect(await evidenceOf(name)).toStrictEqual(evidence)
})
