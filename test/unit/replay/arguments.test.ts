import { expect, test } from 'vitest'
import {
  memoryReplayStore,
  postgresReplayStore,
  redisReplayStore,
  sqliteReplayStore
} from '../../../src/replay/index.ts'

const untouched = () => expect.unreachable()

const STORES = [
  memoryReplayStore(),
  redisReplayStore({ isOpen: true, eval: untouched }),
  postgresReplayStore({ query: untouched }),
  sqliteReplayStore({ exec: untouched, prepare: untouched })
]

test.each([
  ['', 'token', 60],
  [7, 'token', 60],
  [undefined, 'token', 60],
  ['id', '', 60],
  ['id', 60],
  ['id', 'token', 0],
  ['id', 'token', -1],
  ['id', 'token', Number.NaN],
  ['id', 'token', Number.POSITIVE_INFINITY],
  ['id', 'token', '60'],
  ['id', 'token']
])('every store refuses to be called with %j, %j, %j, and asks nobody', async (...call) => {
  for (const { claim, release } of STORES) {
    await expect(claim(...(call as [string, string, number]))).rejects.toThrow(TypeError)
    await expect(release(...(call as [string, string, number]))).rejects.toThrow(TypeError)
  }
})

test.each<[string, (options: object) => unknown]>([
  ['memoryReplayStore', memoryReplayStore],
  ['redisReplayStore', options => redisReplayStore({ isOpen: true, eval: untouched }, options)],
  ['postgresReplayStore', options => postgresReplayStore({ query: untouched }, options)],
  ['sqliteReplayStore', options => sqliteReplayStore({ exec: untouched, prepare: untouched }, options)]
])('an option that does not exist is a mistake that names %s', (name, create) =>
  expect(() => create({ size: 1 })).toThrow(`${name}() has no option "size"`)
)

test('every store has the name of its database, for explanations', () => {
  expect(STORES.map(({ name }) => name)).toEqual([undefined, 'Redis', 'PostgreSQL', 'SQLite'])
})

test('does not show the id or the token in the message', async () => {
  for (const { claim } of STORES)
    await expect(claim('secret-id', 'secret-token', '60' as never)).rejects.toThrow(/^(?!.*secret).*seconds/)
})
