import type { ReplayStore } from '../../../src/replay/index.ts'

export type Call = readonly [method: 'claim' | 'release', token: string]

/** The state of an id, as text: `free`, `held by t`, `released by t`. */
type State = string

/** Follows the table of a store's five rows: the result of a call, and the state after it. */
export function followTable(state: State, [method, token]: Call): [result: boolean | undefined, next: State] {
  const isOfToken = state.endsWith(` by ${token}`)
  if (method === 'claim') {
    if (state === 'free') return [true, `held by ${token}`]
    if (state.startsWith('held')) return [isOfToken, state]
    return isOfToken ? [false, state] : [true, `held by ${token}`]
  }
  return [undefined, state.startsWith('held') && !isOfToken ? state : `released by ${token}`]
}

const TOKENS = ['t', 'u', 'v']
const CALLS = TOKENS.flatMap((token): Call[] => [
  ['claim', token],
  ['release', token]
])

/** Holds calls in their order, and the call before which the id expires, if it does. */
export interface Order {
  calls: readonly Call[]
  expiresBefore: number | undefined
}

/**
 * Returns every order of one to five calls, each of them at most twice, without an expiry and with one between any two.
 */
export function allOrders(): Order[] {
  const orders: Order[] = []
  const extend = (calls: readonly Call[]): void => {
    if (calls.length > 0) orders.push({ calls, expiresBefore: undefined })
    for (let n = 1; n < calls.length; n++) orders.push({ calls, expiresBefore: n })
    if (calls.length === 5) return
    for (const call of CALLS) if (calls.filter(made => made === call).length < 2) extend([...calls, call])
  }
  extend([])
  return orders
}

/** This many orders run at once: a pool waits no longer than its time limits for a connection. */
const AT_ONCE = 100

/**
 * Runs every order on a store, each with an id of its own, and returns the results that differ from the table.
 *
 * @param expire makes ids expire, as their time would
 */
export async function differingOrders(
  store: ReplayStore,
  expire: (ids: readonly string[]) => Promise<unknown>,
  orders = allOrders()
): Promise<string[]> {
  const runs = orders.map((order, n) => ({ ...order, id: `order-${n}`, state: 'free', differs: '' }))
  for (let step = 0; step < 5; step++) {
    const expiring = runs.filter(({ expiresBefore }) => expiresBefore === step)
    await expire(expiring.map(({ id }) => id))
    for (const run of expiring) run.state = 'free'
    const left = runs.filter(({ calls }) => calls.length > step).values()
    const work = async () => {
      for (const run of left) {
        const call = run.calls[step]!
        const [expected, next] = followTable(run.state, call)
        const result = await store[call[0]](run.id, call[1], 600)
        if (result !== expected) run.differs ||= `step ${step}: ${result}, not ${expected}`
        run.state = next
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  return runs
    .filter(({ differs }) => differs !== '')
    .map(({ calls, expiresBefore, differs }) => `${calls.join(' ')}, expires ${expiresBefore}: ${differs}`)
}
