import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createUpstream } from '../../src/gateway/forward.ts'
import { requestHeaders } from '../../src/gateway/forwarded-headers.ts'

/**
 * The gateway without verification: the same way of reading, forwarding, answering and logging, and everything passes.
 *
 * `unverified.ts UPSTREAM`
 */
const upstream = createUpstream(new URL(process.argv[2]!), 30_000)

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const start = performance.now()
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const lines: [string, string][] = []
  for (let i = 0; i < req.rawHeaders.length; i += 2) lines.push([req.rawHeaders[i]!, req.rawHeaders[i + 1]!])
  const { method = '', url: target = '' } = req
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  await upstream.forward(
    { method, target, headers: requestHeaders(lines, [], []), body },
    res,
    async () => {}
  )
  const ms = Math.round(performance.now() - start)
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), httpStatus: res.statusCode, ms })}\n`
  )
}

const server = createServer((req, res) => void serve(req, res))
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => console.error(`listening on ${(server.address() as AddressInfo).port}`))
