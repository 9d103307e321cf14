import { expect, test } from 'vitest'
import { service } from '../../support/service.ts'
import { failuresOf, verifyWith } from '../../support/verdicts.ts'

test('takes each of several hosts, with its default port or without', async () => {
  const hosts = ['www.receiver.example', 'receiver.example']
  for (const host of ['receiver.example:443', 'WWW.receiver.example:443', 'Receiver.example']) {
    expect(failuresOf(await verifyWith({ hosts }, service.sign({ host })))).toEqual([])
  }
})

test.each([
  ['receiver.example:4430', 'receiver.example0', true],
  ['receiver.example:8001', 'receiver.example01', false]
])('takes no port that begins like a default one: %s for %s', async (host, hosts, requireHttps) => {
  const verdict = await verifyWith({ hosts, requireHttps }, service.sign({ host }))
  expect(failuresOf(verdict)).toEqual(['host: host-mismatch'])
})
