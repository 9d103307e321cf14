import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { service } from '../../../test/support/service.ts'
import { listen, startTestAdmin } from '../support/admin.ts'
import { exchangeOf } from '../support/exchanges.ts'

test('sends nothing to a page that does not read, and then what is still kept', async () => {
  const { port, record } = await startTestAdmin()
  const other = listen(port)
  await other.hasBatches(1)
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  // Each round is about 900 KB on the wire: the second one finds the buffers full. No real verdict has this many codes.
  const codes = Array.from({ length: 200 }, () => ({ code: 'signature-parameter-repeated', check: 'date' }))
  const one = await exchangeOf(service.sign({ body: '{}' }))
  const wide = { ...one, verdict: { ...one.verdict, failures: codes } } as unknown as typeof one
  const rounds = 30
  for (let round = 1; round <= rounds; round++) {
    for (let i = 0; i < 200; i++) record({ ...wide, target: `/${round}` })
    await other.hasRows(round * 200)
  }
  let received = 0
  for await (const text of socket.setEncoding('latin1')) {
    received += text.length
    if (text.includes(`"target":"/${rounds}"`)) break
  }
  // Together the events are 27 MB, of which the two sockets buffer a few.
  expect(received).toBeLessThan(12e6)
})
