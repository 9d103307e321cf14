import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { expect, test } from 'vitest'
import { type IoredisClient, redisReplayStore } from '../../../src/replay/index.ts'

test('accepts the types of the clients of both libraries', () => {
  const cluster = new Cluster([], { lazyConnect: true })
  expect(redisReplayStore(new Redis({ lazyConnect: true }))).toBeTypeOf('object')
  expect(redisReplayStore(cluster)).toBeTypeOf('object')
  expect(redisReplayStore(createClient())).toBeTypeOf('object')
  expect(redisReplayStore(createClient({ RESP: 2 }))).toBeTypeOf('object')
  expect(redisReplayStore(createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] }))).toBeTypeOf('object')
})

test('refuses any other object, and names those that fit', () => {
  const pipeline = new Redis({ lazyConnect: true }).pipeline()
  const transaction = createClient().multi()
  const message = expect.stringMatching(/^client must be a node-redis client .* or an ioredis/)
  const error = expect.objectContaining({ name: 'TypeError', message })
  for (const other of [undefined, null, {}, 'redis://localhost', new Map(), pipeline, transaction])
    expect(() => redisReplayStore(other as IoredisClient)).toThrow(error)
  // @ts-expect-error: a pipeline queues what it is asked for
  expect(() => redisReplayStore(pipeline)).toThrow(TypeError)
  // @ts-expect-error: and so does a transaction
  expect(() => redisReplayStore(transaction)).toThrow(TypeError)
})

test('takes an object that has nothing but eval, such as a wrapper around a client', async () => {
  const wrapper = { eval: async (_: string, call: { arguments: string[] }) => call.arguments[0] }
  const store = redisReplayStore(wrapper as never)
  expect(await store.claim('id', 'token', 60)).toBe(true)
})

test('rejects a prefix that is not a string', () => {
  const client = new Redis({ lazyConnect: true })
  expect(() => redisReplayStore(client, { prefix: 7 as unknown as string })).toThrow(
    new TypeError('prefix must be a string')
  )
})

test('sends one script for each call, with the id in the key and the time in milliseconds, rounded up', async () => {
  const sent: unknown[][] = []
  const client = { status: 'ready', eval: async (...call: unknown[]) => sent.push(call) && call[3] }
  const store = redisReplayStore(client)
  expect(await store.claim('id', 'token', 600.0001)).toBe(true)
  await store.release('id', 'token', 1.5)
  expect(sent).toEqual([
    [expect.any(String), 1, 'signed-requests:id', 'token', '600001'],
    [expect.any(String), 1, 'signed-requests:id', 'token', '1500']
  ])
})

test.each([[undefined], [null], [1], ['OK'], ['QUEUED'], [Buffer.from('token')], [true]])(
  'rejects when a script is answered with %s',
  async reply => {
    const store = redisReplayStore({ status: 'ready', eval: async () => reply })
    await expect(store.claim('id', 'token', 60)).rejects.toThrow('neither the token nor nil')
    await expect(store.release('id', 'token', 60)).rejects.toThrow('neither the token nor nil')
  }
)

test('an id that another token holds is answered with nothing, and the claim is false', async () => {
  const store = redisReplayStore({ status: 'ready', eval: async () => '' })
  expect(await store.claim('id', 'token', 60)).toBe(false)
})

test('a node-redis client gets keys and arguments by their names, also one with transactions', async () => {
  const sent: unknown[][] = []
  const client = { isOpen: true, exec() {}, eval: async (...call: unknown[]) => sent.push(call) && 'token' }
  await redisReplayStore(client as never, { prefix: 'p:' }).claim('id', 'token', 1)
  expect(sent).toEqual([[expect.any(String), { keys: ['p:id'], arguments: ['token', '1000'] }]])
})

test.each<[string, unknown, string | undefined]>([
  [
    'the word that begins an error of the protocol',
    new Error("OOM command not allowed when used memory > 'maxmemory'"),
    'OOM'
  ],
  ['its own code', Object.assign(new Error('NOAUTH x'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  ['no code where the word is not the first', new Error('replied OOM command'), undefined],
  ['no code where its text begins with no such word', new Error('Connection is closed.'), undefined]
])('an error of Redis has %s', async (_, thrown, code) => {
  const store = redisReplayStore({ status: 'ready', eval: () => Promise.reject(thrown) })
  const error = await store.claim('id', 'token', 60).catch(error => error)
  expect(error).toBe(thrown)
  expect([error.code, Object.hasOwn(error, 'code')]).toEqual([code, code !== undefined])
})

test.each([undefined, null, {}])('a client that rejects with %o rejects with that', async thrown => {
  const store = redisReplayStore({ status: 'ready', eval: () => Promise.reject(thrown) })
  expect(await store.claim('id', 'token', 60).catch(error => [error])).toEqual([thrown])
})
