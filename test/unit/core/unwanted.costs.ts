import { expect, test } from 'vitest'
import { createVerifier, logRecord, type ReceivedRequest, type VerifierOptions } from '../../../src/index.ts'
import { leastOf, leastTime } from '../../support/cpu-time.ts'
import { service, withHeaders } from '../../support/service.ts'

const TIMES = 400
const RUNS = 7

/** Returns how often the time with these options is that without them, for a verdict and its log line. */
async function costliness(request: ReceivedRequest, options: Partial<VerifierOptions>, most: number): Promise<number> {
  const time = (more: Partial<VerifierOptions>) => {
    const verify = createVerifier({ ...service.options, ...more })
    return leastTime(async () => {
      for (let i = 0; i < TIMES; i++) JSON.stringify(logRecord(await verify(request)))
    }, RUNS)
  }
  await time(options)
  return leastOf(async () => (await time(options)) / (await time({})), most)
}

const signed = service.sign({ body: '{"event":"published"}' })
const forged = { ...signed, target: '/another' }
const unsigned: ReceivedRequest = { method: 'GET', target: '/.env', headers: [['Host', 'x']], body: null, https: true }
const otherAccount = withHeaders(service.sign(), { 'X-Service-ID': 'account-99' })
const otherHost = withHeaders(service.sign(), { Host: 'other.example' })

const accounts = [...Array.from({ length: 100_000 }, (_, i) => `other-${i}`), '1234']
const hosts = [...Array.from({ length: 10_000 }, (_, i) => `other-${i}.example`), 'receiver.example']

test.each([
  ['an unsigned one', unsigned, 'signature-missing'],
  ['one for another account', otherAccount, 'account-mismatch'],
  ['one for another host', otherHost, 'host-mismatch'],
  ['one with another path', forged, 'signature-mismatch']
])(
  'a request is refused at most 1.2 times as dearly by 100,000 accounts and 10,000 hosts: %s',
  async (_, request, code) => {
    const long = { accounts, hosts }
    const { failures } = await createVerifier({ ...service.options, ...long })(request)
    expect(failures.map(failure => failure.code)).toContain(code)
    expect(await costliness(request, long, 1.2)).toBeLessThan(1.2)
  }
)

test('twenty TXT records at a name cost at most twice one', async () => {
  const [[key] = []] = Object.values(service.records)
  const others = Array.from({ length: 19 }, (_, i) => [`another-verification=${i}-${'x'.repeat(40)}`])
  const lookupTxt = async () => [...others, key!]
  const { status } = await createVerifier({ ...service.options, lookupTxt })(signed)
  expect(status).toBe('verified')
  for (const request of [signed, forged]) expect(await costliness(request, { lookupTxt }, 2)).toBeLessThan(2)
})
