import { getEventListeners } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dohTxtLookup } from '../../../../src/doh/index.ts'
import { createVerifier, dnsTxtLookup, type VerifierOptions } from '../../../../src/index.ts'
import { startDnsServer } from '../../../support/dns-server.ts'
import { startDohServer } from '../../../support/doh-server.ts'
import { service, withSignature } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { failuresOf } from '../../../support/verdicts.ts'

type Lookup = NonNullable<VerifierOptions['lookupTxt']>

/** No query ends by itself while a test runs. */
const HOUR = 3_600_000

const isMadeUp = (name: string): boolean => name.startsWith('made-up-')

/** A resolver never answers about made-up names; it counts the queries that have arrived, and those still open. */
const RESOLVERS = {
  async DNS() {
    const server = await startDnsServer(service.records)
    onTestFinished(server.close)
    for (let n = 0; n < 2000; n++) server.outcomes.set(`made-up-${n}.service.example`, 'silence')
    const lookupTxt = dnsTxtLookup({ servers: [server.address], timeout: HOUR, tries: 1 })
    return { lookupTxt, arrived: () => server.names().filter(isMadeUp).length, open: () => 0 }
  },
  async 'DNS over HTTPS'() {
    const server = await startDohServer(service.records)
    onTestFinished(server.close)
    let open = 0
    server.intercept = (name, response) => {
      if (!isMadeUp(name)) return false
      open += 1
      response.on('close', () => {
        open -= 1
      })
      return true
    }
    const lookupTxt = dohTxtLookup({ url: server.url, timeout: HOUR })
    return { lookupTxt, arrived: () => server.seen.length, open: () => open }
  }
}

/** Counts the pending promises of this lookup. */
function counted(lookupTxt: Lookup) {
  let pending = 0
  const settled = () => {
    pending -= 1
  }
  const counting: Lookup = (...call) => {
    pending += 1
    const answer = lookupTxt(...call)
    answer.then(settled, settled)
    return answer
  }
  return { lookupTxt: counting, pending: () => pending }
}

const signed = service.sign()
const madeUp = (n: number) =>
  withSignature(signed, text => text.replace(/keyId="[^"]*"/, `keyId="made-up-${n}.service.example"`))

describe.each(Object.entries(RESOLVERS))('queries by %s that nobody waits for', (_, startResolver) => {
  test('queries are aborted when the requests of a flood leave, and genuine requests verify', async () => {
    const { lookupTxt, arrived, open } = await startResolver()
    const { lookupTxt: counting, pending } = counted(lookupTxt)
    const verify = createVerifier({ ...service.options, lookupTxt: counting, lookupTimeout: HOUR })
    const senders = Array.from({ length: 150 }, () => new AbortController())
    const verdicts = senders.map(({ signal }, n) => verify({ ...madeUp(n), signal }))
    // The receive buffer holds only a part of a UDP burst.
    await until(() => arrived() > 75)
    expect(pending()).toBe(150)
    expect(failuresOf(await verify(signed))).toEqual([])
    for (const sender of senders) sender.abort()
    for (const verdict of await Promise.all(verdicts))
      expect(verdict.failures).toMatchObject([{ code: 'key-lookup-failed', evidence: { problem: 'late' } }])
    await until(() => pending() === 0 && open() === 0)
    expect(failuresOf(await verify(signed))).toEqual([])
  })

  test('queries are aborted at the deadline of the verifier', async () => {
    const { lookupTxt, arrived, open } = await startResolver()
    const { lookupTxt: counting, pending } = counted(lookupTxt)
    // On a busy machine no query may arrive before the deadline: the next round has a later one.
    for (let lookupTimeout = 300; arrived() === 0; lookupTimeout *= 2) {
      const verify = createVerifier({ ...service.options, lookupTxt: counting, lookupTimeout })
      const verdicts = Array.from({ length: 50 }, (_, n) => verify(madeUp(n)))
      for (const verdict of await Promise.all(verdicts))
        expect(failuresOf(verdict)).toEqual(['key: key-lookup-timeout'])
    }
    await until(() => pending() === 0 && open() === 0)
  })
})

test('1,000 queries are open at most: of more names, each fails at once', async () => {
  const { lookupTxt } = await RESOLVERS.DNS()
  const { lookupTxt: counting, pending } = counted(lookupTxt)
  const verify = createVerifier({ ...service.options, lookupTxt: counting, lookupTimeout: HOUR })
  const senders = Array.from({ length: 1000 }, () => new AbortController())
  const waiting = senders.map(({ signal }, n) => verify({ ...madeUp(n), signal }))
  const more = await Promise.all(Array.from({ length: 500 }, (_, n) => verify(madeUp(1000 + n))))
  expect(pending()).toBe(1000)
  for (const verdict of more)
    expect(verdict).toMatchObject({
      status: 'unavailable',
      failures: [{ code: 'key-lookup-failed', evidence: { problem: 'late', limit: 1000 } }]
    })
  for (const sender of senders) sender.abort()
  await Promise.all(waiting)
  await until(() => pending() === 0)
})

describe('dnsTxtLookup', () => {
  /** Makes a lookup whose server holds its answers back until told. */
  async function startHeld() {
    const server = await startDnsServer({ a: [['a']], b: [['b']] })
    onTestFinished(server.close)
    const lookup = dnsTxtLookup({ servers: [server.address], timeout: HOUR, tries: 1 })
    const controllers = [new AbortController(), new AbortController()] as const
    return { server, lookup, controllers }
  }

  test('cancels the query of the signal that is aborted, and no other', async () => {
    const { server, lookup, controllers } = await startHeld()
    const isHeld = server.hold()
    const cancelled = lookup('a', controllers[0])
    const other = lookup('b', controllers[1])
    await isHeld
    controllers[0].abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'ECANCELLED' })
    await until(() => server.queries() === 2)
    server.release()
    expect(await other).toEqual([['b']])
  })

  test('cancels at once when the signal was aborted before', async () => {
    const { server, lookup } = await startHeld()
    void server.hold()
    await expect(lookup('a', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ECANCELLED' })
  })

  test('asks again after a cancelled query, and leaves no listener at a signal that many queries share', async () => {
    const { lookup, controllers } = await startHeld()
    await expect(lookup('a', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ECANCELLED' })
    for (let n = 0; n < 20; n++) expect(await lookup('a', controllers[0])).toEqual([['a']])
    expect(getEventListeners(controllers[0].signal, 'abort')).toEqual([])
    controllers[0].abort()
    expect(await lookup('b', controllers[1])).toEqual([['b']])
  })
})
