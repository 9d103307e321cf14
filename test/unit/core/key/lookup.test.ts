import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLookup, LookupOptions } from '../../../../src/core/key/lookup.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const NAME = 'one.service.example'
const TIMEOUT = { ok: false, code: 'key-lookup-timeout', evidence: { name: NAME, error: 'no answer within 50 ms' } }

const found = (text: string) => ({ ok: true, value: [[text]] })

/** Makes lookups that are answered when the test says so. */
function createResolver() {
  const asked: { answer: (records: string[][]) => void; options: { readonly signal: AbortSignal } }[] = []
  const lookup = createLookup((_, options) => new Promise(resolve => asked.push({ answer: resolve, options })), 50)
  return { asked, lookup }
}

test('the deadline is exact to the millisecond, and an answer removes it', async () => {
  const { asked, lookup } = createResolver()
  const answered = lookup(NAME)
  await vi.advanceTimersByTimeAsync(49)
  expect(vi.getTimerCount()).toBe(1)
  asked[0]!.answer([['a']])
  expect(await answered).toEqual(found('a'))
  expect(vi.getTimerCount()).toBe(0)

  const late = lookup(NAME)
  await vi.advanceTimersByTimeAsync(50)
  expect(await late).toMatchObject(TIMEOUT)
})

test('makes no timer when the answer is immediate', async () => {
  expect(await createLookup(async () => [['a']], 50)(NAME)).toEqual(found('a'))
  expect(vi.getTimerCount()).toBe(0)
})

test.each(['ESERVFAIL', 'ETIMEOUT'])('adds the error itself to %s, where no clone and no log shows it', async code => {
  const error = Object.assign(new Error('resolver 10.0.0.1 failed'), { code })
  const failed = await createLookup(() => Promise.reject(error), 50)(NAME)
  expect(Reflect.get(failed, 'cause')).toBe(error)
  expect(Object.keys(failed)).not.toContain('cause')
})

test('an answer after the deadline is not used for the next query', async () => {
  const { asked, lookup } = createResolver()
  const first = lookup(NAME)
  await vi.advanceTimersByTimeAsync(50)
  const second = lookup(NAME)
  asked[0]!.answer([['late']])
  await vi.advanceTimersByTimeAsync(1)
  expect(await first).toMatchObject(TIMEOUT)
  // The second query is still the shared one.
  const third = lookup(NAME)
  expect(asked).toHaveLength(2)
  asked[1]!.answer([['in time']])
  expect(await Promise.all([second, third])).toEqual([found('in time'), found('in time')])
})

test('each of several names in flight shares its own query, until that is answered', async () => {
  const { asked, lookup } = createResolver()
  const names = ['a', 'b', 'c']
  const latest = new Map(names.map((name, place) => [name, place]))
  const first = names.map(name => lookup(name))
  const again = names.map(name => lookup(name))
  expect(asked).toHaveLength(3)

  // The names are answered in every order: an answered name is asked again, the others are not.
  let answered = 0
  for (const [at, name] of ['b', 'a', 'b', 'c', 'a', 'a', 'c', 'b'].entries()) {
    const inFlight = new Map(names.map(name => [name, lookup(name)]))
    expect(asked).toHaveLength(3 + answered)
    asked[latest.get(name)!]!.answer([[`${name} ${at}`]])
    expect(await inFlight.get(name)).toEqual(found(`${name} ${at}`))
    latest.set(name, asked.length)
    void lookup(name)
    answered += 1
    expect(asked).toHaveLength(3 + answered)
  }
  expect(await Promise.all([...first, ...again])).toEqual(['a 1', 'b 0', 'c 3', 'a 1', 'b 0', 'c 3'].map(found))
})

test('keeps no answer of a lookup that asks for its own name from within', async () => {
  const answers: ((records: string[][]) => void)[] = []
  let asked = 0
  const lookup = createLookup(name => {
    if (++asked === 1) void lookup(name)
    return new Promise(resolve => answers.push(resolve))
  }, 50)
  const outer = lookup(NAME)
  for (const answer of answers) answer([['a']])
  expect(await outer).toEqual(found('a'))
  const next = lookup(NAME)
  answers[2]!([['b']])
  expect(await next).toEqual(found('b'))
})

test('a lookup that throws at once is asked again', async () => {
  const ask = vi.fn<() => Promise<string[][]>>().mockResolvedValue([['a']])
  ask.mockImplementationOnce(() => {
    throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
  })
  const lookup = createLookup(ask, 50)
  expect(await lookup(NAME)).toMatchObject({ code: 'key-not-found', evidence: { reason: 'ENOTFOUND' } })
  expect(await lookup(NAME)).toEqual(found('a'))
})

