import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { service } from '../../../test/support/service.ts'
import { statusesOf, wire } from '../../../test/support/wire.ts'

/** Opens a connection that sends this, and collects the answers on it. */
export function open(port: number, bytes: Uint8Array) {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('error', () => {})
  socket.on('data', chunk => {
    answer += chunk.toString('latin1')
  })
  const closed = new Promise<string>(resolve => socket.on('close', () => resolve(answer)))
  socket.write(bytes)
  return { socket, closed }
}

/**
 * Sends genuine requests one after the other while `attack` runs; returns the milliseconds of each, NaN for one that
 * was not accepted.
 */
export async function latencies(port: number, attack: Promise<unknown>): Promise<number[]> {
  const all: number[] = []
  let isOver = false
  const over = attack.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const begin = performance.now()
    const signed = service.sign({ target: `/genuine/${all.length}`, body: Buffer.alloc(20_000, 'x') })
    const { socket, closed } = open(port, wire(signed, [['Connection', 'close']]))
    const timer = setTimeout(() => socket.destroy(), 20_000)
    const [status] = statusesOf(await closed)
    clearTimeout(timer)
    all.push(status === 200 ? performance.now() - begin : Number.NaN)
    await Promise.race([delay(200), over])
  }
  await over
  return all
}
