import { expect, test } from 'vitest'
import { findInPostgres, findInRedis } from '../src/engine-findings.ts'

const NOW = 1_800_000_000_000

/** A Redis with these settings and this state; whatever is not there may not be looked at. */
function redis(settings: Readonly<Record<string, string>>, info: string, time = NOW / 1000) {
  return async (command: string, ...args: string[]) => {
    if (command === 'INFO') return info
    if (command === 'TIME') return [`${time}`, '0']
    const value = settings[args[1]!]
    if (value === undefined) throw new Error('NOPERM this user has no permissions')
    return [args[1], value]
  }
}

const GOOD =
  'redis_version:7.0.15\r\nrole:master\r\nconnected_slaves:1\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n'
const SAFE = { 'maxmemory-policy': 'noeviction', save: '', 'min-replicas-to-write': '1' }

test.each([
  ['nothing, where all is set', redis(SAFE, GOOD), []],
  ['eviction', redis({ ...SAFE, 'maxmemory-policy': 'allkeys-lru' }, GOOD), [/^maxmemory-policy is allkeys-lru/]],
  [
    'eviction, although CONFIG may not be asked',
    redis({}, GOOD.replace('noeviction', 'volatile-lru')),
    [/^maxmemory-policy is volatile-lru/]
  ],
  ['no persistence', redis(SAFE, GOOD.replace('aof_enabled:1', 'aof_enabled:0')), [/^nothing is persisted/]],
  ['nothing, where there are snapshots', redis({ ...SAFE, save: '900 1' }, GOOD.replace('enabled:1', 'enabled:0')), []],
  [
    'a primary that may be cut off',
    redis({ ...SAFE, 'min-replicas-to-write': '0' }, GOOD),
    [/^min-replicas-to-write is 0/]
  ],
  [
    'nothing, where a primary has no replicas',
    redis({ ...SAFE, 'min-replicas-to-write': '0' }, GOOD.replace('slaves:1', 'slaves:0')),
    []
  ],
  ['an old version', redis(SAFE, GOOD.replace('7.0.15', '5.0.3')), [/^Redis is 5\.0\.3/]],
  ['a clock that is behind', redis(SAFE, GOOD, NOW / 1000 - 660), [/^its clock is 660 s behind/]],
  ['nothing, where the clock is 5 s off', redis(SAFE, GOOD, NOW / 1000 + 5), []],
  ['nothing, where the user may ask for nothing', () => Promise.reject(new Error('NOPERM')), []]
])('in Redis: %s', async (_, call, expected) => {
  const found = await findInRedis(call, () => NOW)
  expect(found).toEqual(expected.map(pattern => expect.stringMatching(pattern)))
})

test.each([
  [0, 2, [/^it has 0 of the 2 replicas of --redis-replicas/]],
  [1, 2, [/^it has 1 of the 2 replicas/]],
  [2, 2, []],
  [0, 0, []]
])('in Redis with %i replicas, of which a claim needs %i', async (connected, needed, expected) => {
  const call = redis(SAFE, GOOD.replace('slaves:1', `slaves:${connected}`))
  const found = await findInRedis(call, () => NOW, needed)
  expect(found).toEqual(expected.map(pattern => expect.stringMatching(pattern)))
})

/** A PostgreSQL that answers so; what is not there may not be looked at. */
const postgres =
  (answers: { commit?: string; standby?: string; seconds?: number }) =>
  async (sql: string): Promise<{ rows: Record<string, unknown>[] }> => {
    if (Object.keys(answers).length === 0) throw new Error('42501 permission denied')
    if (sql.startsWith('SHOW')) return { rows: [{ synchronous_commit: answers.commit ?? 'on' }] }
    if (sql.includes('clock_timestamp')) return { rows: [{ extract: `${answers.seconds ?? NOW / 1000}` }] }
    return { rows: answers.standby === undefined ? [] : [{ application_name: answers.standby }] }
  }

test.each([
  ['nothing, where all is set', postgres({ commit: 'on' }), []],
  ['commits that do not wait', postgres({ commit: 'off' }), [/^synchronous_commit is off/]],
  ['an asynchronous standby', postgres({ standby: 'two\u001b' }), [/^the standby two\? is asynchronous/]],
  ['a clock that is ahead', postgres({ seconds: NOW / 1000 + 6 }), [/^its clock is 6 s ahead of/]],
  ['nothing, where the user may ask for nothing', postgres({}), []]
])('in PostgreSQL: %s', async (_, query, expected) => {
  const found = await findInPostgres(query, () => NOW)
  expect(found).toEqual(expected.map(pattern => expect.stringMatching(pattern)))
})
