import { randomBytes } from 'node:crypto'
import { kindOf, ownOptions } from '../core/mistakes.ts'
import { validateFunction } from '../core/options/values.ts'
import type { ReplayStore } from '../core/replay/store.ts'

/** One promise of a replay store, and its test. */
export interface ReplayStoreCase {
  /** the promise, as a test's name */
  readonly name: string
  /** resolves when the store keeps it, rejects with an `Error` that says what it did instead */
  run(): Promise<void>
}

/** Makes the store under test. Two calls may return stores that share what they hold, or stores that do not. */
export type MakeReplayStore = () => ReplayStore | Promise<ReplayStore>

/** Options of the cases. */
export interface ReplayStoreContractOptions {
  /** makes a store that cannot be reached, such as one whose server is stopped; adds the cases about that */
  makeUnreachable?: MakeReplayStore | undefined
}

/** seconds: long enough for a few claims while it lasts, and short enough to wait for */
const SHORT_TTL = 0.5

/**
 * Limits how long after its time an id may be held: a time to live may be in whole seconds, and the machine may be
 * slow.
 */
const LATEST_EXPIRY = 3000

/** The store's clock and ours both count whole milliseconds. */
const CLOCK_ROUNDING = 2

const CALLERS = 20

/** seconds */
const TTL = 60

/**
 * Lists the promises of any `ReplayStore` as cases for any test runner: the rows of its table, calls that are sent
 * twice or arrive late, expiry, and one winner among many callers.
 *
 * Every case makes its own stores and draws its own ids, so a shared database need not be emptied and cases may run at
 * the same time. Those about expiry use the store's own clock: they call for half a second and then claim again until
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
  const rows = Object.entries(ROWS).map(([name, calls]): [string, Case] => [name, follows(calls)])
  const cases = [...rows, ...Object.entries(CASES)].map(([name, run]) => ({
    name,
    run: async () => run(await makeStore(), await makeStore(), newId())
  }))
  if (makeUnreachable === undefined) return cases
  validateFunction(makeUnreachable, 'makeUnreachable', '() => ReplayStore')
  const run = async () => rejects(await makeUnreachable())
  return [...cases, { name: 'rejects while it cannot be reached', run }]
}

type Case = (one: ReplayStore, other: ReplayStore, id: string) => Promise<void>

/** A claim with its expected result, or a release, which has no result. */
type Call = readonly [token: string, isHeld?: boolean]

const claims = (token: string, isHeld: boolean): Call => [token, isHeld]
const releases = (token: string): Call => [token]

const ROWS: Readonly<Record<string, readonly Call[]>> = {
  'a free id is held by the token that claims it': [claims('t', true), claims('u', false), claims('v', false)],
  'the same claim sent twice is true': [claims('t', true), claims('t', true), claims('u', false), claims('t', true)],
  'a released id is held by the next token, and never again by the same': [
    claims('t', true),
    releases('t'),
    claims('t', false),
    claims('u', true),
    claims('t', false),
    claims('v', false)
  ],
  'a release that arrives before its claim makes that false': [releases('t'), claims('t', false), claims('u', true)],
  'a release does not free the claim of another token': [
    claims('t', true),
    releases('u'),
    claims('v', false),
    claims('u', false),
    claims('t', true)
  ],
  'a release that is sent twice, or late, does not free the next claim': [
    claims('t', true),
    releases('t'),
    releases('t'),
    claims('u', true),
    releases('t'),
    claims('v', false),
    claims('u', true)
  ],
  'of two releases the last one is remembered': [releases('t'), releases('u'), claims('u', false), claims('t', true)],
  'keeps different tokens apart': [
    claims('Token', true),
    ...['token', 'Token ', 'Toke', 'held:Token'].flatMap((token): Call[] => [claims(token, false), releases(token)]),
    claims('Token', true),
    claims('u', false)
  ]
}

const follows =
  (calls: readonly Call[]): Case =>
  async (store, _, id) => {
    let before = 'of a new id'
    for (const [token, isHeld] of calls) {
      if (isHeld === undefined) {
        await store.release(id, token, TTL)
        before += `, release(${token})`
        continue
      }
      const resolved = await claim(store, id, token)
      assert(resolved === isHeld, `${before}, then claim(${token}): it resolved to ${resolved}, not ${isHeld}`)
      before += `, claim(${token})`
    }
  }

