import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLookup, unlessAborted } from '../../../src/key/lookup.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const NAME = 'one.service.example'
const TIMEOUT = { ok: false, code: 'key-lookup-timeout', evidence: { name: NAME, error: 'no answer within 50 ms' } }

const found = (text: string) => ({ ok: true, value: [[text]] })

/** Look-ups that are answered when the test says so. */
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
  // The second query is still the one to share.
  const third = lookup(NAME)
  expect(asked).toHaveLength(2)
  asked[1]!.answer([['in time']])
  expect(await Promise.all([second, third])).toEqual([found('in time'), found('in time')])
})

test('each of several names in flight shares its own query, until that is answered', async () => {
  const { asked, lookup } = createResolver()
  const names = ['a', 'b', 'c']
  const latest = new Map(names.map((name, place) => [name, place]))
  const first = names.map(lookup)
  const again = names.map(lookup)
  expect(asked).toHaveLength(3)

  // In each order of answering: the name that is answered is asked again, the others are not.
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

test.each([undefined, [['a']]])('fails with a message when a lookup returns no promise but %j', async returned => {
  const failed = await createLookup((() => returned) as never, 50)(NAME)
  expect(failed).toMatchObject({ code: 'key-lookup-failed' })
  expect(Reflect.get(failed, 'cause')).toEqual(new TypeError('lookupTxt returned no promise'))
})

describe('a sender that has left', () => {
  const LEFT = { ok: false, code: 'key-lookup-failed', evidence: { name: NAME, error: 'aborted by the receiver' } }

  test('gets a failure at once, and its query goes on for the others', async () => {
    const { asked, lookup } = createResolver()
    const sender = new AbortController()
    const query = lookup(NAME)
    const left = unlessAborted(query, sender.signal, NAME)
    sender.abort()
    expect(await left).toMatchObject(LEFT)
    asked[0]!.answer([['a']])
    expect(await unlessAborted(query, undefined, NAME)).toEqual(found('a'))
  })

  test('had left before: nothing waits for DNS', async () => {
    expect(await unlessAborted(new Promise(() => {}), AbortSignal.abort(), NAME)).toMatchObject(LEFT)
  })

  test('after the answer changes nothing, and its signal holds no listener', async () => {
    const { asked, lookup } = createResolver()
    const sender = new AbortController()
    const result = unlessAborted(lookup(NAME), sender.signal, NAME)
    expect(getEventListeners(sender.signal, 'abort')).toHaveLength(1)
    asked[0]!.answer([['a']])
    expect(await result).toEqual(found('a'))
    expect(getEventListeners(sender.signal, 'abort')).toEqual([])
    sender.abort()
    expect(await result).toEqual(found('a'))
  })
})

test('the evidence has the first ten servers that a lookup names, and none of one that cannot name them', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`)
  const fails = () => Promise.reject(new Error('down'))
  const evidenceWith = async (servers: () => readonly string[]) =>
    Reflect.get(await createLookup(Object.assign(fails, { servers }), 50)(NAME), 'evidence')
  expect(await evidenceWith(() => names)).toEqual({ name: NAME, error: 'Error', servers: names.slice(0, 10) })
  const throwing = () => {
    throw new Error('they cannot be listed')
  }
  expect(await evidenceWith(throwing)).toEqual({ name: NAME, error: 'Error' })
})
