import { fail, ok, type Result } from '../../../../src/core/result/result.ts'
import { allPassed, NO_STORE } from '../../../../src/core/verdict/refuse.ts'

// This file is never run: the compiler is the test.

const others = {
  request: ok(1),
  https: ok(true),
  date: ok(1),
  host: ok(1),
  account: ok('1234'),
  'signature-header': ok(1),
  coverage: ok(1),
  'key-name': ok(1),
  key: ok(1),
  signature: ok(1)
} as const

export const verified = allPassed({ ...others, digest: ok(true), replay: NO_STORE })

// @ts-expect-error a check that was not run: digest
export const notRun = allPassed({ ...others, replay: NO_STORE })

declare const digest: Result<true>
// @ts-expect-error a check whose result was not used
export const notAsked = allPassed({ ...others, digest, replay: NO_STORE })

// @ts-expect-error a check that failed
export const failed = allPassed({ ...others, digest: fail('body-too-large', { limit: 1 }), replay: NO_STORE })

// @ts-expect-error a check that had nothing to check; only replay may
export const nothing = allPassed({ ...others, digest: NO_STORE, replay: NO_STORE })

// @ts-expect-error an undeclared check
export const undeclared = allPassed({ ...others, digest: ok(true), replay: NO_STORE, weather: ok(true) })
