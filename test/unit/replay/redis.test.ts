import { Cluster, Redis } from 'ioredis'
import { createClient, createClientPool, createCluster, createSentinel } from 'redis'
import { describe, expect, test } from 'vitest'
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
  const message = expect.stringMatching(/^client is .* node-redis client .* or an ioredis/)
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
  expect(() => redisReplayStore(client, { prefix: 7 as unknown as string })).toThrow(/^prefix is /)
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

describe('with replicas', () => {
  /** Makes clients of both libraries that list what a pipeline sends, and give these replies. */
  function fakeClients(reply: unknown, acknowledged: unknown) {
    const sent: unknown[][] = []
    const listed = (name: string) =>
      function (this: unknown, ...values: unknown[]) {
        sent.push([name, ...values])
        return this
      }
    const pipe = { eval: listed('eval'), wait: listed('wait') }
    const asIoredis = (value: unknown) => (value instanceof Error ? [value, undefined] : [null, value])
    const failing = (value: unknown) => (value instanceof Error ? Promise.reject(value) : value)
    const single = async (_: string, ...call: unknown[]) => {
      sent.push(['single', ...call])
      return 'token'
    }
    return {
      sent,
      ioredis: {
        status: 'ready',
        eval: single,
        pipeline: () => ({ ...pipe, exec: async () => [asIoredis(reply), asIoredis(acknowledged)] })
      },
      'node-redis': {
        isOpen: true,
        eval: single,
        multi: () => ({ ...pipe, execAsPipeline: () => Promise.all([reply, acknowledged].map(failing)) })
      }
    }
  }
  const NAMES = ['ioredis', 'node-redis'] as const
  const storeOf = (client: object) => redisReplayStore(client as IoredisClient, { replicas: 2, replicasTimeout: 300 })

  test('a claim and its WAIT are one pipeline, and a release waits for nothing', async () => {
    const { sent, ...clients } = fakeClients('token', 2)
    for (const name of NAMES) {
      expect(await storeOf(clients[name]).claim('id', 'token', 60)).toBe(true)
      await storeOf(clients[name]).release('id', 'token', 60)
    }
    const script = expect.any(String)
    expect(sent).toEqual([
      ['eval', script, 1, 'signed-requests:id', 'token', '60000'],
      ['wait', 2, 300],
      ['single', 1, 'signed-requests:id', 'token', '60000'],
      ['eval', script, { keys: ['signed-requests:id'], arguments: ['token', '60000'] }],
      ['wait', 2, 300],
      ['single', { keys: ['signed-requests:id'], arguments: ['token', '60000'] }]
    ])
  })

  test.each<[string, unknown, unknown, unknown]>([
    ['fewer replicas have it', 'token', 1, 'NOREPLICAS'],
    ['none has it', 'token', 0, 'NOREPLICAS'],
    ['WAIT is answered with no number', 'token', undefined, 'NOREPLICAS'],
    ['WAIT fails', 'token', new Error('NOPERM no permission'), 'NOPERM'],
    ['the claim fails, whatever WAIT says', new Error('OOM no memory'), 2, 'OOM']
  ])('a claim rejects when %s', async (_, reply, acknowledged, code) => {
    const { sent, ...clients } = fakeClients(reply, acknowledged)
    for (const name of NAMES)
      await expect(storeOf(clients[name]).claim('id', 'token', 60)).rejects.toMatchObject({ code })
  })

  test('an id that is held is false, whatever the replicas have', async () => {
    const { sent, ...clients } = fakeClients('', 0)
    for (const name of NAMES) expect(await storeOf(clients[name]).claim('id', 'token', 60)).toBe(false)
  })

  test('a slot that has moved is followed by a single command, and the pipeline is sent again', async () => {
    const { sent, ...clients } = fakeClients(new Error('MOVED 5798 127.0.0.1:7001'), 2)
    for (const name of NAMES) {
      sent.length = 0
      await expect(storeOf(clients[name]).claim('id', 'token', 60)).rejects.toMatchObject({ code: 'MOVED' })
      expect(sent.map(([command]) => command)).toEqual(['eval', 'wait', 'single', 'eval', 'wait'])
    }
  })

  test('takes every client of both libraries', () => {
    const redis = { url: 'redis://127.0.0.1:1' }
    for (const client of [
      new Redis({ lazyConnect: true }),
      new Cluster([], { lazyConnect: true }),
      createClient(redis),
      createClientPool(redis),
      createCluster({ rootNodes: [redis] }),
      createSentinel({ name: 'x', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] })
    ])
      expect(redisReplayStore(client, { replicas: 1 })).toBeTypeOf('object')
  })

  test('refuses a client that cannot send two commands over one connection', () => {
    const pool = { eval: async () => 'token' }
    for (const client of [pool, { ...pool, status: 'ready' }, { ...pool, isOpen: true, multi: () => pool }])
      expect(() => redisReplayStore(client as never, { replicas: 1 })).toThrow(
        /^client is .*two commands over one connection/
      )
  })

  test.each([0, -1, 1.5, '1', null, Number.NaN])('refuses %j for replicas and for replicasTimeout', bad => {
    const client = new Redis({ lazyConnect: true })
    for (const name of ['replicas', 'replicasTimeout'])
      expect(() => redisReplayStore(client, { [name]: bad })).toThrow(new RegExp(`^${name} is `))
  })
})
