import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ReceivedRequest } from '../../src/index.ts'
import { listen } from './listen.ts'
import { linesOf } from './service.ts'

/** Listens until the test ends; returns the port. */
export function listenInTest(server: Server): Promise<number> {
  onTestFinished(() => void server.close())
  return listen(server)
}

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

/** Sends a request to a server on loopback, on a connection of its own; returns the answer. */
export async function exchange(request: ReceivedRequest, port: number): Promise<Answer> {
  const { method, target: path } = request
  const headers = linesOf(request).flat()
  const outgoing = httpRequest({ host: '127.0.0.1', port, agent: false, method, path, headers })
  outgoing.end(request.body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, body }
}

/** Writes the head of a request as HTTP/2 does. */
export const http2Fields = (request: ReceivedRequest): Record<string, string> => ({
  ':method': request.method,
  ':path': request.target,
  ...Object.fromEntries(linesOf(request).map(([name, value]) => [http2Name(name.toLowerCase()), value]))
})

const http2Name = (name: string): string => (name === 'host' ? ':authority' : name)
