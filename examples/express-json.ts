import type { IncomingMessage } from 'node:http'
import express from 'express'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
// Parsers for the whole app hand over the bytes before they parse them: the same for every parser in use.
type Raw = IncomingMessage & { rawBody?: Buffer }
const keepBytes = (req: Raw, _res: unknown, bytes: Buffer) => {
  req.rawBody = bytes
}
const app = express()
app.use(express.json({ limit: '10mb', verify: keepBytes }))
app.use(express.urlencoded({ limit: '10mb', verify: keepBytes }))
const receive = nodeHandler(verify, verified => console.log('account %s', verified.accountId), {
  body: (req: Raw) => req.rawBody,
  https: 'x-forwarded-proto',
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})
app.use('/hook', receive)

export const server = app.listen(Number(process.env['PORT'] ?? 3000))
