import { expect, test } from 'vitest'
import { buildSigningString } from '../src/index.ts'

const headers = { host: 'a.example' }
const covered = ['(request-target)', 'host']

test('a method that is no token has no signing string: it could pose as a part of the target', () => {
  const honest = buildSigningString({ method: 'POST', target: '/a /b', headers }, covered)
  expect(honest).toEqual({ ok: true, value: '(request-target): post /a /b\nhost: a.example' })

  for (const method of ['POST /a', 'LIN\u212a', '', 'POST\n']) {
    expect(buildSigningString({ method, target: '/b', headers }, covered)).toMatchObject({
      ok: false,
      code: 'request-malformed',
      evidence: { part: 'method' }
    })
  }
})
