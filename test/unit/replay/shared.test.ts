import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Database, sharedReplayStore } from '../../../src/replay/shared.ts'

/** One connection: commands are done in their order, unless one of them is kept back. */
function fakeDatabase() {
  const held = new Map<string, string>()
  const commands: string[] = []
  const kept: (() => void)[] = []
  let next: 'done' | 'lost' | 'kept' = 'done'
  const command = async <T>(name: string, run: () => T): Promise<T> => {
    commands.push(name)
    const fate = next
    next = 'done'
    if (fate === 'done') return run()
    if (fate === 'kept') kept.push(run)
    throw new Error('the connection is lost')
  }
  const database: Database = {
    name: 'a database',
    inOrder: true,
    take: (id, token) =>
      command('take', () => {
        if (!held.has(id)) held.set(id, token)
        return held.get(id)!
      }),
    confirm: (id, token, confirmed) =>
      command('confirm', () => void (held.get(id) === token && held.set(id, confirmed))),
    free: (id, start, end) =>
      command('free', () => {
        const token = held.get(id)
        if (token?.startsWith(start) && token.slice(start.length) < end) held.delete(id)
      })
  }
  return {
    ...{ database, held, commands },
    /** The next command fails, and is done never, or at `doLate`. */
    fail(fate: 'lost' | 'kept') {
      next = fate
    },
    doLate() {
      for (const run of kept.splice(0)) run()
    }
  }
}

describe('a store of several processes', () => {
  it('a release whose connection is lost is tried again, and has freed the id when it resolves', async () => {
    const { database, held, fail } = fakeDatabase()
    const store = sharedReplayStore(database)
    expect(await store.claim('id', 60, 1000)).toBe(true)
    fail('lost')
    await store.release('id')
    expect(held.size).toBe(0)
    expect(await store.claim('id', 60, 1000)).toBe(true)
  })

  it('a retry that comes while its release is failing is granted', async () => {
    const { database, fail } = fakeDatabase()
    const store = sharedReplayStore(database)
    expect(await store.claim('id', 60, 1000)).toBe(true)
    fail('lost')
    const released = store.release('id')
    expect(await store.claim('id', 60, 1000)).toBe(true)
    await released
    expect(await store.claim('id', 60, 1000)).toBe(false)
  })

  it('a release that the database does late does not free the claim of the retry', async () => {
    const { database, fail, doLate } = fakeDatabase()
    const store = sharedReplayStore(database)
    expect(await store.claim('id', 60, 1000)).toBe(true)
    fail('kept')
    await store.release('id')
    expect(await store.claim('id', 60, 1000)).toBe(true)
    doLate()
    expect(await store.claim('id', 60, 1000)).toBe(false)
  })

  it('a failed claim that the database does behind its withdrawal does not make the retry a replay', async () => {
    const { database, held, fail, doLate } = fakeDatabase()
    const store = sharedReplayStore(database)
    fail('kept')
    await expect(store.claim('id', 60, 1000)).rejects.toThrow('the connection is lost')
    doLate()
    expect(held.size).toBe(1)
    expect(await store.claim('id', 60, 1000)).toBe(true)
    expect(await store.claim('id', 60, 1000)).toBe(false)
  })

  it('a granted claim whose confirmation is lost is not taken for one that failed', async () => {
    const { database, commands, fail } = fakeDatabase()
    const store = sharedReplayStore({
      ...database,
      confirm: (...values) => {
        fail('lost')
        return database.confirm(...values)
      }
    })
    expect(await store.claim('id', 60, 1000)).toBe(true)
    expect(await store.claim('id', 60, 1000)).toBe(false)
    expect(commands).not.toContain('free')
  })

  it('withdraws a claim at its deadline, right behind it', async () => {
    const { database, held, commands } = fakeDatabase()
    let answer = () => {}
    const stalled = new Promise<void>(resolve => {
      answer = resolve
    })
    const take: Database['take'] = async (...values) => {
      const holder = database.take(...values)
      await stalled
      return holder
    }
    const claim = sharedReplayStore({ ...database, take }).claim('id', 60, 20)
    await vi.waitUntil(() => commands.length === 2)
    expect(commands).toEqual(['take', 'free'])
    expect(held.size).toBe(0)
    answer()
    await expect(claim).rejects.toThrow('no answer within 20 ms')
  })

  it('asks for no id after the deadline', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { database, held, commands } = fakeDatabase()
    held.set('id', 'another.proc000000000p')
    const claim = sharedReplayStore(database).claim('id', 60, 100)
    const refused = expect(claim).rejects.toThrow('no answer within 100 ms')
    await vi.advanceTimersByTimeAsync(100)
    await refused
    expect(commands.filter(command => command === 'take')).toHaveLength(1)
  })

  it('withdraws several claims at a time after an outage, and goes on when one is never answered', async () => {
    let isDown = true
    let done = 0
    const lost = () => Promise.reject(new Error('the connection is lost'))
    const free = () => {
      if (isDown) return lost()
      done += 1
      return done === 1 ? new Promise(() => {}) : Promise.resolve()
    }
    const store = sharedReplayStore({ ...fakeDatabase().database, take: lost, free })
    await Promise.allSettled(Array.from({ length: 50 }, (_, i) => store.claim(`${i}`, 60, 1000)))
    isDown = false
    await vi.waitFor(() => expect(done).toBeGreaterThanOrEqual(40))
  })

  it('a withdrawal that goes on failing does not hold up the others', async () => {
    const { database, held } = fakeDatabase()
    let isDown = true
    const store = sharedReplayStore({
      ...database,
      take: async (...values) => {
        await database.take(...values)
        throw new Error('the reply is lost')
      },
      free: async (id, ...tokens) => {
        if (isDown || id === 'bad') throw new Error('the connection is lost')
        return database.free(id, ...tokens)
      }
    })
    for (const id of ['bad', 'good', 'better'])
      await expect(store.claim(id, 60, 1000)).rejects.toThrow('lost')
    isDown = false
    await vi.waitUntil(() => held.size === 1, { timeout: 5000 })
    expect([...held.keys()]).toEqual(['bad'])
  })
})
