import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startReceiver } from '../../../cli/send/start-receiver.ts'
import { UsageError } from '../../../flags/usage-error.ts'
import { freePort } from '../../support/free-port.ts'

test.each([
  ['127.0.0.1', 'receiver.mjs'],
  // It is TypeScript, but Node.js said nothing about that.
  ['::1', 'receiver.ts']
])('a receiver that does not listen on %s after 10 seconds is ended', async (host, file) => {
  const signals: string[] = []
  let asked = 0
  const child = Object.assign(new EventEmitter(), {
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    kill: (signal: string) => {
      signals.push(signal)
      for (const stream of [child.stdout, child.stderr]) stream.end()
      child.emit('exit')
    }
  })
  // A receiver that is waited for too long ends by itself, so that the test does.
  Object.defineProperty(child, 'exitCode', { get: () => (++asked > 5 ? 1 : null) })
  const spawn = vi.spyOn(childProcess, 'spawn').mockReturnValue(child as never)
  syncBuiltinESMExports()
  const clock = vi.spyOn(Date, 'now').mockReturnValueOnce(0).mockReturnValueOnce(9_999).mockReturnValue(10_000)
  onTestFinished(() => {
    spawn.mockRestore()
    clock.mockRestore()
    syncBuiltinESMExports()
  })
  const port = await freePort()
  const listening = process.listenerCount('exit')
  const printed: string[] = []
  const print = (line: unknown) => void printed.push(String(line))
  child.stdout.write('one\ntwo \x1b[31mred')
  const place = `${host === '::1' ? '[::1]' : host}:${port}`
  await expect(startReceiver({ file, host, port, dnsAddress: '127.0.0.1:53' }, { print, note: print })).rejects.toThrow(
    new UsageError(`${file} (--start) does not listen on ${place}`)
  )
  expect(asked).toBe(2)
  expect([signals, process.listenerCount('exit')]).toEqual([['SIGKILL'], listening])
  expect(printed).toEqual(['receiver: one', 'receiver: two red'])
  expect(spawn.mock.calls[0]).toMatchObject([
    process.execPath,
    ['--import', expect.any(String), file],
    { env: { PORT: String(port) } }
  ])
})
