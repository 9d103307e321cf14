import { createVerifier, logRecord, type Verdict } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'

export const verify = createVerifier({
  serviceDomain: 'service.example', // whose keys you trust: keyId must be below it
  hosts: 'receiver.example', // your own name, as the service calls it
  accounts: '1234', // your account id
  replayStore: memoryReplayStore() // for one process
})

/** Writes one line to the log for each refused request. */
export function onRefused(verdict: Verdict): void {
  console.warn(JSON.stringify({ time: new Date(), ...logRecord(verdict) }))
}
