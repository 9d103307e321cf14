import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createVerifier, dnsTxtLookup, logRecord, nodeHandler } from '../../../src/index.ts'
import { createRecorder } from '../../../src/recorder/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'

/** A receiver with the logging of the README and a recorder: `receiver.js DNS-SERVER DIRECTORY` */
const [dnsServer, directory] = process.argv.slice(2)
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  requireHttps: false,
  lookupTxt: dnsTxtLookup({ servers: [dnsServer!] }),
  replayStore: memoryReplayStore(),
  recorder: createRecorder({ directory: directory! })
})
const receive = nodeHandler(verify, (_verified, _req, res) => void res.end('done'), {
  onRefused: verdict => console.warn(JSON.stringify(logRecord(verdict)))
})
const server = createServer(receive).listen(0, '127.0.0.1', () => {
  console.log(`listening on 127.0.0.1:${(server.address() as AddressInfo).port}`)
})
