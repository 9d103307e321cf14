import { expect, it } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { logText } from '../src/log.ts'
import { sharedService } from './start.ts'

const service = sharedService()
const verify = createVerifier(service.options)
const signed = service.sign({ target: '/' })

const of = async (request: typeof signed, form: 'json' | 'text') =>
  logText(
    {
      receivedAt: 0,
      duration: 1.6,
      method: 'POST',
      target: '/secret',
      headers: [['Secret', 'secret']],
      https: true,
      verdict: await verify(request),
      status: 401,
      upstream: 'not-asked'
    },
    form
  )

const forged = { ...signed, headers: [...signed.headers, ['Date', 'secret\u001b[31m']] as const }

it('JSON has only codes of an unverified request', async () => {
  expect(await of(forged as never, 'json')).toBe(
    '{"time":"1970-01-01T00:00:00.000Z","status":"rejected","codes":["date-repeated"],"httpStatus":401,' +
      '"upstream":"not-asked","ms":2}'
  )
})

it('text explains a refusal in printable ASCII, and a verified request is one line', async () => {
  const text = await of(forged as never, 'text')
  expect(text).toMatch(
    /^1970-01-01T00:00:00\.000Z 401 rejected date-repeated not-asked 2 ms\nrejected: date\n/
  )
  expect(text).toMatch(/^[ -~\n]*$/)
  expect(await of(signed, 'text')).toBe('1970-01-01T00:00:00.000Z 401 verified not-asked 2 ms')
})
