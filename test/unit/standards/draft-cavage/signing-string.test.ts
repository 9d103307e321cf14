import { expect, test } from 'vitest'
import { buildSigningString } from '../../../../src/index.ts'

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

test('reports an absent header before an absent time', () => {
  const request = { method: 'POST', target: '/', headers }
  const build = (names: string[], times = {}) => buildSigningString(request, names, times)
  expect(build(['(created)', '(expires)', 'x-absent'])).toMatchObject({
    code: 'coverage-absent',
    evidence: { absent: ['x-absent'] }
  })
  expect(build(['(expires)', '(created)'])).toMatchObject({
    code: 'signature-parameter-missing',
    evidence: { parameter: 'created' }
  })
  expect(build(['(expires)', '(created)'], { created: 0 })).toMatchObject({
    code: 'signature-parameter-missing',
    evidence: { parameter: 'expires' }
  })
  expect(build(['(expires)', '(created)'], { created: 0, expires: 1 })).toEqual({
    ok: true,
    value: '(expires): 1\n(created): 0'
  })
})

test('rejects a line break, whatever is covered', () => {
  const build = (change: object) => buildSigningString({ method: 'GET', target: '/', headers, ...change }, ['host'])
  expect(build({})).toEqual({ ok: true, value: 'host: a.example' })
  expect(build({ target: '/\n' })).toMatchObject({ code: 'request-malformed', evidence: { part: 'target' } })
  expect(build({ headers: { host: 'a', x: '\r' } })).toMatchObject({
    code: 'request-malformed',
    evidence: { part: 'header-value', name: 'x' }
  })
  expect(build({ headers: { 'x y': '' } })).toMatchObject({
    code: 'request-malformed',
    evidence: { part: 'header-name', name: 'x y' }
  })
})

test('treats no other special name as a time', () => {
  const request = { method: 'GET', target: '/', headers }
  expect(buildSigningString(request, ['(other)'], { created: 1, expires: 2 })).toMatchObject({
    code: 'coverage-absent',
    evidence: { absent: ['(other)'] }
  })
})
