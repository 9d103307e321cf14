import { createServer } from 'node:http'
import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
import { createRecorder } from 'signed-requests/recorder'
import { memoryReplayStore } from 'signed-requests/replay'

const recorder = createRecorder({ directory: '/var/lib/receiver/refused' })
const verify = createVerifier({
  serviceDomain: 'service.example',
  hosts: 'hooks.example.com',
  accounts: '1234',
  replayStore: memoryReplayStore(),
  recorder
})

const receive = nodeHandler(verify, () => {}, {
  onRefused: verdict =>
    console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
})
createServer(receive).listen(process.env['PORT'] ?? 3000)
