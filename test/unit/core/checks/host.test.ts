import { expect, test } from 'vitest'
import { service } from '../../../support/service.ts'
import { failuresOf, verifyWith } from '../../../support/verdicts.ts'

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

test('takes a host in any case, whatever the case in which it is configured', async () => {
  for (const hosts of ['Hooks.Receiver.Example', 'hooks.receiver.example'])
    for (const host of ['hooks.receiver.example', 'Hooks.Receiver.Example', 'HOOKS.receiver.example:443'])
      expect(failuresOf(await verifyWith({ hosts }, service.sign({ host })))).toEqual([])
})

test('refuses a configured host whose lower case alone is ASCII, such as one with a Kelvin sign', async () => {
  await expect(async () => verifyWith({ hosts: '\u212a.example' })).rejects.toThrow('write each host name by itself')
})

test('reports ten of many configured hosts, those of the same name first, and their number', async () => {
  const hosts = Array.from({ length: 10_000 }, (_, i) => `h${i}.receiver.example`)
  const evidenceOf = async (host: string, more: string[] = []) =>
    (await verifyWith({ hosts: [...hosts, ...more] }, service.sign({ host }))).failures[0]?.evidence
  expect(await evidenceOf('other.example')).toMatchObject({ expected: hosts.slice(0, 10), expectedCount: 10_000 })
  const near = await evidenceOf('A.receiver.example', ['a.receiver.example:8443'])
  expect(near).toMatchObject({ expected: ['a.receiver.example:8443', ...hosts.slice(0, 9)], expectedCount: 10_001 })
  expect(failuresOf(await verifyWith({ hosts }, service.sign({ host: 'H9999.receiver.example:443' })))).toEqual([])
})
