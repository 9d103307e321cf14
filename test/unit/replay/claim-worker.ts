// One of several processes that claim the same ids: `claim-worker.ts <client> <port> <count>`, then a message with the
// place to begin at.
import { inOrder } from './in-order.ts'
import { type ClientName, connect } from './store-clients.ts'

const [client, port, count] = process.argv.slice(2)
const { store, close } = await connect(client as ClientName, Number(port))

process.once('message', async (first: number) => {
  const ids = inOrder(Number(count), first).map(n => `request-${n}`)
  const won: string[] = []
  // Two hundred at a time: more would wait for a connection past the deadline of a pool.
  for (let at = 0; at < ids.length; at += 200) {
    const claimed = ids
      .slice(at, at + 200)
      .map(async id => (await store.claim(id, `${process.pid}`, 600)) && won.push(id))
    await Promise.all(claimed)
  }
  // Not before it is written: what is left of a message is lost when the channel closes.
  process.send!(won, () => {
    close()
    process.disconnect()
  })
})
process.send!('ready')
