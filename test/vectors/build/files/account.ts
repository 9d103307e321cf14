import type { VectorJson } from '../../vector-form.ts'
import { COVERED, vector } from '../recipe.ts'
import { rejected, unavailable, VERIFIED } from '../verdicts.ts'

const forAccount = (name: string, value: string, verdict: VectorJson['verdict'], note?: string): VectorJson =>
  vector(name, verdict, { set: { 'X-Service-ID': value }, ...(note !== undefined && { note }) })

const malformed = (name: string, value: string, note?: string): VectorJson =>
  forAccount(name, value, rejected('account-malformed'), note)
const mismatch = (name: string, value: string, note?: string): VectorJson =>
  forAccount(name, value, rejected('account-mismatch'), note)

export const source = "The service's specification: X-Service-ID is account-<account_id>"
export const vectors = [
  vector('account-missing', rejected('account-missing', 'coverage-absent'), {
    set: { 'X-Service-ID': null },
    absentAs: ''
  }),
  vector('account-repeated', rejected('account-repeated'), {
    add: [['X-Service-ID', 'account-5678']]
  }),
  vector('account-repeated-with-the-same-value', rejected('account-repeated'), {
    add: [['x-service-id', 'account-1234']]
  }),
  malformed('account-empty', ''),
  malformed('account-without-prefix', '1234'),
  malformed('account-prefix-alone', 'account-'),
  malformed('account-prefix-in-another-case', 'Account-1234'),
  malformed('account-prefix-not-at-the-start', 'my-account-1234'),
  malformed('account-white-space-after-the-prefix', 'account- 1234'),
  malformed('account-white-space-in-the-id', 'account-12 34'),
  malformed('account-tab-in-the-id', 'account-12\t34'),
  malformed('account-two-in-one', 'account-1234, account-5678'),
  malformed('account-comma-at-the-end', 'account-1234,'),
  malformed('account-no-break-space-at-the-end', 'account-1234\xa0', 'It is no white space of HTTP.'),
  malformed('account-control-character', 'account-1234\x01'),
  vector('account-digits-beyond-ascii', rejected('account-malformed'), {
    note: 'Only a runtime that decodes header values as something else than octets can hand these on.',
    received: { set: { 'X-Service-ID': 'account-\uff11\uff12\uff13\uff14' } }
  }),
  forAccount('account-with-white-space-around', '\t account-1234 ', VERIFIED),
  mismatch('account-of-another-customer', 'account-5678', 'Signed by the service, for another customer.'),
  mismatch('account-zero-before', 'account-01234'),
  mismatch('account-the-same-number', 'account-1234.0'),
  mismatch('account-longer', 'account-12345'),
  mismatch('account-shorter', 'account-123'),
  mismatch('account-prefix-twice', 'account-account-1234'),
  mismatch('account-named-constructor', 'account-constructor'),
  mismatch('account-named-proto', 'account-__proto__'),
  mismatch('account-pattern', 'account-*'),
  vector('account-id-in-another-case', rejected('account-mismatch'), {
    set: { 'X-Service-ID': 'account-ABC' },
    options: { accounts: ['abc'] }
  }),
  vector('account-second-of-two', VERIFIED, { options: { accounts: ['5678', '1234'] } }),
  vector('account-id-of-any-visible-characters', VERIFIED, {
    set: { 'X-Service-ID': 'account-a/b:c@d.e_f-g' },
    options: { accounts: ['a/b:c@d.e_f-g'] }
  }),
  vector('account-id-of-255-characters', VERIFIED, {
    source: `${source}, of at most 255 characters (fixtures/README.md)`,
    set: { 'X-Service-ID': `account-${'1'.repeat(255)}` },
    options: { accounts: ['1'.repeat(255)] }
  }),
  vector('account-id-of-256-characters', rejected('account-malformed'), {
    source: `${source}, of at most 255 characters (fixtures/README.md)`,
    set: { 'X-Service-ID': `account-${'1'.repeat(256)}` },
    options: { accounts: ['1'.repeat(256)] }
  }),
  vector('account-changed-on-the-way', rejected('signature-mismatch'), {
    note: 'Both accounts are ours, but the signature is over the other one.',
    received: { set: { 'X-Service-ID': 'account-5678' } },
    options: { accounts: ['1234', '5678'] }
  }),
  vector('account-under-another-brand', VERIFIED, {
    set: { 'X-Service-ID': null },
    add: [['X-Brand-Account', 'customer:1234']],
    covered: COVERED.replace('X-Service-ID', 'X-Brand-Account'),
    options: { accountHeader: 'x-brand-account', accountPrefix: 'customer:' }
  }),
  vector('account-under-the-wrong-brand', rejected('account-missing', 'coverage-insufficient'), {
    options: { accountHeader: 'X-Brand-Account' }
  }),
  vector('account-without-any-prefix', VERIFIED, {
    set: { 'X-Service-ID': '1234' },
    options: { accountPrefix: '' }
  }),
  vector('account-check-failed', unavailable('account-check-failed'), {
    source: 'RFC 9110 section 15.6.4: 503 for what cannot be decided now',
    note: 'A function that fails has not said no: the sender is asked to try again.',
    accountsError: true
  }),
  vector('account-malformed-is-not-asked-about', rejected('account-malformed'), {
    note: 'The function that would fail is not called.',
    set: { 'X-Service-ID': '1234' },
    accountsError: true
  })
]
