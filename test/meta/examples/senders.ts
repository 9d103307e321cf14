import { request as httpRequest } from 'node:http'
import { connect } from 'node:http2'
import type { ReceivedRequest } from '../../../src/index.ts'
import { pairs } from './kinds.ts'
import type { RunningRecipe } from './recipe.ts'

/** Sends over plain HTTP, with the head byte for byte as given. Resolves to the status of the answer. */
export function sendOverHttp(request: ReceivedRequest, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const { method, target: path, body } = request
    const to = { host: '127.0.0.1', port, agent: false, signal: AbortSignal.timeout(50_000) }
    const outgoing = httpRequest({ ...to, method, path, headers: pairs(request).flat() })
    outgoing.on('response', response => resolve(response.resume().statusCode ?? 0))
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Sends as a proxy in front that ends TLS, and says so in a header. */
export const behindProxy = (port: number): Pick<RunningRecipe, 'send' | 'sendUnencrypted'> => ({
  send: request => sendOverHttp(withHeader(request, 'X-Forwarded-Proto', 'https'), port),
  sendUnencrypted: request => sendOverHttp(withHeader(request, 'X-Forwarded-Proto', 'http'), port)
})

export const withHeader = (request: ReceivedRequest, name: string, value: string): ReceivedRequest => ({
  ...request,
  headers: [...pairs(request), [name, value]]
})

/** Sends over HTTP/2 with TLS; `:authority` carries Host. */
export function sendOverHttp2(
  request: ReceivedRequest,
  port: number,
  cert: string,
  servername = 'receiver.example'
): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { ca: cert, servername })
    session.on('error', reject)
    const headers: Record<string, string | string[]> = { ':method': request.method, ':path': request.target }
    for (const [name, value] of pairs(request)) {
      const key = name.toLowerCase() === 'host' ? ':authority' : name.toLowerCase()
      headers[key] = key in headers ? [headers[key]!, value].flat() : value
    }
    const stream = session.request(headers, { signal: AbortSignal.timeout(50_000) })
    stream.on('response', head => {
      resolve(head[':status'] ?? 0)
      stream.resume()
    })
    stream.on('close', () => session.close())
    stream.on('error', reject)
    stream.end(request.body)
  })
}
