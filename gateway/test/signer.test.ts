import { createTestService } from 'signed-requests/testing'
import { expect, test } from 'vitest'
import { service, withHeaders } from '../../test/support/service.ts'
import { createSignatureOpener, signerOf } from '../src/signer.ts'
import { exchangeOf } from './support/exchanges.ts'

const signed = service.sign({ body: '{}' })
const otherPath = { ...signed, target: '/other' }
const forger = createTestService()
const unsigned = { method: 'GET', target: '/', headers: [['Host', 'a']] as [string, string][], body: null, https: true }

test.each([
  ['a verified request', signed, 'key'],
  ['a request with another body', { ...signed, body: Buffer.from('[]') }, 'key'],
  ['a request with another path, which the key signed', otherPath, 'key'],
  ['a signature by a key of a forger', forger.sign({ body: '{}' }), 'no'],
  ['a request to another host', service.sign({ host: 'other.example' }), 'claimed'],
  ['another domain', withHeaders(signed, { Signature: value => value.replace('service.example', 'b.example') }), 'no'],
  ['nothing signed', unsigned, 'no']
])('%s is by %s', async (_, request, expected) => {
  const { verdict } = await exchangeOf(request as typeof signed)
  expect(signerOf(verdict, createSignatureOpener()(verdict))).toBe(expected)
})

test('above so many a second, nothing is opened', async () => {
  const { verdict } = await exchangeOf(otherPath)
  let now = 0
  const open = createSignatureOpener(() => now, 2)
  expect([open(verdict), open(verdict), open(verdict)]).toEqual([true, true, undefined])
  now = 1000
  expect(open(verdict)).toBe(true)
})
