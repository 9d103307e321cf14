import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { explain } from '../../../src/index.ts'
import { createRecent, cutDown, type KeptExchange } from '../../src/admin/recent.ts'
import type { Exchange } from '../../src/exchange.ts'
import { service } from '../support/admin.ts'
import { exchangeOf } from '../support/exchanges.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const withBody = (body: Uint8Array) => exchangeOf(service.sign({ target: '/hook', body }), service.options)

function keep(exchange: Exchange, redact = false): KeptExchange {
  const recent = createRecent()
  recent.keep(cutDown(exchange, redact))
  return recent.get(1)!
}

test('keeps the last 200, numbered from 1', async () => {
  const recent = createRecent()
  const one = await withBody(Buffer.from('{}'))
  for (let i = 0; i < 250; i++) recent.keep(cutDown(one, false))
  expect(recent.after(0).map(({ number }) => number)).toEqual(Array.from({ length: 200 }, (_, i) => i + 51))
  expect(recent.after(249).map(({ number }) => number)).toEqual([250])
  expect(recent.after(1e9)).toEqual([])
  expect(recent.get(50)).toBeUndefined()
  expect(recent.get(51)?.number).toBe(51)
})

describe('a body', () => {
  test('is kept whole up to 64 KiB', async () => {
    for (const size of [0, 1, 65_536]) {
      const kept = keep(await withBody(Buffer.alloc(size, 'x')))
      expect([kept.body?.length, kept.bodyLength, kept.isBodyWhole]).toEqual([size, size, true])
    }
  })

  test('above that is kept only for its preview', async () => {
    const kept = keep(await withBody(Buffer.alloc(65_537, 'x')))
    expect([kept.body?.length, kept.bodyLength, kept.isBodyWhole]).toEqual([4096, 65_537, false])
  })

  test('is a copy: a change of the original bytes changes nothing', async () => {
    const exchange = await withBody(Buffer.from('{"id":1}'))
    const kept = keep(exchange)
    if (exchange.verdict.status === 'verified') exchange.verdict.body.fill(0)
    expect(Buffer.from(kept.body!).toString()).toBe('{"id":1}')
    expect(kept.body?.buffer.byteLength).toBe(8)
  })

  test('is nowhere else in what is kept', async () => {
    const kept = keep(await withBody(Buffer.alloc(100_000, 'x')))
    const { verdict } = kept
    expect(verdict.status === 'verified' && verdict.body.buffer.byteLength).toBe(4096)
  })

  test('is not kept at all with redact', async () => {
    const kept = keep(await withBody(Buffer.from('{"secret":1}')), true)
    expect(kept.body).toBeUndefined()
    expect(kept.verdict.status === 'verified' && kept.verdict.body.length).toBe(0)
    expect(kept.bodyLength).toBe(12)
  })
})

test('keeps only the text of a resolver error, and still explains it', async () => {
  const socket = { secret: 'postgres://user:password@db' }
  const error = Object.assign(new Error('queryTxt ESERVFAIL'), { code: 'ESERVFAIL', socket })
  const lookupTxt = () => Promise.reject(error)
  const exchange = await exchangeOf(service.sign(), { ...service.options, lookupTxt })
  const kept = keep(exchange)
  const [failure] = kept.verdict.failures
  expect(failure).toMatchObject({ code: 'key-lookup-failed' })
  expect(failure?.cause).not.toBe(error)
  expect(Object.keys(failure?.cause as object)).toEqual(['name', 'message', 'stack'])
  expect(Object.hasOwn(kept.verdict.checks.key, 'cause')).toBe(false)
  expect(explain(kept.verdict)).toContain('thrown: Error: queryTxt ESERVFAIL')
})

test('an error that cannot be read is dropped', async () => {
  const hostile = new Proxy(new Error('x'), {
    get: (_, name) => {
      if (name === 'stack') throw new Error('no')
      return undefined
    }
  })
  const lookupTxt = () => Promise.reject(hostile)
  const kept = keep(await exchangeOf(service.sign(), { ...service.options, lookupTxt }))
  expect(kept.verdict.failures[0]).toMatchObject({ code: 'key-lookup-failed' })
})

test('memory is bounded: 2,000 requests with bodies of 1 MB, and 2,000 with the largest that are kept', async () => {
  const recent = createRecent()
  const large = await withBody(Buffer.alloc(1_000_000, 'x'))
  const largest = await withBody(Buffer.alloc(65_536, 'x'))
  const { verdict } = large
  if (verdict.status !== 'verified') throw new Error('not verified')
  // Buffers are freed after a collection, on another thread.
  const used = async () => {
    for (let i = 0; i < 5; i++) {
      collectGarbage()
      await new Promise(setImmediate)
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = await used()
  for (let i = 0; i < 2000; i++) {
    recent.keep(cutDown({ ...large, verdict: { ...verdict, body: new Uint8Array(1_000_000) } }, false))
  }
  // Unbounded, it would be 200 MB.
  expect((await used()) - before).toBeLessThan(20e6)
  for (let i = 0; i < 2000; i++) recent.keep(cutDown({ ...largest }, false))
  expect((await used()) - before).toBeLessThan(200 * 65_536 + 20e6)
})