test('the signal is aborted at the deadline, whenever it is asked for, and not by an answer', async () => {
  const { asked, lookup } = createResolver()
  void lookup(NAME)
  const early = asked[0]!.options.signal
  expect(early.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(50)
  expect(early.aborted).toBe(true)
  expect(asked[0]!.options.signal).toBe(early)

  void lookup(NAME)
  await vi.advanceTimersByTimeAsync(50)
  expect(asked[1]!.options.signal.aborted).toBe(true)

  void lookup(NAME)
  await vi.advanceTimersByTimeAsync(10)
  asked[2]!.answer([['a']])
  await vi.advanceTimersByTimeAsync(90)
  expect(asked[2]!.options.signal.aborted).toBe(false)
})

test.each([undefined, [['a']]])('says that a lookup returned no promise but %j', async returned => {
  expect(await createLookup((() => returned) as never, 50)(NAME)).toMatchObject({
    code: 'key-lookup-failed',
    evidence: { name: NAME, error: 'it returned no promise', problem: 'wrong-type' }
  })
})

const LEFT = {
  ok: false,
  code: 'key-lookup-failed',
  evidence: { name: NAME, error: 'aborted by the receiver', problem: 'late' }
}

describe('a request that has left', () => {
  test('gets a failure at once, and its query goes on for the others that wait', async () => {
    const { asked, lookup } = createResolver()
    const sender = new AbortController()
    const others = [lookup(NAME), lookup(NAME, new AbortController().signal)]
    const left = lookup(NAME, sender.signal)
    sender.abort()
    expect(await left).toMatchObject(LEFT)
    expect(asked[0]!.options.signal.aborted).toBe(false)
    asked[0]!.answer([['a']])
    expect(await Promise.all(others)).toEqual([found('a'), found('a')])
    expect(asked).toHaveLength(1)
  })

  test('a request that had left before does not ask DNS', async () => {
    const { asked, lookup } = createResolver()
    expect(await lookup(NAME, AbortSignal.abort())).toMatchObject(LEFT)
    expect(asked).toEqual([])
  })

  test('the last request that leaves aborts the query, and the next request starts its own', async () => {
    const { asked, lookup } = createResolver()
    const senders = Array.from({ length: 3 }, () => new AbortController())
    const left = senders.map(({ signal }) => lookup(NAME, signal))
    const { signal } = asked[0]!.options
    for (const sender of senders) {
      expect(signal.aborted).toBe(false)
      sender.abort()
    }
    expect(signal.aborted).toBe(true)
    for (const result of left) expect(await result).toMatchObject(LEFT)

    const next = lookup(NAME)
    expect(asked).toHaveLength(2)
    asked[0]!.answer([['of the aborted query']])
    asked[1]!.answer([['b']])
    expect(await next).toEqual(found('b'))
  })

  test('a request that leaves after the answer changes nothing, and its signal holds no listener', async () => {
    const { asked, lookup } = createResolver()
    const sender = new AbortController()
    const result = lookup(NAME, sender.signal)
    expect(getEventListeners(sender.signal, 'abort')).toHaveLength(1)
    asked[0]!.answer([['a']])
    expect(await result).toEqual(found('a'))
    expect(getEventListeners(sender.signal, 'abort')).toEqual([])
    sender.abort()
    expect(await result).toEqual(found('a'))
    expect(asked[0]!.options.signal.aborted).toBe(false)
  })
})

describe('with as many queries in flight as are allowed', () => {
  const TOO_MANY = {
    code: 'key-lookup-failed',
    evidence: { error: 'too many lookups are in flight', problem: 'late', limit: 1000 }
  }

  /** Starts lookups of made-up names, each with a request that can be aborted; returns a function that settles each. */
  function flood(count: number, settlesWhenAborted: boolean) {
    const settle: (() => void)[] = []
    const lookup = createLookup(
      (_, { signal }) =>
        new Promise(resolve => {
          settle.push(() => resolve([['a']]))
          if (settlesWhenAborted) signal.addEventListener('abort', () => resolve([]))
        }),
      50
    )
    const senders = Array.from({ length: count }, () => new AbortController())
    const results = senders.map(({ signal }, n) => lookup(`${n}.service.example`, signal))
    return { lookup, senders, results, settle }
  }

  test('with all queries in flight, another name fails at once, and a name in flight shares its query', async () => {
    const { lookup, settle } = flood(1000, true)
    expect(await lookup(NAME)).toMatchObject(TOO_MANY)
    expect(settle).toHaveLength(1000)
    const shared = lookup('7.service.example')
    settle[7]!()
    expect(await shared).toEqual(found('a'))
    void lookup(NAME)
    expect(settle).toHaveLength(1001)
  })

  test('a name whose records were found before the flood is asked for', async () => {
    const { lookup, settle } = flood(0, true)
    const before = lookup(NAME)
    settle[0]!()
    await before
    for (let n = 0; n < 1000; n++) void lookup(`${n}.service.example`)
    expect(await lookup('other.service.example')).toMatchObject(TOO_MANY)
    const genuine = lookup(NAME)
    settle[1001]!()
    expect(await genuine).toEqual(found('a'))
  })

  test('requests for a known name that leave at once have 16 more queries open', async () => {
    const { lookup, settle } = flood(0, false)
    const before = lookup(NAME)
    settle[0]!()
    await before
    const results = Array.from({ length: 2000 }, () => {
      const sender = new AbortController()
      const result = lookup(NAME, sender.signal)
      sender.abort()
      return result
    })
    expect(settle).toHaveLength(1 + 1016)
    expect(await results.at(-1)).toMatchObject({ evidence: { limit: 1016 } })
  })

  test('requests that leave free their queries at once, where lookupTxt follows its signal', async () => {
    const { lookup, senders, settle } = flood(1000, true)
    for (const sender of senders) sender.abort()
    await vi.advanceTimersByTimeAsync(0)
    for (let n = 0; n < 1000; n++) void lookup(`${n}.service.example`)
    expect(settle).toHaveLength(2000)
  })

  test('the deadline frees a query at once, where lookupTxt follows its signal', async () => {
    const { lookup, settle } = flood(1000, true)
    await vi.advanceTimersByTimeAsync(50)
    void lookup(NAME)
    expect(settle).toHaveLength(1001)
  })

  test('a query that ignores its signal counts until it settles, after the deadline as well', async () => {
    const { lookup, senders, settle } = flood(1000, false)
    for (const sender of senders.slice(0, 500)) sender.abort()
    await vi.advanceTimersByTimeAsync(50)
    expect(await lookup(NAME)).toMatchObject(TOO_MANY)
    for (const n of [3, 700]) settle[n]!()
    await vi.advanceTimersByTimeAsync(0)
    for (const name of ['a', 'b', 'c']) void lookup(name)
    expect(settle).toHaveLength(1002)
  })

  test('a query that never settles counts for four more timeouts, so that nobody is refused forever', async () => {
    const { lookup, senders, settle } = flood(1000, false)
    for (const sender of senders) sender.abort()
    await vi.advanceTimersByTimeAsync(199)
    expect(await lookup(NAME)).toMatchObject(TOO_MANY)
    await vi.advanceTimersByTimeAsync(1)
    void lookup('later-0.service.example')
    expect(settle).toHaveLength(1001)
    for (let n = 1; n < 1001; n++) void lookup(`later-${n}.service.example`)
    expect(settle).toHaveLength(2000)
  })
})

/** Makes a lookup that allows one query, and uses it up with one that is never answered. */
function createFull() {
  const lookup = createLookup(
    async name => {
      if (name === 'stuck') return new Promise(() => {})
      if (name.startsWith('gone')) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return [['a']]
    },
    50,
    1
  )
  const isKnown = async (name: string) => (await lookup(name)).ok
  return { lookup, isKnown, fill: () => void lookup('stuck') }
}

test('the last sixteen names with records are known, however often each is asked for', async () => {
  const { lookup, isKnown, fill } = createFull()
  const names = Array.from({ length: 17 }, (_, n) => `key${n}.service.example`)
  for (const name of [...names, ...Array<string>(20).fill(names[16]!)]) await lookup(name)
  fill()
  const known: boolean[] = []
  for (const name of names) known.push(await isKnown(name))
  expect(known).toEqual([false, ...Array<boolean>(16).fill(true)])
})

test('a name without records is not known', async () => {
  const { lookup, isKnown, fill } = createFull()
  expect((await lookup('gone.service.example')).ok).toBe(false)
  fill()
  expect(await lookup('gone.service.example')).toMatchObject({ code: 'key-lookup-failed' })
  expect(await isKnown('other.service.example')).toBe(false)
})

describe('the options of a lookup', () => {
  test('of the verifier and of anybody else call back when the query is aborted, until that is ended', () => {
    const controllers = [new LookupOptions(), new AbortController()]
    for (const options of controllers) {
      let calls = 0
      const count = () => {
        calls += 1
      }
      const end = LookupOptions.onAbort(options, count)
      end()
      LookupOptions.onAbort(options, count)
      options.abort()
      expect([calls, options.signal.aborted]).toEqual([1, true])
    }
  })

  test('that were aborted before call back at once, and options that are missing never', () => {
    let calls = 0
    const count = () => {
      calls += 1
    }
    LookupOptions.onAbort({ signal: AbortSignal.abort() }, count)
    expect(calls).toBe(1)
    LookupOptions.onAbort(undefined, count)()
    LookupOptions.onAbort({} as never, count)()
    expect(calls).toBe(1)
  })

  test('of the verifier make no signal for a callback', () => {
    let made = 0
    class Counted extends AbortController {
      constructor() {
        super()
        made += 1
      }
    }
    vi.stubGlobal('AbortController', Counted)
    const options = new LookupOptions()
    LookupOptions.onAbort(options, () => {})()
    expect(made).toBe(0)
    expect(options.signal.aborted).toBe(false)
    expect(made).toBe(1)
    vi.unstubAllGlobals()
  })
})

test('the evidence has the first ten servers that a lookup names, and none of one that cannot name them', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`)
  const fails = () => Promise.reject(new Error('down'))
  const evidenceWith = async (servers: () => readonly string[]) =>
    Reflect.get(await createLookup(Object.assign(fails, { servers }), 50)(NAME), 'evidence')
  expect(await evidenceWith(() => names)).toEqual({
    name: NAME,
    error: 'Error',
    problem: 'threw',
    servers: names.slice(0, 10)
  })
  const throwing = () => {
    throw new Error('they cannot be listed')
  }
  expect(await evidenceWith(throwing)).toEqual({ name: NAME, error: 'Error', problem: 'threw' })
})
