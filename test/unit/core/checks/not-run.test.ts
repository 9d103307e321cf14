import { expect, test } from 'vitest'
import { CHECK_NAMES, type CheckName } from '../../../../src/core/result/codes.ts'
import { type CheckResult, createVerifier, type Verdict } from '../../../../src/index.ts'
import { loadVectors } from '../../../support/vectors.ts'

type Outcome = CheckResult['outcome']

const vectors = new Map(loadVectors().map(vector => [vector.name, vector]))

/** Returns the checks that did not pass, with their outcome. */
const notPassed = ({ checks }: Verdict): Partial<Record<CheckName, Outcome>> =>
  Object.fromEntries(
    CHECK_NAMES.map(name => [name, checks[name].outcome] as const).filter(([, outcome]) => outcome !== 'pass')
  )

function reasons({ checks }: Verdict): string[] {
  const because = CHECK_NAMES.map(name => checks[name]).flatMap(check => ('reason' in check ? [check.reason] : []))
  return [...new Set(because)]
}

const HEAD = 'a check of the head did not pass'
const NO_TIME = 'the signature covers a time that it does not give'

const AFTER_KEY = { signature: 'not-run', digest: 'not-run', replay: 'not-run' } as const
const AFTER_HEAD = { key: 'not-run', ...AFTER_KEY } as const
const NONE_RUN = Object.fromEntries(CHECK_NAMES.map(name => [name, 'not-run']))

test.each<[vector: string, notPassed: Partial<Record<CheckName, Outcome>>, because: string[]]>([
  ['verified-as-in-the-specification', { replay: 'not-run' }, ['there is no replay store']],
  ['replay-first-time', {}, []],
  ['request-method-empty', { ...NONE_RUN, request: 'fail' }, ['the request is malformed']],
  ['https-missing', { ...AFTER_HEAD, https: 'fail' }, [HEAD]],
  ['date-too-old', { ...AFTER_HEAD, date: 'fail' }, [HEAD]],
  ['host-empty', { ...AFTER_HEAD, host: 'fail' }, [HEAD]],
  ['account-of-another-customer', { ...AFTER_HEAD, account: 'fail' }, [HEAD]],
  [
    'account-check-failed',
    { account: 'unavailable', digest: 'not-run', replay: 'not-run' },
    ['the account was not accepted']
  ],
  ['signature-algorithm-hmac', { ...AFTER_HEAD, 'signature-header': 'fail' }, [HEAD]],
  [
    'signature-empty',
    { ...AFTER_HEAD, 'signature-header': 'fail', coverage: 'not-run', 'key-name': 'not-run' },
    ['there is no Signature header that can be parsed', HEAD]
  ],
  [
    'signature-created-covered-without-parameter',
    { ...AFTER_HEAD, 'signature-header': 'fail', coverage: 'not-run' },
    [NO_TIME, HEAD]
  ],
  ['coverage-repeated', { ...AFTER_HEAD, coverage: 'fail' }, [HEAD]],
  ['key-name-parent', { ...AFTER_HEAD, 'key-name': 'fail' }, [HEAD]],
  ['digest-empty', { ...AFTER_HEAD, digest: 'fail' }, [HEAD]],
  ['key-revoked', { ...AFTER_KEY, key: 'fail' }, ['no usable key']],
  ['dns-timeout', { ...AFTER_KEY, key: 'unavailable' }, ['no usable key']],
  ['signature-all-zero', { signature: 'fail', digest: 'not-run', replay: 'not-run' }, ['the signature did not verify']],
  ['digest-mismatch', { digest: 'fail', replay: 'not-run' }, ['the body was not accepted']],
  ['body-unreadable', { digest: 'unavailable', replay: 'not-run' }, ['the body was not accepted']],
  ['replayed', { replay: 'fail' }, []],
  ['replay-store-failed', { replay: 'unavailable' }, []]
])('%s: every check passes but %o', async (name, expected, because) => {
  const { options, request } = vectors.get(name)!
  const verdict = await createVerifier(options)(request)
  expect(Object.keys(verdict.checks)).toEqual(CHECK_NAMES)
  expect(notPassed(verdict)).toEqual(expected)
  expect(reasons(verdict)).toEqual(because)
})
