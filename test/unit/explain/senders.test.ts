import { expect, test } from 'vitest'
import { createVerifier, diagnose } from '../../../src/index.ts'
import { service, withHeaders } from '../../support/service.ts'

/** Replaces a part of the Signature that the service made. */
const signature = (from: string | RegExp, to: string) => ({ Signature: (value: string) => value.replace(from, to) })

// What senders do: the first cause is theirs, and the fix says which form is expected.
test.each<[what: string, headers: Parameters<typeof withHeaders>[1], code: string, cause: RegExp, fix: RegExp]>([
  [
    'no weekday, and UTC',
    { Date: '28 Nov 2026 06:10:28 UTC' },
    'date-malformed',
    /UTC instead of GMT.*no weekday/,
    /Sat, 28 Nov 2026 06:10:28 GMT/
  ],
  ['ISO 8601', { Date: '2026-11-28T06:10:28Z' }, 'date-malformed', /ISO 8601/, /Sat, 28 Nov 2026 06:10:28 GMT/],
  ['an offset', { Date: 'Sat, 28 Nov 2026 06:10:28 +0000' }, 'date-malformed', /an offset/, /06:10:28 GMT/],
  ['a day of one digit', { Date: 'Sat, 7 Nov 2026 06:10:28 GMT' }, 'date-malformed', /one digit/, /Sat, 07 Nov 2026/],
  [
    'another weekday',
    { Date: 'Mon, 28 Nov 2026 06:10:28 GMT' },
    'date-malformed',
    /is a Sat, and no Mon/,
    /Sat, 28 Nov/
  ],
  [
    'the scheme of Authorization',
    signature(/^/, 'Signature '),
    'signature-malformed',
    /scheme of Authorization/,
    /leave the word/
  ],
  [
    '(created) without created',
    signature('(request-target)', '(created) (request-target)'),
    'signature-parameter-missing',
    /covers \(created\)/,
    /add created=/
  ],
  ['a signature without its padding', signature(/=+"$/, '"'), 'signature-not-base64', /padding/, /with its padding/],
  [
    'SHA256=',
    { Digest: value => value.replace('SHA-256', 'SHA256') },
    'digest-unsupported',
    /spells the algorithm/,
    /SHA-256=/
  ],
  [
    'id-sha-256=',
    { Digest: value => value.replace('SHA-256', 'id-sha-256') },
    'digest-unsupported',
    /spells the algorithm/,
    /SHA-256=/
  ],
  ['a digest in hexadecimal', { Digest: 'ab'.repeat(32) }, 'digest-malformed', /hexadecimal/, /base64/],
  [
    'account_1234',
    { 'X-Service-ID': 'account_1234' },
    'account-malformed',
    /another prefix: account_/,
    /accountPrefix: 'account_'/
  ],
  [
    'environment-1234',
    { 'X-Service-ID': 'environment-1234' },
    'account-malformed',
    /environment-/,
    /accountPrefix: 'environment-'/
  ]
])('%s', async (_, headers, code, cause, fix) => {
  const verdict = await createVerifier(service.options)(withHeaders(service.sign({ body: '{}' }), headers))
  const failure = diagnose(verdict).failures.find(each => each.code === code)
  expect(failure).toMatchObject({ cause: expect.stringMatching(cause), fix: expect.stringMatching(fix) })
})
