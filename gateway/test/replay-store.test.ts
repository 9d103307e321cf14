import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { listen } from '../../test/support/listen.ts'
import { DatabaseSync } from '../../test/support/sqlite.ts'
import { until } from '../../test/support/until.ts'
import { connectReplayStore, NO_CLAIMS } from '../src/replay-store.ts'

/** Configures a file that does not exist, and `node:sqlite` of a later Node.js. */
function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'replay-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ DatabaseSync } as never)
  onTestFinished(() => builtin.mockRestore())
  return join(folder, 'replay.db')
}

test('--sqlite makes a file that nobody else can read, and claims an id once', async () => {
  const file = newFile()
  const { store, close } = await connectReplayStore({ kind: 'sqlite', url: file })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(store?.name).toBe(`SQLite at ${file}`)
  expect(await store?.claim('id', 'one', 60)).toBe(true)
  expect(await store?.claim('id', 'two', 60)).toBe(false)
  await close()
  const again = await connectReplayStore({ kind: 'sqlite', url: file })
  expect(await again.store?.claim('id', 'two', 60)).toBe(false)
  await again.close()
})

test('--sqlite with a file that is not a database says so in one line, and leaves the file as it is', async () => {
  const file = newFile()
  writeFileSync(file, 'not a database '.repeat(500))
  await expect(connectReplayStore({ kind: 'sqlite', url: file })).rejects.toThrow(
    /^the replay store in SQLite cannot be used: .*not a database$/
  )
  expect(readFileSync(file, 'utf8')).toMatch(/^not a database /)
})

test('without a database the gateway remembers in memory, or with --replay none not at all', async () => {
  const { store, close } = await connectReplayStore({ kind: 'memory' })
  expect([await store?.claim('id', 'one', 60), await store?.claim('id', 'two', 60)]).toEqual([true, false])
  await close()
  expect((await connectReplayStore({ kind: 'none' })).store).toBeUndefined()
})

test('the store of a gateway that claims nothing accepts every claim', async () => {
  expect([await NO_CLAIMS.claim('id', 'one', 60), await NO_CLAIMS.claim('id', 'two', 60)]).toEqual([true, true])
})

test('--sqlite keeps its claims in a table that only the gateway uses', async () => {
  const file = newFile()
  const { store, close } = await connectReplayStore({ kind: 'sqlite', url: file })
  await store?.claim('id', 'one', 60)
  await close()
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  expect(database.prepare('SELECT id FROM signed_requests_gateway').all()).toContainEqual({ id: 'id' })
})

describe('a server that is not reached at the start', () => {
  test.each([
    ['redis', 'redis', 'Redis'],
    ['postgres', 'postgres', 'PostgreSQL']
  ] as const)('is a mistake in one line, without the password: %s', async (kind, protocol, name) => {
    const url = `${protocol}://user:S3CRET@127.0.0.1:${await freePort()}/0`
    const error = await connectReplayStore({ kind, url }).catch(error => error)
    expect(error.message).toMatch(new RegExp(`^the replay store in ${name} cannot be used: .*ECONNREFUSED`))
    expect(error.message).not.toContain('S3CRET')
  })
})

test('a PostgreSQL server that does not reply is given up after two seconds', async () => {
  const server = createServer(() => {})
  const url = `postgres://user:S3CRET@127.0.0.1:${await listen(server)}/0`
  await import('pg')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  onTestFinished(() => void server.close())
  const error = connectReplayStore({ kind: 'postgres', url }).catch(error => error)
  // The second query, for a table that exists, connects once more.
  for (const _ of ['first', 'second']) {
    await once(server, 'connection')
    vi.advanceTimersByTime(2000)
  }
  expect((await error).message).toMatch(/^the replay store in PostgreSQL cannot be used: .*timeout/)
})

/** Starts a server that replies to each command of a Redis client, and grants every claim. */
async function fakeRedis() {
  const commands: string[][] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', bytes => {
      for (const command of bytes.toString().split(/(?=\*\d+\r\n\$)/)) {
        const words = command.split('\r\n').filter((_, at) => at > 0 && at % 2 === 0)
        commands.push(words)
        const [name = ''] = words
        if (/^eval/i.test(name)) socket.write(`$${words[4]!.length}\r\n${words[4]}\r\n`)
        else if (/^info$/i.test(name)) socket.write('$17\r\nredis_version:7.0\r\n')
        else socket.write('+OK\r\n')
      }
    })
  })
  const port = await listen(server)
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(stop)
  return { url: `redis://127.0.0.1:${port}`, commands, stop }
}

test('--redis claims under keys of the gateway, and says why a claim fails when the server is gone', async () => {
  const { url, commands, stop } = await fakeRedis()
  const { store, close } = await connectReplayStore({ kind: 'redis', url })
  onTestFinished(close)
  expect(store?.name).toBe(`Redis at ${new URL(url).host}`)
  expect(await store?.claim('id', 'token', 60)).toBe(true)
  const [claim] = commands.filter(([name = '']) => /^eval/i.test(name))
  expect(claim?.slice(2)).toEqual(['1', 'signed-requests-gateway:id', 'token', '60000'])
  stop()
  // The client retries, so a claim fails with the reason of its last attempt.
  const reasons = new Set<string>()
  await until(async () => {
    const error = await store!.claim('other', 'token', 60).catch(error => error)
    reasons.add(error.code ?? error.message)
    return reasons.has('ECONNREFUSED')
  })
})
