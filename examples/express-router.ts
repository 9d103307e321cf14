import express from 'express'
import { createVerifier, logRecord, nodeMiddleware } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
// Before any body parser: the stream itself is verified, and nothing of it is read before the head is.
const app = express()
const signed = nodeMiddleware(verify, {
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})
app.use('/hook', signed, (req, res) => {
  console.log('account %s, %d bytes', req.verified.accountId, req.body.length)
  res.sendStatus(204)
})
app.use(express.json())

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
