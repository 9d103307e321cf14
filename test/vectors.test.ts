import { expect, test } from 'vitest'
import { createVerifier } from '../src/index.ts'
import { loadVectors } from '../src/testing/index.ts'
import { CHECK_NAMES } from '../src/verdict.ts'

/** The checks that come before any DNS query. */
const LOCAL: readonly string[] = CHECK_NAMES.slice(0, CHECK_NAMES.indexOf('key'))

const vectors = loadVectors().map(vector => [`${vector.file}: ${vector.name}`, vector] as const)

test.each(vectors)('%s', async (_, { options, request, verdict: expected }) => {
  const queries: string[] = []
  const verify = createVerifier({
    ...options,
    lookupTxt: (name, context) => {
      queries.push(name)
      return options.lookupTxt!(name, context)
    }
  })

  const verdict = await verify(request)
  const { status } = verdict
  if (status === 'verified') {
    expect({ status }).toEqual(expected)
    return
  }
  const failures = verdict.failures.map(({ check, code }) => ({ check, code }))
  expect({ status, failures }).toEqual(expected)
  for (const { check, code } of failures) {
    const outcome = status === 'rejected' && code !== 'account-check-failed' ? 'fail' : 'unavailable'
    expect(verdict.checks[check]).toMatchObject({ outcome, code })
  }
  if (failures.some(({ check }) => LOCAL.includes(check))) expect(queries).toEqual([])
})

test('vectors can be run more than once', async () => {
  for (const { options, request, verdict } of loadVectors().filter(({ file }) => file === 'digest')) {
    const verify = createVerifier(options)
    expect((await verify(request)).status).toBe(verdict.status)
    expect((await verify(request)).status).toBe(verdict.status)
  }
})
