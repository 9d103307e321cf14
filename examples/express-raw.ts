import express from 'express'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
// For an app whose body parsers cannot move: raw bytes for this route, above any app.use(express.json()).
const app = express()
const bytes = express.raw({ type: '*/*', limit: '10mb' })
const receive = nodeHandler<express.Request, express.Response>(
  verify,
  (verified, _req, res) => res.json({ account: verified.accountId }),
  {
    body: req => req.body,
    https: 'x-forwarded-proto',
    onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
  }
)
app.use('/hook', bytes, receive)

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
