import type { VectorVerdict } from '../vector-form.ts'

/** Every code of the contract, by check, in the order in which checks are reported. */
export const CODES = {
  request: ['request-malformed'],
  https: ['not-https'],
  date: ['date-missing', 'date-repeated', 'date-malformed', 'date-too-old', 'date-in-future'],
  host: ['host-missing', 'host-repeated', 'host-mismatch'],
  account: ['account-missing', 'account-repeated', 'account-malformed', 'account-mismatch', 'account-check-failed'],
  'signature-header': [
    'signature-missing',
    'signature-repeated',
    'signature-malformed',
    'signature-parameter-missing',
    'signature-parameter-repeated',
    'signature-algorithm-not-allowed',
    'signature-not-base64',
    'signature-created-out-of-range',
    'signature-expired',
    'signature-times-not-allowed'
  ],
  coverage: ['coverage-insufficient', 'coverage-repeated', 'coverage-absent'],
  'key-name': ['key-name-malformed', 'key-name-outside-domain'],
  key: [
    'key-not-found',
    'key-malformed',
    'key-version-unsupported',
    'key-type-mismatch',
    'key-hash-not-allowed',
    'key-service-mismatch',
    'key-test-only',
    'key-revoked',
    'key-unreadable',
    'key-too-short',
    'key-too-long',
    'key-weak',
    'key-lookup-failed',
    'key-lookup-timeout'
  ],
  signature: ['signature-mismatch'],
  digest: [
    'digest-missing',
    'digest-malformed',
    'digest-unsupported',
    'digest-mismatch',
    'body-too-large',
    'body-unreadable'
  ],
  replay: ['replayed', 'replay-store-failed']
} as const

export type Check = keyof typeof CODES
export type Code = (typeof CODES)[Check][number]

const checkOf = (code: Code): Check =>
  (Object.keys(CODES) as Check[]).find(check => (CODES[check] as readonly Code[]).includes(code))!

const failures = (codes: readonly Code[]) => codes.map(code => ({ check: checkOf(code), code }))

export const VERIFIED: VectorVerdict = { status: 'verified' }
export const rejected = (...codes: Code[]): VectorVerdict => ({
  status: 'rejected',
  failures: failures(codes)
})
export const unavailable = (...codes: Code[]): VectorVerdict => ({
  status: 'unavailable',
  failures: failures(codes)
})
