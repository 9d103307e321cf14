import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { ReceivedRequest } from '../../src/index.ts'
import { listen } from './listen.ts'
import { linesOf } from './service.ts'

/** Returns the bytes of a request as Node's client writes them to a socket; in chunks of ten bytes on request. */
export async function captureBytes(signed: ReceivedRequest, { chunked = false } = {}): Promise<Buffer> {
  const bytes: Buffer[] = []
  const server = createServer((request, response) => request.on('end', () => response.end()).resume())
  server.on('connection', socket => socket.on('data', chunk => bytes.push(chunk)))
  const { method, target: path } = signed
  const to = { host: '127.0.0.1', port: await listen(server), agent: false }
  const outgoing = httpRequest({ ...to, method, path, headers: linesOf(signed).flat() })
  const body = Buffer.from((signed.body ?? '') as Uint8Array)
  if (chunked) for (let at = 0; at < body.length; at += 10) outgoing.write(body.subarray(at, at + 10))
  outgoing.end(chunked ? undefined : body)

  const [answer] = await once(outgoing, 'response')
  await once(answer.resume(), 'end')
  server.close()
  return Buffer.concat(bytes)
}
