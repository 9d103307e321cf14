import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  replayStore: memoryReplayStore()
})
const { PORT = '443', TLS_KEY = 'key.pem', TLS_CERT = 'cert.pem' } = process.env
const tls = { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT), allowHTTP1: true }

// Host is what :authority says. A refused stream is reset; over HTTP/1.1 the connection ends.
const receive = nodeHandler<Http2ServerRequest, Http2ServerResponse>(
  verify,
  verified => console.log('account %s', verified.accountId),
  { onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) })) }
)

export const server = createSecureServer(tls, receive).listen(Number(PORT))
