import { describe } from '../mistakes/describe.ts'
import { ownOptions } from '../mistakes/own-options.ts'
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

/** Long enough for a few claims while it lasts, and short enough to wait for. */
const SHORT_TTL = 0.5

/** How long after its time an id may be held: a time to live may be in whole seconds, and the machine may be slow. */
const LATEST_EXPIRY = 3000

/** The store's clock and ours both count whole milliseconds. */
const CLOCK_ROUNDING = 2

const CALLERS = 20

/**
 * What any `ReplayStore` must do, as cases for any test runner:
 *
 * ```ts
 * for (const { name, run } of replayStoreContract(() => redisReplayStore(client))) test(name, run)
 * ```
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
  for (const [name, make] of Object.entries({ makeStore, makeUnreachable: makeUnreachable ?? makeStore })) {
    if (typeof make !== 'function')
      throw new TypeError(`${name} is ${describe(make)}: pass a function that makes a store`)
  }
  const cases = Object.entries(CASES).map(([name, run]) => ({
    name,
    run: async () => run(callsOf(await makeStore()), callsOf(await makeStore()), newId())
  }))
  if (makeUnreachable === undefined) return cases
  const run = async () => rejects(await makeUnreachable())
  return [...cases, { name: 'rejects while it cannot be reached', run }]
}

type Case = (one: Calls, other: Calls, id: string) => Promise<void>

const CASES: Record<string, Case> = {
  'claims an id once': async ({ claim }, _, id) => {
    assert(await claim(id), NOT_FIRST)
    for (let n = 0; n < 2; n++) assert(!(await claim(id)), 'a later claim was true: a replay would be let in')
  },
  'keeps different ids apart': async ({ claim }) => {
    const ids = similarIds()
    for (const id of ids) assert(await claim(id), `the first claim of ${show(id)} was not true`)
    for (const id of ids) assert(!(await claim(id)), `${show(id)} was claimed twice`)
  },
  'gives an id to one of many concurrent claims': async (one, other) => {
    const stores = (await areShared(one, other)) ? [one, other] : [one]
    for (let round = 0; round < 5; round++) await oneOfMany(stores, newId(), '')
  },
  'holds an id for its time to live, and claims do not prolong it': async ({ claim }, _, id) => {
    const start = performance.now()
    assert(await claim(id, SHORT_TTL), NOT_FIRST)
    await untilFree(() => claim(id), start)
    assert(!(await claim(id)), 'an id that was claimed again after its time was not held')
  },
  'takes a time to live that is a fraction, below a second, or a day': async ({ claim }, _, id) => {
    for (const ttl of [0.25, 600.0001, 1.5, 86_400]) {
      assert(await claim(id + ttl, ttl), `the claim for ${ttl} s was not true`)
      assert(!(await claim(id + ttl, ttl)), `the id claimed for ${ttl} s was not held`)
    }
  },
  'gives an id whose time is over to one of many concurrent claims': async ({ claim }, _, id) => {
    const start = performance.now()
    assert(await claim(id, SHORT_TTL), NOT_FIRST)
    let won = 0
    await untilFree(async () => {
      won += await countWon([{ claim }], id)
      return won > 0
    }, start)
    assert(won === 1, `${won} of ${CALLERS} concurrent claims were true: exactly one may be`)
  },
  'releases an id, for one claim': async (one, _, id) => {
    assert(await one.claim(id), NOT_FIRST)
    await one.release(id)
    await oneOfMany([one], id, ' after the release')
  },
  'releases nothing but the id that it is given': async ({ claim, release }, _, id) => {
    assert(await claim(id), NOT_FIRST)
    await release(newId())
    await release(id.slice(0, -1))
    assert(!(await claim(id)), 'the release of another id freed this one')
  },
  "does not release another store's claim": async (one, other, id) => {
    assert(await one.claim(id), NOT_FIRST)
    await other.release(id)
    assert(!(await one.claim(id)), 'a store released what it had not claimed')
  },
  "does not release another store's newer claim when a release comes late": async (late, other, id) => {
    const start = performance.now()
    assert(await late.claim(id, SHORT_TTL), NOT_FIRST)
    if (await areShared(late, other)) await untilFree(() => other.claim(id), start)
    else assert(await other.claim(id), 'the claim in a store of its own was not true')
    await late.release(id)
    assert(!(await other.claim(id)), 'a late release freed the newer claim: a replay would be let in')
  }
}

const NOT_FIRST = 'the first claim was not true'

async function rejects(store: ReplayStore): Promise<void> {
  for (const call of [
    () => store.claim(newId(), 60),
    () => store.claim(newId(), 60),
    () => store.release(newId())
  ]) {
    const answer = await call().then(String, () => 'rejected')
    assert(answer === 'rejected', `a call resolved to ${answer}: only a rejection says "unknown"`)
  }
}

interface Calls {
  claim(id: string, ttlSeconds?: number): Promise<boolean>
  release(id: string): Promise<void>
}

/** The store's two calls, checked for what they resolve to. */
function callsOf(store: ReplayStore): Calls {
  return {
    async claim(id, ttlSeconds = 60) {
      const claimed: unknown = await store.claim(id, ttlSeconds)
      assert(typeof claimed === 'boolean', `claim resolved to ${describe(claimed)}: it must be true or false`)
      return claimed as boolean
    },
    release: id => store.release(id)
  }
}

async function countWon(stores: readonly Pick<Calls, 'claim'>[], id: string): Promise<number> {
  const claims = Array.from({ length: CALLERS }, (_, n) => stores[n % stores.length]!.claim(id))
  return (await Promise.all(claims)).filter(claimed => claimed).length
}

async function oneOfMany(stores: readonly Calls[], id: string, when: string): Promise<void> {
  const won = await countWon(stores, id)
  assert(won === 1, `${won} of ${CALLERS} concurrent claims were true${when}: exactly one may be`)
}

/** Whether two stores hold the same ids: two of one database do, two of one process's memory do not. */
async function areShared(one: Calls, other: Calls): Promise<boolean> {
  const id = newId()
  return (await one.claim(id)) && !(await other.claim(id))
}

/** Claims again until a claim is true, which must happen neither before the time is over nor long after. */
async function untilFree(claim: () => Promise<boolean>, start: number): Promise<void> {
  const time = SHORT_TTL * 1000
  for (;;) {
    const asked = performance.now()
    const isFree = await claim()
    const after = `${Math.round(performance.now() - start)} ms`
    if (isFree) {
      const isOver = performance.now() - start >= time - CLOCK_ROUNDING
      return assert(
        isOver,
        `an id claimed for ${time} ms was forgotten after ${after}: a replay would be let in`
      )
    }
    assert(asked - start < time + LATEST_EXPIRY, `an id claimed for ${time} ms is still held after ${after}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/** As the verifier's are: the base64 of 32 octets. */
function newId(): string {
  return btoa(String.fromCharCode(...globalThis.crypto.getRandomValues(new Uint8Array(32))))
}

/** Ids that a database may confuse: by case, by white space at an end, by Unicode's normal form. */
function similarIds(): string[] {
  const id = `Az+/${newId()}`
  const swapped = id.replace(/[a-z]/gi, letter =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  )
  const ends = ['', ' ', '=', '%', '*', 'é', 'e\u0301', 'constructor', 'x'.repeat(900), 'x'.repeat(901)]
  return [swapped, ` ${id}`, `"${id}'`, id.slice(0, -2), ...ends.map(end => id + end)]
}

const show = (id: string): string => JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}...` : id)

function assert(isKept: boolean, message: string): void {
  if (!isKept) throw new Error(message)
}
