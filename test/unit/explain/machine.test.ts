import { expect, test } from 'vitest'
import { dohTxtLookup } from '../../../src/doh/index.ts'
import { createVerifier, diagnose, dnsTxtLookup, explain } from '../../../src/index.ts'
import { redisReplayStore } from '../../../src/replay/index.ts'
import { failing } from '../../support/failing.ts'
import { freePort } from '../../support/free-port.ts'
import { service } from '../../support/service.ts'
import { verifyWith } from '../../support/verdicts.ts'

test('names the DNS server that was asked, and says in words what the error is', async () => {
  const server = `127.0.0.1:${await freePort()}`
  const verdict = await verifyWith({ lookupTxt: dnsTxtLookup({ servers: [server], tries: 1 }) })
  const [failure] = diagnose(verdict).failures
  expect(failure).toMatchObject({
    code: 'key-lookup-failed',
    cause: expect.stringContaining('your DNS server, or the network path to it: ECONNREFUSED, it cannot be reached')
  })
  expect(failure?.facts).toContainEqual({ id: 'servers', label: 'asked', isLong: false, value: server })
  expect(explain(verdict)).toContain(`asked ${server}`)
  expect(failure?.fix).toContain(`npx signed-requests key key1._domainkey.service.example --dns-server ${server}.`)
})

test('names the DNS server that was too slow', async () => {
  const slow = Object.assign(() => new Promise<string[][]>(() => {}), { servers: () => ['192.0.2.53'] })
  const [failure] = diagnose(await verifyWith({ lookupTxt: slow, lookupTimeout: 1 })).failures
  expect(failure).toMatchObject({ code: 'key-lookup-timeout' })
  expect(failure?.facts).toContainEqual({ id: 'servers', label: 'asked', isLong: false, value: '192.0.2.53' })
})

test.each([
  ['ENOTFOUND', 'ENOTFOUND, there is no such name in DNS'],
  ['ENODATA', 'ENODATA, the name has no TXT record'],
  ['', 'no key record among the TXT records']
])('names the DNS server that has no key: %s', async (code, words) => {
  const answer = code === '' ? async () => [['v=spf1 -all']] : failing(code)
  const empty = Object.assign(answer, { servers: () => ['192.0.2.53'] })
  const [failure] = diagnose(await verifyWith({ lookupTxt: empty })).failures
  expect(failure).toMatchObject({ code: 'key-not-found', fix: expect.stringContaining('--dns-server 192.0.2.53') })
  expect(failure?.facts).toContainEqual({ id: 'servers', label: 'asked', isLong: false, value: '192.0.2.53' })
  expect(failure?.facts).toContainEqual({ id: 'reason', label: 'because', isLong: false, value: words })
})

test('names the host that was asked over HTTPS, without the path of its URL', async () => {
  const fetch = () => Promise.reject(new TypeError('fetch failed'))
  const lookupTxt = dohTxtLookup({ url: 'https://dns.example/secret', fetch })
  const [failure] = diagnose(await verifyWith({ lookupTxt })).failures
  expect(failure?.facts).toContainEqual({ id: 'servers', label: 'asked', isLong: false, value: 'dns.example' })
  expect(failure?.cause).toMatch(/^DNS over HTTPS at dns\.example, or the network path to it: /)
  expect(failure?.fix).not.toMatch(/53|signed-requests key/)
})

const fail = () => {
  throw new Error('not implemented')
}

test.each<[string, object]>([
  ['does not know them', {}],
  ['throws', { servers: fail }],
  ['has a getter that throws', Object.defineProperty({}, 'servers', { get: fail, enumerable: true })],
  ['answers later', { servers: async () => ['192.0.2.53'] }],
  ['returns no text', { servers: () => [fail] }]
])('says nothing of the servers of a lookup that %s', async (_, about) => {
  const lookupTxt = Object.defineProperties(failing('ESERVFAIL'), Object.getOwnPropertyDescriptors(about))
  const [failure] = diagnose(await verifyWith({ lookupTxt })).failures
  expect(failure?.cause).toMatch(/ESERVFAIL, the DNS server got no answer itself/)
  expect(failure?.facts.map(({ id }) => id)).not.toContain('servers')
})

test('names the replay store', async () => {
  const down = failing('ECONNREFUSED')
  const client = { isOpen: true, eval: down, set: down, sendCommand: down }
  const named = { ...redisReplayStore(client as never), name: 'Redis at 10.0.0.5:6379' }
  for (const [store, name] of [
    [redisReplayStore(client as never), 'Redis'],
    [named, 'Redis at 10.0.0.5:6379'],
    [{ claim: down, release: down }, 'the replay store'],
    [{ claim: down, release: down, name: fail as never }, 'the replay store'],
    [Object.defineProperty({ claim: down, release: down }, 'name', { get: fail }), 'the replay store']
  ] as const) {
    const [failure] = diagnose(await verifyWith({ replayStore: store })).failures
    expect(failure).toMatchObject({
      code: 'replay-store-failed',
      cause: `${name} cannot be reached (ECONNREFUSED)`,
      fix: expect.stringContaining('URL is right')
    })
  }
})

test.each(['late', 'undecided'] as const)(
  'a store that is %s is not taken for a fault in its code, in whatever words the evidence says so',
  async problem => {
    const verdict = await verifyWith({ replayStore: { claim: failing('Slow'), release: failing('Slow') } })
    const [failure] = verdict.failures
    expect(diagnose(verdict).failures[0]?.cause).toBe('the store threw Slow')
    Object.assign(failure?.evidence as object, { problem })
    expect(diagnose(verdict).failures[0]?.cause).toBe('the replay store failed: Slow')
  }
)

test('an error of a code with spaces is a fault in the code that threw it', async () => {
  for (const [options, cause] of [
    [{ replayStore: { claim: failing('not ready'), release: failing('x') } }, 'the store threw not ready'],
    [{ lookupTxt: failing('not ready') }, 'your lookupTxt function threw not ready']
  ] as const)
    expect(diagnose(await verifyWith(options)).failures[0]?.cause).toBe(cause)
})

test('speaks of no capture where a log is read', async () => {
  const verdict = await createVerifier(service.options)({ ...service.sign(), headers: [['X A', '1']] })
  const [failure] = diagnose(verdict, { settings: 'flags' }).failures
  expect(failure).toMatchObject({
    code: 'request-malformed',
    fix: expect.stringMatching(/^Have proxies pass method, target and/)
  })
  expect(failure?.cause).not.toContain('capture')
})
