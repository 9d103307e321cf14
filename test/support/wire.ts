import { connect } from 'node:net'
import type { ReceivedRequest } from '../../src/index.ts'
import { linesOf } from './service.ts'

/** Writes a signed request as the bytes of a socket. Content-Length is added to the signed lines. */
export function wire(request: ReceivedRequest, more: readonly (readonly [string, string])[] = []): Buffer {
  const { method, target, body } = request
  const bytes = Buffer.from((body ?? '') as Uint8Array)
  const lines = linesOf(request)
  if (!lines.some(([name]) => name.toLowerCase() === 'content-length'))
    lines.push(['Content-Length', `${bytes.length}`])
  const head = [...lines, ...more].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1'), bytes])
}

/** Returns all bytes that a server sends in answer to these, until it closes or resets, or until `until` matches. */
export function exchangeBytes(address: string | number, bytes: Uint8Array, until?: RegExp): Promise<string> {
  const { hostname, port } = new URL(`http://${typeof address === 'number' ? `127.0.0.1:${address}` : address}`)
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''))
  socket.on('error', () => {})
  socket.write(bytes)
  let answer = ''
  return new Promise(resolve => {
    socket.on('data', chunk => {
      answer += chunk.toString('latin1')
      if (until?.test(answer)) socket.destroy()
    })
    socket.on('close', () => resolve(answer))
  })
}

/** Returns the statuses of all answers to these bytes, when the last of them ends the connection. */
export const statusesOf = (answer: string): number[] =>
  [...answer.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status))

/** Sends one signed request on a connection of its own. */
export const send = (
  address: string | number,
  signed: ReceivedRequest,
  more: readonly (readonly [string, string])[] = []
): Promise<string> => exchangeBytes(address, wire(signed, [...more, ['Connection', 'close']]))
