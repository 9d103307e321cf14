import { createServer, type ServerResponse } from 'node:http'
import { connect, createServer as createHttp2Server, type Http2ServerResponse } from 'node:http2'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fromNodeRequest, nodeHandler, sendRefusal } from '../../../../src/index.ts'
import {
  app,
  beforeHead,
  CHANGES,
  DATE,
  FAILED,
  lines,
  note,
  now,
  rejections,
  service,
  setHeaders,
  settled,
  sorted,
  talk,
  testForeignHeaders,
  verify,
  wire
} from '../../../support/foreign-headers.ts'
import { http2Fields, listenInTest } from '../../../support/node-server.ts'
import { CHALLENGE } from '../../../support/service.ts'

testForeignHeaders('node:http', () => createServer(app))
testForeignHeaders(
  'sendRefusal()',
  () =>
    createServer(async (req, res) => {
      now.change(res)
      await note(verify(fromNodeRequest(req)).then(verdict => sendRefusal(res, verdict as never)))
    }),
  [false]
)

describe('after the head was sent by the handler', () => {
  test.each([
    ['a part', (res: ServerResponse) => void res.writeHead(200, { 'Content-Length': 9 }).write('1234')],
    ['all', (res: ServerResponse) => void res.writeHead(200, { 'Content-Length': 2 }).end('12')],
    ['a Trailer', (res: ServerResponse) => void res.writeHead(200, { Trailer: 'X' }).write('1234')],
    ['nothing more', (res: ServerResponse) => void res.destroy()]
  ])('%s: it has one status line, and ends', async (_, by) => {
    now.change = by
    now.isAfter = true
    const server = createServer((req, res) => {
      res.shouldKeepAlive = false
      return app(req, res)
    })
    const answer = await talk(server, wire(service.sign({ target: '/hook', body: '{}' })))
    expect(answer.match(/HTTP\/1\.1 \d+/g) ?? []).toEqual(by.name === '' && answer === '' ? [] : ['HTTP/1.1 200'])
    expect(settled).toEqual(['resolved'])
    expect(rejections).toEqual([])
  })
})

describe('an answer without content, which the handler leaves to us', () => {
  test.each([
    ['Trailer', 204],
    ['Transfer-Encoding', 204],
    ['Transfer-Encoding and Trailer', 204],
    ['Content-Length', 204],
    ['Content-Length', 202],
    ['Transfer-Encoding', 202]
  ])(
    'an answer without content has no framing but ours, and the handler’s other headers: %s, %i',
    async (name, status) => {
      const receive = nodeHandler(verify, (_, _req, res) => {
        CHANGES[name]!(res)
        res.setHeader('X-Own', '1')
        res.shouldKeepAlive = false
        if (status !== 204) res.statusCode = status
      })
      const answer = await talk(createServer(receive), wire(service.sign({ target: '/hook', body: '{}' })))
      const length = status === 204 ? [] : ['Content-Length: 0']
      const [, ...headers] = sorted(answer)
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(headers).toEqual([...length, 'Connection: close', 'X-Own: 1', DATE].sort())
    }
  )
})

describe('HTTP/2', () => {
  const changes: Readonly<Record<string, (res: Http2ServerResponse) => void>> = {
    headers: res => {
      for (const name of ['trailer', 'content-length', 'content-encoding', 'etag', 'set-cookie', 'upgrade'])
        res.setHeader(name, '5')
    },
    trailers: res => res.addTrailers({ 'x-checksum': '1' }),
    'what is set as the head is written': res => beforeHead(setHeaders({ 'Set-Cookie': 'a=1' }))(res as never)
  }

  test.each(Object.entries(changes).flatMap(([name, by]) => [[name, by, 401] as const, [name, by, 500] as const]))(
    'an answer has only headers of ours: %s (%#)',
    async (_, by, status) => {
      const receive = nodeHandler<never, never>(
        verify,
        (_, _req, res) => {
          by(res)
          throw new Error('ours')
        },
        { onError: () => {} }
      )
      const server = createHttp2Server((req, res) => {
        if (status === 401) by(res)
        note(receive(req as never, res as never))
      })
      const session = connect(`http://127.0.0.1:${await listenInTest(server)}`)
      onTestFinished(() => session.close())
      const stream = session.request(status === 401 ? {} : http2Fields(service.sign({ target: '/hook' })))
      const [head, trailers] = [vi.fn(), vi.fn()]
      stream
        .on('response', head)
        .on('trailers', trailers)
        .on('error', () => {})
      await new Promise(resolve => stream.resume().once('close', resolve))
      const challenge = status === 401 ? { 'www-authenticate': CHALLENGE } : {}
      // The copy omits the symbol that Node.js adds.
      const fields = Object.fromEntries(Object.entries(head.mock.calls[0]?.[0]))
      expect(fields).toEqual({ ':status': status, date: expect.any(String), ...challenge })
      expect(trailers).not.toHaveBeenCalled()
      expect(settled).toEqual(['resolved'])
      expect(rejections).toEqual([])
    }
  )
})

test('a `next` that throws or rejects leaves no promise that rejects', async () => {
  const reported = vi.spyOn(console, 'error').mockReturnValue()
  for (const next of [() => Promise.reject(new Error('of next')), () => Promise.resolve().then(nothing)]) {
    const receive = nodeHandler(verify, nothing, { body: () => ({ parsed: true }) as never })
    const server = createServer((req, res) => void note(receive(req, res, next as never)))
    const answer = await talk(server, Buffer.from('GET /hook HTTP/1.1\r\nHost: a\r\n\r\n'))
    expect(sorted(answer)).toEqual(lines(FAILED))
  }
  expect(settled).toEqual(['resolved', 'resolved'])
  expect(reported.mock.calls).toEqual([[new Error('of next')], [new Error('thrown')]])
  reported.mockRestore()
})

function nothing(): never {
  throw new Error('thrown')
}
