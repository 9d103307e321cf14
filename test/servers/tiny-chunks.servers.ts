import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { exchangeBytes, statusesOf } from '../support/wire.ts'

async function answerOf(child: ChildProcess) {
  const [message] = await once(child, 'message')
  return message
}

test('copies of a captured chunked head with bodies in chunks of one byte stop no nodeHandler', async () => {
  const execArgv = ['--max-old-space-size=128', '--import', 'tsx']
  const child = fork(new URL('receiving.ts', import.meta.url), [], { execArgv })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { port } = await answerOf(child)
  const sign = async (body: string): Promise<string> => {
    child.send(body)
    return (await answerOf(child)).octets
  }
  const memory = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) >> 10
  const head = (await sign('')).replace('Content-Length: 0', 'Transfer-Encoding: chunked')
  const copy = Buffer.from(head + '1\r\nx\r\n'.repeat(105_000), 'latin1')
  const before = memory()
  let isOver = false
  const attack = async () => {
    for (let n = 0; n < 240; n++) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      onTestFinished(() => void socket.destroy())
      socket.write(copy)
      await delay(15)
    }
    isOver = true
  }
  const over = attack()
  const all: number[] = []
  while (!isOver || all.length === 0) {
    const begin = performance.now()
    const answer = exchangeBytes(port, Buffer.from(await sign('genuine')))
    const [status] = statusesOf(await Promise.race([answer, delay(20_000, '')]))
    all.push(status === 200 ? Math.round(performance.now() - begin) : Number.NaN)
    await Promise.race([over, delay(100)])
  }
  // The latency is printed, not asserted: it depends on the machine's load.
  console.info(`${all.length} genuine, the slowest ${Math.max(...all)} ms, ${memory()} MB at most, ${before} before`)
  expect(child.exitCode).toBe(null)
  expect(all.filter(Number.isNaN)).toEqual([])
  expect(memory()).toBeLessThan(before + 100)
})
