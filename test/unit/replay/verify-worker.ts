// Runs as one of several receivers of the same requests: `verify-worker.ts <client> <port>`, a message with the
// requests and the service's DNS records, then a message with the place to begin at. Sends `halfway`, then the outcome
// of each request, in the order of the requests: the status or the code of its verdict. An unavailable request is sent
// again when the store is back, until it is decided, and all its outcomes are reported, with a space between.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createVerifier, type ReceivedRequest } from '../../../src/index.ts'
import type { TestServiceVerifierOptions } from '../../../src/testing/index.ts'
import { type ClientName, connect } from '../core/replay/store-clients.ts'

export interface Work {
  options: Omit<TestServiceVerifierOptions, 'lookupTxt'>
  records: Record<string, string[][]>
  requests: ReceivedRequest[]
}

/** Sends this, and returns the next message. */
async function ask<T>(said: string): Promise<T> {
  const told = once(process, 'message')
  process.send!(said)
  return (await told)[0]
}

const [client, port] = process.argv.slice(2)
const { store, ready } = await connect(client as ClientName, Number(port))
const { options, records, requests } = await ask<Work>('connected')

// On a busy machine a hundred claims at a time may take longer than a second.
const lookupTxt = async (name: string) => records[name]!
const verify = createVerifier({ ...options, lookupTxt, replayStore: store, replayTimeout: 10_000 })
const outcomes: string[] = []

// Verifies a hundred at a time: 10,000 at once would wait for each other past the store's deadline.
async function receive(order: readonly number[]): Promise<void> {
  for (let at = 0; at < order.length; at += 100) {
    const judged = order.slice(at, at + 100).map(async n => {
      const verdict = await verify(requests[n]!)
      const outcome = verdict.status === 'verified' ? verdict.status : verdict.failures[0].code
      outcomes[n] = outcomes[n] === undefined ? outcome : `${outcomes[n]} ${outcome}`
    })
    await Promise.all(judged)
    if (at === requests.length / 2) process.send!('halfway')
  }
}

const first = await ask<number>('ready')
// Sends every second request at the same time as the other workers, and those between from another start: so no worker
// is always the first.
const order = requests.map((_, n) => (n % 2 === 0 ? n : (n + first) % requests.length))
await receive(order)
await ready()
for (;;) {
  const undecided = order.filter(n => outcomes[n]!.endsWith('replay-store-failed'))
  if (undecided.length === 0) break
  // The releases of earlier claims are on their way.
  await delay(100)
  await receive(undecided)
}
// The process runs until it is killed: a release may still be under way.
process.send!(outcomes)
