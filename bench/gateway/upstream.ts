import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An application: it reads the body and answers with two bytes. */
const server = createServer((req, res) => {
  req.resume()
  req.on('end', () => res.end('ok'))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.error(`listening on ${(server.address() as AddressInfo).port}`))