const CASES: Record<string, Case> = {
  'keeps different ids apart': async store => {
    const ids = similarIds()
    for (const [n, id] of ids.entries())
      assert(await claim(store, id, `of ${n}`), `the claim of ${JSON.stringify(id)} was not true`)
    await store.release(`${ids[0]}x`, 'of 0', TTL)
    for (const id of ids) await refuses(store, id, JSON.stringify(id))
  },
  'gives an id to one of many concurrent claims': async (one, other) => {
    const stores = (await areShared(one, other)) ? [one, other] : [one]
    for (let round = 0; round < 5; round++) assertOne(await countWon(stores, newId()))
  },
  'gives a released id to one of many concurrent claims': async (one, other) => {
    const stores = (await areShared(one, other)) ? [one, other] : [one]
    for (let round = 0; round < 5; round++) {
      const id = newId()
      await takes(one, id)
      await one.release(id, 't', TTL)
      assertOne(await countWon(stores, id))
    }
  },
  'holds an id for its time to live, then gives it to one of many claims': async (store, _, id) => {
    const start = performance.now()
    await takes(store, id, SHORT_TTL)
    assertOne(await untilFree(() => countWon([store], id), start))
    await refuses(store, id, 'an id that was claimed again after its time')
  },
  'remembers a release for its time to live': async (store, _, id) => {
    const start = performance.now()
    await store.release(id, 't', SHORT_TTL)
    await untilFree(() => claim(store, id, 't'), start)
  },
  'takes a time to live that is a fraction, below a second, or a day': async (store, _, id) => {
    for (const ttl of [0.25, 600.0001, 1.5, 86_400]) {
      await takes(store, id + ttl, ttl)
      await refuses(store, id + ttl, `an id claimed for ${ttl} s`)
    }
  }
}

async function claim(store: ReplayStore, id: string, token: string, ttlSeconds = TTL): Promise<boolean> {
  const claimed: unknown = await store.claim(id, token, ttlSeconds)
  assert(typeof claimed === 'boolean', `claim resolved to ${kindOf(claimed)}: it must be true or false`)
  return claimed as boolean
}

const takes = async (store: ReplayStore, id: string, ttlSeconds?: number): Promise<void> =>
  assert(await claim(store, id, 't', ttlSeconds), `the claim of ${JSON.stringify(id)} was not true`)

const refuses = async (store: ReplayStore, id: string, what: string): Promise<void> =>
  assert(!(await claim(store, id, 'other')), `${what} was claimed again: a replay would be let in`)

async function rejects(store: ReplayStore): Promise<void> {
  for (const call of [() => store.claim(newId(), 't', TTL), () => store.release(newId(), 't', TTL)]) {
    const outcome = await call().then(String, () => 'rejected')
    assert(outcome === 'rejected', `a call resolved to ${outcome}: only a rejection says "unknown"`)
  }
}

async function countWon(stores: readonly ReplayStore[], id: string): Promise<number> {
  const claims = Array.from({ length: CALLERS }, (_, n) => claim(stores[n % stores.length]!, id, `of ${n}`))
  return (await Promise.all(claims)).filter(claimed => claimed).length
}

const assertOne = (won: number): void =>
  assert(won === 1, `${won} of ${CALLERS} concurrent claims were true: exactly one may be`)

/** Returns whether two stores hold the same ids: two of one database do, two of one process's memory do not. */
async function areShared(one: ReplayStore, other: ReplayStore): Promise<boolean> {
  const id = newId()
  return (await claim(one, id, 't')) && !(await claim(other, id, 'u'))
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

/** The ids of the verifier have this form. */
const newId = (): string => randomBytes(32).toString('base64')

/** Makes ids that a database may confuse: by case, by white space at an end, by Unicode's normal form. */
function similarIds(): string[] {
  const id = `Az+/${newId()}`
  const swapped = id.replace(/[a-z]/gi, letter => String.fromCharCode(letter.charCodeAt(0) ^ 0x20))
  const ends = ['', ' ', '=', '%', '*', 'é', 'e\u0301', 'constructor', 'x'.repeat(900), 'x'.repeat(901)]
  return [swapped, ` ${id}`, `"${id}'`, id.slice(0, -2), ...ends.map(end => id + end)]
}

function assert(condition: boolean, message: string): void {
  if (!condition) throw new Error(message)
}
