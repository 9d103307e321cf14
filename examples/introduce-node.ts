import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createVerifier, fromNodeRequest, logRecord } from 'signed-requests'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234'
})
// Writes to the log, and changes nothing.
async function observe(req: IncomingMessage, body: Uint8Array) {
  try {
    const verdict = await verify(
      fromNodeRequest(req, { body, https: 'x-forwarded-proto' })
    )
    console.log(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
  } catch (error) {
    console.error(error) // a mistake here must not stop your handler
  }
}

// Your handler does not wait for it.
export const server = createServer(async (req, res) => {
  const body = await buffer(req)
  void observe(req, body)
  console.log('%d bytes', body.length)
  res.writeHead(204).end()
})

server.listen(Number(process.env['PORT'] ?? 3000))
