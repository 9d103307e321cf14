import { expect, test } from 'vitest'
import { service, verifyWith } from '../../support/checks.ts'
import { failuresOf } from '../../support/verdicts.ts'

test('rejects a non-ASCII character whose lower case is a letter of the host', async () => {
  const hosts = 'kiosk.example'
  expect(failuresOf(await verifyWith({ hosts }, service.sign({ host: 'KIOSK.EXAMPLE' })))).toEqual([])
  expect('\u212aiosk.example'.toLowerCase()).toBe(hosts)
  expect(failuresOf(await verifyWith({ hosts }, service.sign({ host: '\u212aiosk.example' })))).toEqual([
    'host: host-mismatch'
  ])
})

test('treats port 80 as the default only where HTTPS is not required', async () => {
  const request = { ...service.sign({ host: 'receiver.example:80' }), https: false }
  expect(failuresOf(await verifyWith({ requireHttps: false }, request))).toEqual([])
  expect(failuresOf(await verifyWith({}, { ...request, https: true }))).toEqual(['host: host-mismatch'])
})

test('takes each of several hosts, with its default port or without', async () => {
  const hosts = ['www.receiver.example', 'receiver.example']
  for (const host of ['receiver.example:443', 'WWW.receiver.example:443', 'Receiver.example']) {
    expect(failuresOf(await verifyWith({ hosts }, service.sign({ host })))).toEqual([])
  }
})
