import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ReceivedRequest } from '../../../src/index.ts'
import { blocksOf } from '../../meta/docs/pages.ts'
import { pairs } from '../../meta/examples/kinds.ts'
import '../../meta/examples/resolver.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { service } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { postgresPool } from '../../unit/core/replay/store-clients.ts'
import { type PostgresServer, postgresServer } from '../../unit/replay/postgres-server.ts'

const table = blocksOf('docs/replay-and-retries.md').find(({ code }) => code.startsWith('CREATE TABLE'))!.code

let postgres: PostgresServer
let dns: DnsServer
let pool: Pool
let receiver: typeof import('../../../examples/work-later-receive.ts')
let worker: typeof import('../../../examples/work-later-worker.ts')
const report = vi.spyOn(console, 'error').mockReturnValue()
const warn = vi.spyOn(console, 'warn').mockReturnValue()

beforeAll(async () => {
  postgres = await postgresServer()
  await postgres.start()
  pool = postgresPool(postgres.port)
  await pool.query(table)
  await pool.query('CREATE TABLE done (id text)')
  dns = await startDnsServer(service.records)
  const database = { PGHOST: '127.0.0.1', PGPORT: `${postgres.port}`, PGUSER: 'postgres', PGDATABASE: 'postgres' }
  const environment = { ...database, DNS_SERVER: dns.address, PORT: '0' }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  receiver = await import('../../../examples/work-later-receive.ts')
  worker = await import('../../../examples/work-later-worker.ts')
  if (!receiver.server.listening) await once(receiver.server, 'listening')
  return async () => {
    vi.unstubAllEnvs()
    receiver.server.close()
    await pool.end()
    await dns.close()
    await postgres.remove()
  }
})
beforeEach(async () => {
  await pool.query('TRUNCATE events, done')
  report.mockClear()
})

const sign = (id: unknown, body = `{ "id": ${JSON.stringify(id)}, "name": "Zo\\u00eb" }\n`) =>
  service.sign({ target: '/hook', body })

/** Sends a request through a proxy with TLS; returns status and Retry-After of the answer. */
async function send({ method, target: path, headers, body }: ReceivedRequest) {
  const lines = [...pairs({ headers } as ReceivedRequest), ['X-Forwarded-Proto', 'https']].flat()
  const { port } = receiver.server.address() as AddressInfo
  const sent = httpRequest({ port, host: '127.0.0.1', agent: false, method, path, headers: lines }).end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  return [response.statusCode, response.headers['retry-after']]
}
const ACCEPTED = [202, undefined]
const rows = async (text: string) => (await pool.query(text)).rows

describe('answer fast', () => {
  test('stores the verified bytes, the account and the event id, and answers 202', async () => {
    const signed = sign('e1')
    expect(await send(signed)).toEqual(ACCEPTED)
    const [{ due, received, body, ...row }] = await rows('SELECT * FROM events')
    expect(row).toEqual({ account: '1234', id: 'e1' })
    expect(body).toEqual(Buffer.from(signed.body as Uint8Array))
    expect(due).toEqual(received)
  })

  test('stores nothing of a forgery', async () => {
    const { body } = sign('e2') // of the same length
    expect(await send({ ...sign('e1'), body })).toEqual([401, undefined])
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('digest-mismatch'))
    expect(await rows('SELECT * FROM events')).toEqual([])
  })

  test('inserts an event once, however often and at whatever moment it is delivered', async () => {
    const same = sign('e1')
    const deliveries = [same, same, same, sign('e1'), sign('e1'), sign('e2'), sign('e1')]
    for (const answer of await Promise.all(deliveries.map(send))) expect(answer).toEqual(ACCEPTED)
    expect(await worker.workOnce(async () => {})).toBe(true)
    expect(await send(sign('e1'))).toEqual(ACCEPTED)
    expect(await rows('SELECT id FROM events ORDER BY id')).toEqual([{ id: 'e1' }, { id: 'e2' }])
    expect(await rows('SELECT count(*)::int FROM events WHERE due IS NOT NULL')).toEqual([{ count: 1 }])
  })

  test.each([
    ['is down', () => postgres.kill(), () => postgres.start()],
    ['hangs', () => postgres.pause(), () => postgres.resume()]
  ])('asks again with 503 while the database %s, and accepts the same bytes when it is back', async (_, stop, end) => {
    const signed = sign('e1')
    expect(await send(sign('e0'))).toEqual(ACCEPTED)
    await stop()
    expect(await send(signed)).toEqual([503, '5'])
    expect(report).toHaveBeenCalled()
    await end()
    expect(await send(signed)).toEqual(ACCEPTED)
    expect(await rows('SELECT id FROM events ORDER BY id')).toEqual([{ id: 'e0' }, { id: 'e1' }])
  })

  test('asks again for a verified event that cannot be stored', async () => {
    expect(await send(sign(null))).toEqual([503, '5'])
    expect(await send(sign('', 'no JSON'))).toEqual([503, '5'])
    expect(await rows('SELECT * FROM events')).toEqual([])
  })
})

