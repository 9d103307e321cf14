import { createServer } from 'node:http'
import { createVerifier, fromNodeRequest, logRecord, sendRefusal } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
// Does what nodeHandler does, step by step. TLS ends at a proxy in front, which sets X-Forwarded-Proto itself.
export const server = createServer(async (req, res) => {
  const verdict = await verify(fromNodeRequest(req, { https: 'x-forwarded-proto' }))
  if (verdict.status !== 'verified') {
    console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
    return sendRefusal(res, verdict)
  }
  try {
    console.log('account %s sent %d bytes', verdict.accountId, verdict.body.length)
    res.writeHead(204).end()
  } catch (error) {
    await verify.release(verdict) // or a replay store refuses the sender's repetition
    console.error(error)
    res.writeHead(500).end()
  }
})

server.listen(Number(process.env['PORT'] ?? 3000))
