import { randomBytes } from 'node:crypto'
import { describe, ownOptions } from '../mistakes/mistakes.ts'
import { validateFunction } from '../options/values.ts'
import type { ReplayStore } from '../replay/store.ts'

/** One promise of a replay store, and its test. */
export interface ReplayStoreCase {
  /** the promise, as a test's name */
  readonly name: string
  /** resolves when the store keeps it, rejects with an `Error` that says what it did instead */
  run(): Promise<void>
}

/** Makes the store under test. Two calls may return stores that share what they hold, or stores that do not. */
export type MakeReplayStore = () => ReplayStore | Promise<ReplayStore>

/** What else the cases may use. */
export interface ReplayStoreContractOptions {
  /** makes a store that cannot be reached, such as one whose server is stopped; adds the cases about that */
  makeUnreachable?: MakeReplayStore
}

/** seconds: long enough for a few claims while it lasts, and short enough to wait for */
const SHORT_TTL = 0.5

/** How long after its time an id may be held: a time to live may be in whole seconds, and the machine may be slow. */
const LATEST_EXPIRY = 3000

/** The store's clock and ours both count whole milliseconds. */
const CLOCK_ROUNDING = 2

const CALLERS = 20

/**
 * What any `ReplayStore` must do, as cases for any test runner.
 *
 * Every case makes its own stores and draws its own ids, so a shared database need not be emptied and cases may run at
 * the same time. Those about expiry use the store's own clock: they claim for half a second and then claim again until
 * the id is free, at most 3 seconds longer. Do not run them with fake timers.
 *
 * @example
 * for (const { name, run } of replayStoreContract(() => myStore)) test(name, run)
 *
 * @throws TypeError for an argument that is not a function
 */
export function replayStoreContract(
  makeStore: MakeReplayStore,
  options: ReplayStoreContractOptions = {}
): ReplayStoreCase[] {
  const { makeUnreachable } = ownOptions('replayStoreContract', options, ['makeUnreachable'])
  validateFunction(makeStore, 'makeStore', '() => ReplayStore')
  const cases = Object.entries(CASES).map(([name, run]) => ({
    name,
    run: async () => run(await makeStore(), await makeStore(), newId())
  }))
  if (makeUnreachable === undefined) return cases
  validateFunction(makeUnreachable, 'makeUnreachable', '() => ReplayStore')
  const run = async () => rejects(await makeUnreachable())
  return [...cases, { name: 'rejects while it cannot be reached', run }]
}

type Case = (one: ReplayStore, other: ReplayStore, id: string) => Promise<void>

const CASES: Record<string, Case> = {
  'claims an id once': async (store, _, id) => {
    await takes(store, id)
    for (let n = 0; n < 2; n++) await refuses(store, id, 'a claimed id')
  },
  'keeps different ids apart': async store => {
    const ids = similarIds()
    for (const id of ids) await takes(store, id)
    for (const id of ids) await refuses(store, id, JSON.stringify(id))
  },
  'gives an id to one of many concurrent claims': async (one, other) => {
    const stores = (await areShared(one, other)) ? [one, other] : [one]
    for (let round = 0; round < 5; round++) assertOne(await countWon(stores, newId()))
  },
  'holds an id for its time to live, then gives it to one of many claims': async (store, _, id) => {
    const start = performance.now()
    await takes(store, id, SHORT_TTL)
    assertOne(await untilFree(() => countWon([store], id), start))
    await refuses(store, id, 'an id that was claimed again after its time')
  },
  'takes a time to live that is a fraction, below a second, or a day': async (store, _, id) => {
    for (const ttl of [0.25, 600.0001, 1.5, 86_400]) {
      await takes(store, id + ttl, ttl)
      await refuses(store, id + ttl, `an id claimed for ${ttl} s`)
    }
  },
  'releases an id for one claim, and no other id': async (store, _, id) => {
    await takes(store, id)
    await store.release(newId())
    await store.release(id.slice(0, -1))
    await refuses(store, id, 'an id after the release of others')
    await store.release(id)
    assertOne(await countWon([store], id))
  },
  "does not release another store's claim, not even when its own has expired": async (one, other, id) => {
    await takes(one, id)
    await other.release(id)
    await refuses(one, id, 'an id that another store released')
    const late = newId()
    const start = performance.now()
    await takes(one, late, SHORT_TTL)
    if (await areShared(one, other)) await untilFree(() => claim(other, late), start)
    else await takes(other, late)
    await one.release(late)
    await refuses(other, late, "an id after the late release of an earlier claim's store")
  }
}

async function claim(store: ReplayStore, id: string, ttlSeconds = 60): Promise<boolean> {
  const claimed: unknown = await store.claim(id, ttlSeconds)
  assert(typeof claimed === 'boolean', `claim resolved to ${describe(claimed)}: it must be true or false`)
  return claimed as boolean
}

const takes = async (store: ReplayStore, id: string, ttlSeconds?: number): Promise<void> =>
  assert(await claim(store, id, ttlSeconds), `the first claim of ${JSON.stringify(id)} was not true`)

const refuses = async (store: ReplayStore, id: string, what: string): Promise<void> =>
  assert(!(await claim(store, id)), `${what} was claimed again: a replay would be let in`)

async function rejects(store: ReplayStore): Promise<void> {
  for (const call of [() => store.claim(newId(), 60), () => store.release(newId())]) {
    const outcome = await call().then(String, () => 'rejected')
    assert(outcome === 'rejected', `a call resolved to ${outcome}: only a rejection says "unknown"`)
  }
}

async function countWon(stores: readonly ReplayStore[], id: string): Promise<number> {
  const claims = Array.from({ length: CALLERS }, (_, n) => claim(stores[n % stores.length]!, id))
  return (await Promise.all(claims)).filter(claimed => claimed).length
}

const assertOne = (won: number): void =>
  assert(won === 1, `${won} of ${CALLERS} concurrent claims were true: exactly one may be`)

/** Whether two stores hold the same ids: two of one database do, two of one process's memory do not. */
async function areShared(one: ReplayStore, other: ReplayStore): Promise<boolean> {
  const id = newId()
  return (await claim(one, id)) && !(await claim(other, id))
}

/** Claims again until a claim is true, which must happen neither before the time is over nor long after. */
async function untilFree<T>(attempt: () => Promise<T>, start: number): Promise<T> {
  const time = SHORT_TTL * 1000
  for (;;) {
    const asked = performance.now() - start
    const won = await attempt()
    const after = performance.now() - start
    assert(!won || after >= time - CLOCK_ROUNDING, `an id claimed for ${time} ms was free after ${after} ms`)
    if (won) return won
    assert(asked < time + LATEST_EXPIRY, `an id claimed for ${time} ms is held long after that`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/** As the verifier's are. */
const newId = (): string => randomBytes(32).toString('base64')

/** Ids that a database may confuse: by case, by white space at an end, by Unicode's normal form. */
function similarIds(): string[] {
  const id = `Az+/${newId()}`
  const swapped = id.replace(/[a-z]/gi, letter => String.fromCharCode(letter.charCodeAt(0) ^ 0x20))
  const ends = ['', ' ', '=', '%', '*', 'é', 'e\u0301', 'constructor', 'x'.repeat(900), 'x'.repeat(901)]
  return [swapped, ` ${id}`, `"${id}'`, id.slice(0, -2), ...ends.map(end => id + end)]
}

function assert(isKept: boolean, message: string): void {
  if (!isKept) throw new Error(message)
}
