import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createVerifier, nodeHandler, type Verified } from '../../src/index.ts'
import { listen } from './listen.ts'
import { CHALLENGE, service } from './service.ts'
import { exchangeBytes, wire } from './wire.ts'

export { service, wire }

// Middleware and handlers set headers on a response before an answer of ours. Tests read the bytes of a connection: the
// answer has only our headers, the process keeps running, and no promise rejects.

export const verify = createVerifier({ ...service.options, requireHttps: false })

type Change = (res: ServerResponse) => void

export const setHeaders =
  (headers: Record<string, string | string[]>): Change =>
  res => {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  }

/** Sets headers as the package on-headers does, and with it express-session, cookie-session and compression. */
export const beforeHead =
  (change: Change): Change =>
  res => {
    const { writeHead } = res
    res.writeHead = ((...given: [number]) => {
      change(res)
      return writeHead.apply(res, given)
    }) as never
  }

export const CHANGES: Readonly<Record<string, Change>> = {
  Trailer: setHeaders({ Trailer: 'X-Checksum' }),
  'Trailer and trailers': res => {
    res.setHeader('Trailer', 'X-Checksum')
    res.addTrailers({ 'X-Checksum': '1' })
  },
  'Transfer-Encoding': setHeaders({ 'Transfer-Encoding': 'chunked' }),
  'Transfer-Encoding and Trailer': setHeaders({ 'Transfer-Encoding': 'gzip, chunked', Trailer: 'X' }),
  'Content-Length': setHeaders({ 'Content-Length': '100' }),
  'two of Content-Length': setHeaders({ 'Content-Length': ['5', '6'] }),
  'Content-Encoding and Content-Type': setHeaders({ 'Content-Encoding': 'gzip', 'Content-Type': 'text/html' }),
  'ETag, Set-Cookie, Location': setHeaders({ ETag: '"1"', 'Set-Cookie': ['a=1', 'b=2'], Location: '/' }),
  'Connection and Keep-Alive': setHeaders({ Connection: 'keep-alive', 'Keep-Alive': 'timeout=9' }),
  Upgrade: setHeaders({ Connection: 'upgrade', Upgrade: 'websocket' }),
  Date: setHeaders({ Date: 'yesterday' }),
  'WWW-Authenticate and Retry-After': setHeaders({ 'WWW-Authenticate': 'Basic', 'Retry-After': '0' }),
  'a reason that cannot be sent': res => {
    res.statusMessage = 'a\r\nX-Injected: 1'
  },
  'what is set as the head is written': beforeHead(setHeaders({ Trailer: 'X', 'Set-Cookie': 'a=1' })),
  'a method that throws as the head is written': beforeHead(() => {
    throw new Error('of a middleware')
  }),
  'a method that ends with a body': res => {
    const { end } = res
    res.end = (() => end.call(res, 'a body', 'utf8')) as never
  }
}

/** Selects the change of the next response, and whether the handler makes it. */
export const now: { change: Change; isAfter: boolean } = { change: () => {}, isAfter: false }
export const settled: string[] = []
export const rejections: unknown[] = []
const noteRejection = (error: unknown) => rejections.push(error)
export const servers: Server[] = []

beforeEach(() => {
  settled.length = 0
  rejections.length = 0
  process.on('unhandledRejection', noteRejection).on('uncaughtException', noteRejection)
})
afterEach(() => {
  process.off('unhandledRejection', noteRejection).off('uncaughtException', noteRejection)
  for (const server of servers.splice(0)) server.close()
})

function handle(_: Verified, _req: IncomingMessage, res: ServerResponse): void {
  if (now.isAfter) now.change(res)
  throw new Error('ours')
}
const receive = nodeHandler(verify, handle, { onError: () => {} })

export const note = (promise: Promise<unknown>) =>
  promise.then(
    () => settled.push('resolved'),
    () => settled.push('rejected')
  )

/** Runs a middleware that changes the response, and then the handler. */
export const app = (req: IncomingMessage, res: ServerResponse) => {
  if (!now.isAfter) now.change(res)
  return note(receive(req, res))
}

/** Returns all bytes that a server sends for one request, until it ends the connection. */
export async function talk(server: Server, bytes: Buffer): Promise<string> {
  servers.push(server)
  const answer = await exchangeBytes(await listen(server), bytes)
  await new Promise(resolve => setImmediate(resolve))
  return answer
}

export const DATE = 'Date: (now)'
const REFUSED = [
  'HTTP/1.1 401 Unauthorized',
  `WWW-Authenticate: ${CHALLENGE}`,
  'Content-Length: 0',
  'Connection: close'
]
export const FAILED = ['HTTP/1.1 500 Internal Server Error', 'Content-Length: 0', 'Connection: close']

export function sorted(answer: string): string[] {
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const [status = '', ...lines] = head.replace(/^Date: \w{3}, .* GMT$/m, DATE).split('\r\n')
  return [status, ...lines.sort(), ...body.filter(text => text !== '')]
}
export const lines = ([status = '', ...headers]: string[]) => [status, ...[...headers, DATE].sort()]

/** Tests the answers of a server whose middleware or handler sets each of the headers. */
export function testForeignHeaders(
  name: string,
  start: () => Server | Promise<Server>,
  handlers = [false, true]
): void {
  const cases = Object.entries(CHANGES).flatMap(([what, by]) => handlers.map(isAfter => ({ what, by, isAfter })))
  describe(name, () => {
    test.each(cases)('an answer has only headers of ours: $what, by the handler: $isAfter', async ({ by, isAfter }) => {
      Object.assign(now, { change: by, isAfter })
      const unsigned = Buffer.from('GET /hook HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      const answer = await talk(await start(), isAfter ? wire(service.sign({ target: '/hook', body: '{}' })) : unsigned)
      expect(sorted(answer)).toEqual(lines(isAfter ? FAILED : REFUSED))
      expect(settled).toEqual(['resolved'])
      expect(rejections).toEqual([])
    })
  })
}
