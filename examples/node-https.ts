import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
const { PORT = '443', TLS_KEY = 'key.pem', TLS_CERT = 'cert.pem' } = process.env
const tls = { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }
const receive = nodeHandler(verify, verified => console.log('account %s', verified.accountId), {
  onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})

export const server = createServer(tls, receive).listen(Number(PORT))
