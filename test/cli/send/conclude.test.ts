import { expect, test } from 'vitest'
import type { Response } from '../../../cli/exchange.ts'
import { type Attempt, conclude } from '../../../cli/send/conclude.ts'
import { tamper } from '../../../cli/send/tamper.ts'
import { service } from '../../support/service.ts'

const response = (status: number, headers: Response['headers'] = {}): Response => ({
  method: 'POST',
  url: new URL('http://receiver.example/hook'),
  path: '/hook',
  status,
  statusText: '',
  headers,
  body: Buffer.alloc(0)
})

const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  isForgery: false,
  keyId: 'one._domainkey.service.example',
  dns: { address: '127.0.0.1:5353', isAsked: true },
  started: undefined,
  dateTolerance: 300,
  urlHost: undefined,
  ...changes
})
const NOT_ASKED = { address: '127.0.0.1:5353', isAsked: false }
const NOT_OURS = /^This is not a refusal of signed-requests: /

test('413 is of the receiver when it has asked for the key, and of something in front when it has not', () => {
  const page = response(413, { 'content-type': 'text/html' })
  expect(conclude([page], attempt())).toEqual([1, expect.stringMatching(/^The receiver did get the key /)])
  expect(conclude([response(413)], attempt())).toEqual([1, expect.stringMatching(/^The receiver did get the key /)])
  expect(conclude([response(413)], attempt({ dns: NOT_ASKED }))).toEqual([1, expect.stringMatching(NOT_OURS)])
})

test.each([
  [59, undefined],
  [61, 'behind']
])('a refusal whose Date is %i s from this clock is its clock from a --date-tolerance of 60 on', (seconds, way) => {
  const date = new Date(Date.now() + seconds * 1000 + 500).toUTCString()
  const refused = response(401, { date, 'www-authenticate': 'Signature' })
  const [exit, first] = conclude([refused], attempt({ dns: NOT_ASKED, dateTolerance: 60 }))
  expect([exit, first?.includes(`${way} the receiver's`)]).toEqual([1, way !== undefined])
})

test('the forged Date is ten seconds earlier than the one that was signed', () => {
  const signed = service.sign()
  const dateOf = ({ headers }: typeof signed) => Date.parse(new Map(headers).get('Date')!)
  expect(dateOf(tamper('date', signed, 'X-Service-ID').forged) - dateOf(signed)).toBe(-10_000)
})
