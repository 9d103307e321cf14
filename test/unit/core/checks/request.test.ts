import { expect, test } from 'vitest'
import { checkRequest } from '../../../../src/core/checks/request.ts'

const GOOD = { method: 'POST', target: '/hook', headers: [['Host', 'a.example']] as const, body: null, https: true }

test.each([
  ['method', { method: 'PO ST' }],
  ['target', { target: '/a\r\nX: 1' }],
  ['target', { target: '' }],
  ['header-name', { headers: [['Ho st', 'a']] as const }],
  ['header-value', { headers: [['Host', 'a\nb']] as const }],
  ['header-count', { headers: Array.from({ length: 501 }, () => ['X', ''] as const) }]
])('names the part that is malformed: %s', (part, change) => {
  expect(checkRequest(GOOD)).toMatchObject({ ok: true })
  expect(checkRequest({ ...GOOD, ...change })).toMatchObject({ code: 'request-malformed', evidence: { part } })
})
