import { describe, expect, test } from 'vitest'
import { service, withHeaders } from '../../test/support/service.ts'
import { createRequestLog } from '../src/request-log.ts'
import { exchangeOf } from './support/exchanges.ts'

const signed = service.sign({ method: 'POST', target: '/hook' })
const otherPath = await exchangeOf({ ...signed, target: '/other' })
const scanner = await exchangeOf({ method: 'GET', target: '/.env', headers: [['Host', 'a']], body: null, https: true })
const otherHost = await exchangeOf(service.sign({ target: '/', host: 'elsewhere.example' }))

/** Makes a log with a clock of its own, in seconds. */
function start(form: 'json' | 'text') {
  const lines: string[] = []
  let seconds = 0
  const log = createRequestLog(
    form,
    line => lines.push(line),
    () => seconds * 1000
  )
  return { log, lines, at: (next: number) => (seconds = next), bytes: () => lines.join('\n').length + 1 }
}

describe.each(['json', 'text'] as const)('the log of refusals as %s', form => {
  test.each([
    ['a scanner', scanner],
    ['a forger', otherPath],
    ['the service, whose host is not configured', otherHost],
    ['the service, over another text', { ...otherPath, madeByKey: true }],
    ['malformed bytes', { receivedAt: 0, status: 400, upstream: 'malformed', reason: 'target' } as const]
  ])('10,000 requests a second of %s are at most 20 KB, and the next line counts the others', (_, exchange) => {
    const { log, lines, at, bytes } = start(form)
    for (let i = 0; i < 10_000; i++) log(exchange)
    expect(bytes()).toBeLessThan(20_000)
    expect(lines.length).toBeGreaterThan(3)
    const left = 10_000 - lines.length
    at(1)
    log(exchange)
    expect(lines.at(-1)).toMatch(form === 'json' ? `"leftOut":${left}}` : `(${left} more were left out)`)
    log(exchange)
    expect(lines.at(-1)).not.toMatch(/leftOut|left out/)
  })

  test('all kinds together are at most 20 KB a second', () => {
    const { log, bytes } = start(form)
    const made = { ...otherPath, madeByKey: true }
    for (let i = 0; i < 3000; i++) for (const exchange of [scanner, otherPath, otherHost, made]) log(exchange)
    expect(bytes()).toBeLessThan(20_000)
  })

  test('a flood of strangers leaves room for what the published key signed, and for what is verified', async () => {
    const { log, lines } = start(form)
    for (let i = 0; i < 1000; i++) for (const exchange of [scanner, otherPath, otherHost]) log(exchange)
    const before = lines.length
    log({ ...otherPath, madeByKey: true })
    log(await exchangeOf(signed))
    expect(lines.length).toBe(before + 2)
  })
})

test('JSON says whether the published key made a signature that does not verify', () => {
  const { log, lines } = start('json')
  for (const madeByKey of [true, false, undefined]) log({ ...otherPath, madeByKey })
  expect(lines.map(line => JSON.parse(line).madeByKey)).toEqual([true, false, undefined])
})

test('JSON names the cause of what is signed under the domain, a code once a minute', () => {
  const { log, lines, at } = start('json')
  const made = { ...otherPath, madeByKey: true }
  for (const seconds of [0, 0, 59, 60]) {
    at(seconds)
    log(made)
    log(scanner)
  }
  const causes = lines
    .map(line => JSON.parse(line))
    .filter(({ cause, fix }) => cause !== undefined && fix !== undefined)
  expect(causes).toHaveLength(2)
  expect(causes[0]).toMatchObject({
    code: 'signature-mismatch',
    cause: expect.stringContaining('the published key made')
  })
})

describe('text', () => {
  const explained = (lines: readonly string[]) => lines.filter(line => line.includes('\nrejected: ')).length

  test('explains what is signed under the domain, and nothing else', async () => {
    const { log, lines } = start('text')
    const keyId = `keyId="one._domainkey.other.example"`
    const elsewhere = withHeaders(signed, { Signature: value => value.replace(/keyId="[^"]*"/, keyId) })
    for (const exchange of [scanner, await exchangeOf(elsewhere)]) log(exchange)
    expect(explained(lines)).toBe(0)
    log(otherPath)
    expect(explained(lines)).toBe(1)
  })

  test('explains a code once a minute, with the number of those in between', () => {
    const { log, lines, at } = start('text')
    for (let second = 0; second <= 60; second++) {
      at(second)
      log(otherPath)
    }
    expect([lines.length, explained(lines)]).toEqual([61, 2])
    expect(lines.at(-1)).toContain('59 more since the last explanation')
  })
})

test('what authorize refuses is not logged as verified', async () => {
  const refused = {
    ...(await exchangeOf(signed)),
    status: 401,
    refusal: 'header-repeated',
    upstream: 'not-asked'
  } as const
  const { log, lines } = start('json')
  log(refused)
  expect(JSON.parse(lines[0]!)).toMatchObject({ status: 'rejected', code: 'header-repeated', httpStatus: 401 })
  const text = start('text')
  text.log(refused)
  expect(text.lines[0]).toMatch(/ 401 rejected header-repeated not-asked/)
})
