import { expect, test } from 'vitest'
import { createVerifier, type Verdict } from '../../../src/index.ts'
import { CHECK_NAMES } from '../../../src/result/codes.ts'
import { loadVectors } from '../../support/vectors.ts'

const vectors = new Map(loadVectors().map(vector => [vector.name, vector]))

/** How each check ended, by the first letters: p(ass), f(ail), u(navailable), n(ot-run). */
const outcomes = ({ checks }: Verdict): string => CHECK_NAMES.map(name => checks[name].outcome[0]).join('')

function reasons({ checks }: Verdict): string[] {
  const because = CHECK_NAMES.map(name => checks[name]).flatMap(check => ('reason' in check ? [check.reason] : []))
  return [...new Set(because)]
}

const HEAD = 'a check of the head did not pass'
const NO_TIME = 'the signature covers a time that it does not give'

test.each([
  ['verified-as-in-the-specification', 'pppppppppppn', ['there is no replay store']],
  ['replay-first-time', 'pppppppppppp', []],
  ['request-method-empty', 'fnnnnnnnnnnn', ['the request is malformed']],
  ['https-missing', 'pfppppppnnnn', [HEAD]],
  ['date-too-old', 'ppfpppppnnnn', [HEAD]],
  ['host-empty', 'pppfppppnnnn', [HEAD]],
  ['account-of-another-customer', 'ppppfpppnnnn', [HEAD]],
  ['account-check-failed', 'ppppupppppnn', ['the account was not accepted']],
  ['signature-algorithm-hmac', 'pppppfppnnnn', [HEAD]],
  ['signature-empty', 'pppppfnnnnnn', ['there is no Signature header that can be parsed', HEAD]],
  ['signature-created-covered-without-parameter', 'pppppfnpnnnn', [NO_TIME, HEAD]],
  ['coverage-repeated', 'ppppppfpnnnn', [HEAD]],
  ['key-name-parent', 'pppppppfnnnn', [HEAD]],
  ['digest-empty', 'ppppppppnnfn', [HEAD]],
  ['key-revoked', 'ppppppppfnnn', ['no usable key']],
  ['dns-timeout', 'ppppppppunnn', ['no usable key']],
  ['signature-all-zero', 'pppppppppfnn', ['the signature did not verify']],
  ['digest-mismatch', 'ppppppppppfn', ['the body was not accepted']],
  ['body-unreadable', 'ppppppppppun', ['the body was not accepted']],
  ['replayed', 'pppppppppppf', []],
  ['replay-store-failed', 'pppppppppppu', []]
])('%s: %s', async (name, expected, because) => {
  const { options, request } = vectors.get(name)!
  const verdict = await createVerifier(options)(request)
  expect(Object.keys(verdict.checks)).toEqual(CHECK_NAMES)
  expect(outcomes(verdict)).toBe(expected)
  expect(reasons(verdict)).toEqual(because)
})
