import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The least that a proxy on Node.js can do: pipes both directions, checks nothing and logs nothing. `piping.ts
 * UPSTREAM`
 */
const { hostname, port } = new URL(process.argv[2]!)
const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 })

const server = createServer((req, res) => {
  const outgoing = request({
    agent,
    hostname,
    port,
    method: req.method,
    path: req.url,
    headers: req.rawHeaders
  })
  outgoing.on('response', answer => {
    res.writeHead(answer.statusCode!, answer.rawHeaders)
    answer.pipe(res)
  })
  outgoing.on('error', () => res.destroy())
  req.pipe(outgoing)
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => console.error(`listening on ${(server.address() as AddressInfo).port}`))