describe('work later', () => {
  const done = async () => (await rows('SELECT id FROM done ORDER BY id')).map(({ id }) => id)
  const insert = async (...ids: string[]) => {
    for (const id of ids) expect(await send(sign(id))).toEqual(ACCEPTED)
  }
  const handle: Parameters<typeof worker.workOnce>[0] = async ({ id }, client) => {
    await client.query('INSERT INTO done VALUES ($1)', [id])
  }

  test('handles each event once, the oldest first, with its bytes', async () => {
    await insert('e1', 'e2')
    const handled: string[] = []
    const seen: typeof handle = async ({ account, id, body }) =>
      void handled.push(`${account} ${id} ${JSON.parse(body.toString()).name}`)
    for (const isHandled of [true, true, false]) expect(await worker.workOnce(seen)).toBe(isHandled)
    expect(handled).toEqual(['1234 e1 Zoë', '1234 e2 Zoë'])
  })

  test('gives no event to two workers', async () => {
    await insert('e1', 'e2')
    const both: string[] = []
    const hold: typeof handle = async ({ id }) => {
      both.push(id)
      await until(() => both.length === 2)
    }
    await Promise.all([worker.workOnce(hold), worker.workOnce(hold)])
    expect(both.sort()).toEqual(['e1', 'e2'])
    expect(await worker.workOnce(handle)).toBe(false)
  })

  test('takes back what a failed handler wrote, and handles other events before it tries again', async () => {
    await insert('e1', 'e2')
    const fail: typeof handle = async (event, client) => {
      await handle(event, client)
      if (event.id === 'e1') throw new Error('not today')
    }
    expect(await worker.workOnce(fail)).toBe(true)
    expect(report).toHaveBeenCalledWith(expect.objectContaining({ message: 'not today' }))
    expect(await worker.workOnce(fail)).toBe(true)
    expect(await done()).toEqual(['e2'])
    expect(await worker.workOnce(handle)).toBe(false)
    await pool.query("UPDATE events SET due = due - interval '1 minute'")
    expect(await worker.workOnce(handle)).toBe(true)
    expect(await done()).toEqual(['e1', 'e2'])
  })

  test('loses no event when the connection of a worker ends', async () => {
    await insert('e1')
    const end: typeof handle = async (event, client) => {
      await handle(event, client)
      await client.query('SELECT pg_terminate_backend(pg_backend_pid())')
    }
    await expect(worker.workOnce(end)).rejects.toThrow()
    expect(await done()).toEqual([])
    expect(await worker.workOnce(handle)).toBe(true)
    expect(await done()).toEqual(['e1'])
  })

  test('works until it is told to stop, also after an error', async () => {
    await insert('e1', 'e2')
    const stop = new AbortController()
    await pool.query('ALTER TABLE events RENAME TO away')
    const working = worker.work(async (event, client) => {
      await handle(event, client)
      if (event.id === 'e2') stop.abort()
    }, stop.signal)
    await until(() => report.mock.calls.length > 0)
    await pool.query('ALTER TABLE away RENAME TO events')
    await working
    expect(await done()).toEqual(['e1', 'e2'])
  })
})
