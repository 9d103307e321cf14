import { createServer, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createVerifier, fetchHandler, lambdaHandler, nodeHandler } from '../../../src/index.ts'
import { createReport } from '../../../src/platforms/report.ts'
import { listenInTest } from '../../support/node-server.ts'
import { service } from '../../support/service.ts'
import { exchangeBytes } from '../../support/wire.ts'

let calls: unknown[][]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  calls = vi.spyOn(console, 'error').mockReturnValue().mock.calls
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('an error is printed at once, and its text once a second, with the number of those left out', () => {
  const report = createReport()
  for (let i = 0; i < 10; i++) report(new Error('of a hook'))
  vi.advanceTimersByTime(999)
  report(new Error('of a hook'))
  expect(calls).toEqual([[new Error('of a hook')]])
  vi.advanceTimersByTime(1)
  report(new Error('of a hook'))
  expect(calls.slice(1)).toEqual([[new Error('of a hook'), '(and 10 more like it)']])
  vi.advanceTimersByTime(1000)
  report(new Error('of a hook'))
  expect(calls.slice(2)).toEqual([[new Error('of a hook')]])
})

test('another text is printed at once', () => {
  const report = createReport()
  for (const name of ['a', 'b', 'a', 'b']) report(new Error(name))
  expect(calls).toEqual([[new Error('a')], [new Error('b')]])
})

test('texts that all differ are a hundred a second at most', () => {
  const report = createReport()
  for (let i = 0; i < 10_000; i++) report(new Error(`of request ${i}`))
  expect(calls).toHaveLength(100)
  vi.advanceTimersByTime(1000)
  for (let i = 0; i < 10_000; i++) report(new Error(`of request ${i + 10_000}`))
  expect(calls).toHaveLength(200)
})

test('what cannot be made a text is printed too', () => {
  createReport()(Object.create(null))
  expect(calls).toHaveLength(1)
})

const verify = createVerifier(service.options)
const options = { onRefused: vi.fn().mockThrow(new Error('of onRefused')) }
const event = { httpMethod: 'GET', path: '/', requestContext: {}, headers: {} }
const overFetch = fetchHandler(verify, () => {}, options)
const overLambda = lambdaHandler(verify, () => {}, options)

test.each<[string, () => Promise<unknown>]>([
  ['fetchHandler', () => overFetch(new Request('https://receiver.example/'))],
  ['lambdaHandler', () => overLambda(event, {})]
])('%s prints what onRefused throws for many requests once', async (_, call) => {
  for (let i = 0; i < 3; i++) await call()
  expect(calls).toEqual([[new Error('of onRefused')]])
})

test('nodeHandler prints what is thrown for many requests once', async () => {
  const body = (req: IncomingMessage) => (req.url === '/parsed' ? ([] as never) : '')
  const receive = nodeHandler(verify, () => {}, { ...options, body })
  const port = await listenInTest(createServer(receive))
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  const last = request('/').replace('Host', 'Connection: close\r\nHost')
  await exchangeBytes(port, Buffer.from(request('/').repeat(3) + last))
  for (let i = 0; i < 3; i++) await exchangeBytes(port, Buffer.from(request('/parsed')))
  expect(calls).toEqual([[new Error('of onRefused')], [expect.any(TypeError)]])
})
