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
    if (typeof make !== 'function') {
      throw new TypeError(`${name} is ${describe(make)}: pass a function that makes a store`)
    }
  }
  const store = async () => makeStore()
  const cases: ReplayStoreCase[] = [
    {
      name: 'claims an id once',
      async run() {
        const { claim } = callsOf(await store())
        const id = newId()
        assert(await claim(id), 'the first claim was not true')
        assert(!(await claim(id)), 'a second claim was true: a replay would be let in')
        assert(!(await claim(id)), 'a third claim was true: a replay would be let in')
      }
    },
    {
      name: 'keeps different ids apart',
      async run() {
        const { claim } = callsOf(await store())
        const ids = similarIds()
        for (const id of ids) {
          assert(await claim(id), `the first claim of ${show(id)} was not true: it is taken for another id`)
        }
        for (const id of ids) {
          assert(!(await claim(id)), `${show(id)} was claimed twice`)
        }
      }
    },
    {
      name: 'gives an id to one of many concurrent claims',
      async run() {
        const stores = [callsOf(await store()), callsOf(await store())] as const
        const [one, other] = stores
        const areShared = await isShared(one, other)
        for (let round = 0; round < 5; round++) {
          const id = newId()
          const claims = Array.from({ length: CALLERS }, (_, n) =>
            (areShared ? stores[n % 2]! : one).claim(id)
          )
          const won = (await Promise.all(claims)).filter(claimed => claimed).length
          assert(won === 1, `${won} of ${CALLERS} concurrent claims were true: exactly one may be`)
        }
      }
    },
    {
      name: 'holds an id for its time to live, and claims do not prolong it',
      async run() {
        const { claim } = callsOf(await store())
        const id = newId()
        const start = now()
        assert(await claim(id, SHORT_TTL), 'the first claim was not true')
        await untilFree(() => claim(id, 60), start, SHORT_TTL)
        assert(!(await claim(id)), 'an id that was claimed again after its time was not held')
      }
    },
    {
      name: 'takes a time to live that is a fraction, below a second, or a day',
      async run() {
        const { claim } = callsOf(await store())
        for (const ttl of [0.25, 600.0001, 1.5, 86_400]) {
          const id = newId()
          assert(await claim(id, ttl), `the claim for ${ttl} s was not true`)
          assert(!(await claim(id, ttl)), `the id claimed for ${ttl} s was not held`)
        }
      }
    },
    {
      name: 'gives an id whose time is over to one of many concurrent claims',
      async run() {
        const { claim } = callsOf(await store())
        const id = newId()
        const start = now()
        assert(await claim(id, SHORT_TTL), 'the first claim was not true')
        let won = 0
        const claimMany = async () => {
          const claims = await Promise.all(Array.from({ length: CALLERS }, () => claim(id)))
          won += claims.filter(claimed => claimed).length
          return won > 0
        }
        await untilFree(claimMany, start, SHORT_TTL)
        assert(won === 1, `${won} of ${CALLERS} concurrent claims were true: exactly one may be`)
      }
    },
    {
      name: 'releases an id, for one claim',
      async run() {
        const { claim, release } = callsOf(await store())
        const id = newId()
        assert(await claim(id), 'the first claim was not true')
        await release(id)
        const claims = await Promise.all(Array.from({ length: CALLERS }, () => claim(id)))
        const won = claims.filter(claimed => claimed).length
        assert(won > 0, 'no claim was true after the release: the repetition of a request would be refused')
        assert(
          won === 1,
          `${won} of ${CALLERS} concurrent claims were true after the release: exactly one may be`
        )
      }
    },
    {
      name: 'releases nothing but the id that it is given',
      async run() {
        const { claim, release } = callsOf(await store())
        const id = newId()
        assert(await claim(id), 'the first claim was not true')
        await release(newId())
        await release(id.slice(0, -1))
        assert(!(await claim(id)), 'the release of another id freed this one')
      }
    },
    {
      name: "does not release another store's claim",
      async run() {
        const [one, other] = [callsOf(await store()), callsOf(await store())]
        const id = newId()
        assert(await one.claim(id), 'the first claim was not true')
        await other.release(id)
        assert(!(await one.claim(id)), 'a store released what it had not claimed')
      }
    },
    {
      name: "does not release another store's newer claim when a release comes late",
      async run() {
        const [late, other] = [callsOf(await store()), callsOf(await store())]
        const id = newId()
        const start = now()
        assert(await late.claim(id, SHORT_TTL), 'the first claim was not true')
        if (await isShared(late, other)) await untilFree(() => other.claim(id, 60), start, SHORT_TTL)
        else assert(await other.claim(id, 60), 'the claim in a store of its own was not true')
        await late.release(id)
        assert(!(await other.claim(id)), 'a late release freed the newer claim: a replay would be let in')
      }
    }
  ]
  if (makeUnreachable === undefined) return cases
  return [...cases, unreachableCase(makeUnreachable)]
}

function unreachableCase(makeUnreachable: MakeReplayStore): ReplayStoreCase {
  return {
    name: 'rejects while it cannot be reached',
    async run() {
      const store = await makeUnreachable()
      for (let attempt = 0; attempt < 2; attempt++) {
        const claimed = await store.claim(newId(), 60).catch(() => 'rejected')
        assert(
          claimed === 'rejected',
          `a claim resolved to ${String(claimed)}: only a rejection says "unknown"`
        )
      }
      const released = await store.release(newId()).then(
        () => 'resolved',
        () => 'rejected'
      )
      assert(released === 'rejected', 'a release resolved, though nothing was released')
    }
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
    async release(id) {
      await store.release(id)
    }
  }
}

/** Whether two stores hold the same ids: two of one database do, two of one process's memory do not. */
async function isShared(one: Calls, other: Calls): Promise<boolean> {
  const id = newId()
  return (await one.claim(id)) && !(await other.claim(id))
}

/** Claims again until a claim is true, which must happen neither before the time is over nor long after. */
async function untilFree(claim: () => Promise<boolean>, start: number, ttlSeconds: number): Promise<void> {
  for (;;) {
    const asked = now()
    const isFree = await claim()
    const sinceStart = Math.round(now() - start)
    if (isFree) {
      const message = `an id claimed for ${ttlSeconds} s was forgotten after ${sinceStart} ms: a replay would be let in`
      return assert(sinceStart >= ttlSeconds * 1000 - CLOCK_ROUNDING, message)
    }
    assert(
      asked - start < ttlSeconds * 1000 + LATEST_EXPIRY,
      `an id claimed for ${ttlSeconds} s is still held after ${sinceStart} ms`
    )
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/** The store's clock and ours both count whole milliseconds. */
const CLOCK_ROUNDING = 2

const now = (): number => performance.now()

/** As the verifier's are: the base64 of 32 octets. */
function newId(): string {
  const octets = globalThis.crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...octets))
}

/** Ids that a database may confuse: by case, by white space at an end, by Unicode's normal form. */
function similarIds(): string[] {
  const id = `Az+/${newId()}`
  const swapped = id.replace(/[a-z]/gi, letter =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  )
  return [
    ...[id, swapped, `${id} `, ` ${id}`, `${id}=`, `${id}%`, `${id}*`, `${id}é`, `${id}e\u0301`, `"${id}'`],
    ...[`${id}constructor`, id.slice(0, -2), `${id}${'x'.repeat(900)}`, `${id}${'x'.repeat(901)}`]
  ]
}

const show = (id: string): string => JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}...` : id)

function assert(isKept: boolean, message: string): void {
  if (!isKept) throw new Error(message)
}
