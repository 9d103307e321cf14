import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { dnsTxtLookup } from '../../src/index.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'

// One record each, as Bun makes of the strings of one.
const full = 'x'.repeat(255)
const records = {
  'long.example': [[full], ['the rest']],
  'longer.example': [[full], [full], ['the rest']],
  'two.example': [['one'], ['two']],
  'both.example': [['one'], [full], ['the rest'], ['two']],
  'proper.example': [[full, 'the rest'], ['two']]
}

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer(records)
})
afterAll(() => dns.close())
afterEach(() => vi.unstubAllGlobals())

const lookUp = (name: string) =>
  dnsTxtLookup({ servers: [dns.address] })(name, { signal: new AbortController().signal })

describe('on Bun, which takes the strings of a record apart', () => {
  test.each([
    ['long.example', [[full, 'the rest']]],
    ['longer.example', [[full, full, 'the rest']]],
    ['two.example', [['one'], ['two']]],
    ['both.example', [['one'], [full, 'the rest'], ['two']]],
    ['proper.example', [[full, 'the rest'], ['two']]]
  ])('%s', async (name, expected) => {
    vi.stubGlobal('Bun', {})
    expect(await lookUp(name)).toEqual(expected)
  })
})

test('elsewhere records are left as they are', async () => {
  expect(await lookUp('long.example')).toHaveLength(2)
})
