import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Reads the body and answers with two bytes, as an application. */
const server = createServer((req, res) => {
  req.resume()
  req.on('end', () => res.end('ok'))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.error(`listening on ${(server.address() as AddressInfo).port}`))
