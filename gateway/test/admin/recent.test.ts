import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { service } from '../../../test/support/service.ts'
import { createEventStreams, createRecent } from '../../src/admin/recent.ts'
import { exchangeOf } from '../support/exchanges.ts'

/** Opens a page, and collects what it gets. */
function openPage() {
  const recent = createRecent(false, service.options)
  const got: string[] = []
  const res = Object.assign(new EventEmitter(), {
    writableNeedDrain: false,
    writeHead: () => {},
    write: (text: string) => void got.push(text)
  })
  createEventStreams(
    recent,
    () => ({}),
    () => ({})
  )({ method: 'GET' } as IncomingMessage, res as unknown as ServerResponse)
  return { recent, res, taken: () => got.splice(0) }
}

test('a page gets new requests within 100 ms, one empty line each 5 seconds, and nothing once it is closed', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const exchange = await exchangeOf(service.sign())
  const { recent, res, taken } = openPage()
  expect(taken()).toEqual([expect.stringContaining('event: setup'), expect.stringContaining('event: requests')])
  vi.advanceTimersByTime(4999)
  expect(taken()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(taken()).toEqual([':\n\n'])
  recent.keep(exchange)
  vi.advanceTimersByTime(100)
  expect(taken()).toEqual([expect.stringContaining('"outcome":"verified"')])
  res.emit('close')
  recent.keep(exchange)
  expect(vi.getTimerCount()).toBe(0)
})

test('a page that does not read gets nothing, and all that is kept when it reads on', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const exchange = await exchangeOf(service.sign())
  const { recent, res, taken } = openPage()
  taken()
  res.writableNeedDrain = true
  for (const target of ['/a', '/b']) recent.keep({ ...exchange, target })
  vi.advanceTimersByTime(10_000)
  expect(taken()).toEqual([])
  res.writableNeedDrain = false
  vi.advanceTimersByTime(100)
  expect(taken()).toEqual([expect.stringMatching(/"target":"\/a".*"target":"\/b"/)])
})
