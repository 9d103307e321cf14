// One of several processes that claim the same ids: `claim-worker.ts <client> <port> <count>`, then a message with the
// place to begin at.
import { inOrder } from './in-order.ts'
import { type ClientName, connect } from './redis-clients.ts'

const [client, port, count] = process.argv.slice(2)
const { store, close } = await connect(client as ClientName, Number(port))

process.once('message', async (first: number) => {
  const ids = inOrder(Number(count), first).map(n => `request-${n}`)
  const claims = await Promise.all(ids.map(id => store.claim(id, 600)))
  process.send!(ids.filter((_, n) => claims[n]))
  close()
  process.disconnect()
})
process.send!('ready')
