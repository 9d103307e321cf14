// One of several receivers of the same requests: `verify-worker.ts <client> <port>`, a message with the requests and
// the service's DNS records, then the message "go". Answers with the status or the code of each verdict, in order.
import type { ReceivedRequest } from '../../src/index.ts'
import { createVerifier } from '../../src/index.ts'
import type { TestServiceVerifierOptions } from '../../src/testing/index.ts'
import { type ClientName, connect } from './redis-clients.ts'

export interface Work {
  options: Omit<TestServiceVerifierOptions, 'lookupTxt'>
  records: Record<string, string[][]>
  requests: ReceivedRequest[]
}

const [client, port] = process.argv.slice(2)
const { store, close } = await connect(client as ClientName, Number(port))

process.once('message', ({ options, records, requests }: Work) => {
  const verify = createVerifier({ ...options, lookupTxt: async name => records[name]!, replayStore: store })
  process.once('message', async () => {
    const outcomes: string[] = []
    // A hundred at a time: 10,000 at once would wait for each other past the store's deadline.
    for (let n = 0; n < requests.length; n += 100) {
      const verdicts = await Promise.all(requests.slice(n, n + 100).map(request => verify(request)))
      outcomes.push(...verdicts.map(v => (v.status === 'verified' ? v.status : v.failures[0].code)))
    }
    process.send!(outcomes)
    close()
    process.disconnect()
  })
  process.send!('ready')
})
process.send!('connected')
