import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createVerifier, nodeHandler } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { wire } from '../support/wire.ts'

// Receives in a process of its own. For each message, it signs a request with this body and sends its octets back.
const service = createTestService()
const verify = createVerifier({ ...service.options, requireHttps: false })
const server = createServer(nodeHandler(verify, (_, _req, res) => void res.writeHead(200).end()))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

process.on('message', (body: string) => {
  const signed = service.sign({ target: '/hook', body, headers: { 'Content-Length': undefined } })
  process.send?.({ octets: wire(signed, [['Connection', 'close']]).toString('latin1') })
})
