import { expect, test } from 'vitest'
import { buildSigningString } from '../../../../../src/index.ts'

const headers = { host: 'a.example' }
const covered = ['(request-target)', 'host']

test('rejects a method that is not a token: it could pose as a part of the target', () => {
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

const missing = (parameter: string) => ({ code: 'signature-parameter-missing', evidence: { parameter } })
const absent = (name: string) => ({ code: 'coverage-absent', evidence: { absent: [name] } })

test.each([
  [['(created)', '(expires)', 'x-absent'], {}, absent('x-absent')],
  [['(expires)', '(created)'], {}, missing('created')],
  [['(expires)', '(created)'], { created: 0 }, missing('expires')],
  [['(expires)', '(created)'], { created: 0, expires: 1 }, { ok: true, value: '(expires): 1\n(created): 0' }],
  // No other special name is a time.
  [['(other)'], { created: 1, expires: 2 }, absent('(other)')]
])('reports an absent header before an absent time: %j with %j', (names, times, expected) => {
  expect(buildSigningString({ method: 'POST', target: '/', headers }, names, times)).toMatchObject(expected)
})

test('rejects a line break, whatever is covered', () => {
  const build = (change: object) => buildSigningString({ method: 'GET', target: '/', headers, ...change }, ['host'])
  const malformed = (evidence: object) => ({ code: 'request-malformed', evidence })
  expect(build({})).toEqual({ ok: true, value: 'host: a.example' })
  expect(build({ target: '/\n' })).toMatchObject(malformed({ part: 'target' }))
  expect(build({ headers: { host: 'a', x: '\r' } })).toMatchObject(malformed({ part: 'header-value', name: 'x' }))
  expect(build({ headers: { 'x y': '' } })).toMatchObject(malformed({ part: 'header-name', name: 'x y' }))
})
