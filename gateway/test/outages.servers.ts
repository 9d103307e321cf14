import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { register } from 'prom-client'
import { createVerifier, logRecord, type ReceivedRequest } from 'signed-requests'
import { createRecorder } from 'signed-requests/recorder'
import { createTestService, fromFixture, type TestService } from 'signed-requests/testing'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type AlertCase, askPromtool, type Firing, NONE } from '../../test/support/alerts.ts'
import { runInside } from '../../test/support/run-cli.ts'
import { send } from '../../test/support/wire.ts'
import { createRequestLog } from '../src/request-log.ts'
import { ask, startWithAdmin } from './support/admin.ts'
import '../../examples/metrics.ts'

// Trouble of eight minutes, beside scanners and a forger: what the alerts, one command and the recorded file say of it.
// The clock is moved second by second; requests, gateway, log, metrics and files are real.

const SCRAPED_EVERY = 15
const MINUTES_BEFORE = 15
const MINUTES_OF_TROUBLE = 8
const START = Date.parse('2026-11-24T03:00:00Z')
/** The trouble begins here. */
const BEGIN = START + MINUTES_BEFORE * 60_000
const minute = (count: number) => `${MINUTES_BEFORE + count}m`

/** A receiver as the pages show it. */
interface Receiver {
  take(request: ReceivedRequest): Promise<void>
  /** the metrics in Prometheus' text format */
  metrics(): Promise<string>
  /** what `explain` reads */
  readonly records: string
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outages-'))
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(START)
  onTestFinished(() => {
    vi.useRealTimers()
    rmSync(folder, { recursive: true })
  })
})

/** The gateway with `--log json` and `--admin`. */
async function startLoggingGateway({ options }: TestService): Promise<Receiver> {
  const records = join(folder, 'gateway.log')
  const gateway = await startWithAdmin({ verifier: options })
  // The limit of a second is that of this test's clock.
  const log = createRequestLog('json', line => appendFileSync(records, `${line}\n`), Date.now)
  let count = 0
  return {
    records,
    async take(request) {
      await send(gateway.address, request)
      count += 1
      log((await gateway.over(count)).at(-1)!)
    },
    metrics: async () => (await ask(gateway.port, '/metrics')).body
  }
}

/** A receiver with the recorder of docs/testing.md and the metrics of docs/operations.md. */
function startRecordingReceiver({ options }: TestService): Receiver {
  const records = join(folder, 'refused')
  const recorder = createRecorder({ directory: records })
  const verify = createVerifier({ ...options, recorder })
  register.resetMetrics()
  return {
    records,
    async take(request) {
      const verdict = await verify(request)
      appendFileSync(join(folder, 'receiver.log'), `${JSON.stringify({ time: new Date(), ...logRecord(verdict) })}\n`)
      await recorder.written()
    },
    metrics: () => register.metrics()
  }
}

const sign = (service: TestService): ReceivedRequest =>
  service.sign({ method: 'POST', target: '/hooks/in', body: '{"event":"published","id":42}' })
const SCAN: ReceivedRequest = { method: 'GET', target: '/.env', headers: [['Host', 'x']], body: null, https: true }
/** Signs with its own key under the name of the published one. */
const forger = createTestService()

/** Sends one genuine request in two seconds and 1.2 others in each, and scrapes the metrics. Returns its alerts. */
async function live(
  { take, metrics }: Receiver,
  service: TestService,
  trouble: (request: ReceivedRequest) => ReceivedRequest,
  onBegin: () => void = () => {}
): Promise<AlertCase['series']> {
  const scrapes: Map<string, string>[] = []
  const seconds = (MINUTES_BEFORE + MINUTES_OF_TROUBLE) * 60
  for (let second = 0; second <= seconds; second++) {
    const now = START + second * 1000
    vi.setSystemTime(now)
    if (now === BEGIN) onBegin()
    if (second % SCRAPED_EVERY === 0) scrapes.push(samplesIn(await metrics()))
    if (second % 2 === 0) await take(now < BEGIN ? sign(service) : trouble(sign(service)))
    await take(second % 2 === 0 ? SCAN : sign(forger))
    if (second % 5 === 0) await take(SCAN)
  }
  const names = new Set(scrapes.flatMap(samples => [...samples.keys()]))
  return [...names].map(series => ({
    series,
    values: scrapes.map(samples => samples.get(series) ?? '_').join(' ')
  }))
}

const samplesIn = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/^(signed_requests_(?:verdicts|responses)_total\{.*\}) (\d+)/gm)].map(
      ([, series, value]) => [series!, value!] as const
    )
  )

/**
 * Asserts that nothing fires before the trouble, that nobody is woken in its first two minutes, and what fires after
 * five.
 */
function assertAlerts(name: string, series: AlertCase['series'], firing: Firing, afterTwo: Firing = NONE): void {
  const times = { [minute(0)]: NONE, [minute(2)]: afterTwo, [minute(5)]: firing, [minute(8)]: firing }
  expect(askPromtool({ name, series, every: SCRAPED_EVERY, firing: times })).toContain('SUCCESS')
}

/** Explains what the receiver has written, with one command. */
async function explainRecords({ records }: Receiver) {
  const { code, stdout } = await runInside(['explain', records, '--json'])
  expect(code).toBe(1)
  const { groups, ...rest } = JSON.parse(stdout)
  const [largest] = groups
  expect(Date.parse(largest.first) - BEGIN).toBeLessThan(2000)
  expect(rest.forged).toBeGreaterThan(0)
  return { groups, largest, ...rest }
}

const fixtureOf = ({ records }: Receiver, name: string) =>
  fromFixture(JSON.parse(readFileSync(join(records, name), 'utf8')))

test('a rotation that went wrong', async () => {
  const service = createTestService()
  const receiver = await startLoggingGateway(service)
  const withdraw = () => void delete service.records[service.rotateKey()]
  const series = await live(receiver, service, request => request, withdraw)
  assertAlerts('rotation', series, { Missing: 'key-not-found' })

  const { groups, largest, unsigned, forged } = await explainRecords(receiver)
  expect(groups).toHaveLength(1)
  expect(largest).toMatchObject({
    ...{ code: 'key-not-found', signer: 'claimed', key: 'key2._domainkey.service.example' },
    ...{ count: 241, first: '2026-11-24T03:15:00Z', verifiedBefore: 450, verifiedSince: 0 },
    cause: expect.stringContaining('withdrawn')
  })
  expect([unsigned, forged]).toEqual([691 + 277, 690])
})

test('a proxy that strips a part of the path', async () => {
  const service = createTestService()
  const receiver = startRecordingReceiver(service)
  const series = await live(receiver, service, request => ({ ...request, target: '/in' }))
  assertAlerts('proxy', series, { Refused: 'signature-mismatch', Changed: true }, { Changed: true })

  const { largest, explained } = await explainRecords(receiver)
  expect(largest).toMatchObject({ code: 'signature-mismatch', signer: 'key', first: '2026-11-24T03:15:00Z' })
  expect(explained.diagnosis.failures).toMatchObject([
    { changed: { line: 1, signed: '(request-target): post /hooks/in', received: '(request-target): post /in' } }
  ])

  const { request, options, expected } = fixtureOf(receiver, largest.example)
  expect(expected).toMatchObject({ failures: [{ code: 'signature-mismatch' }] })
  expect((await createVerifier(options)(request)).failures).toMatchObject([{ code: 'signature-mismatch' }])
  const repaired = await createVerifier(options)({ ...request, target: `/hooks${request.target}` })
  expect(repaired.failures.map(({ code }) => code)).not.toContain('signature-mismatch')
})

test('a proxy that strips a part of the path, in front of the gateway', async () => {
  const service = createTestService()
  const receiver = await startLoggingGateway(service)
  const series = await live(receiver, service, request => ({ ...request, target: '/in' }))
  assertAlerts('proxy', series, { Refused: 'signature-mismatch', Changed: true }, { Changed: true })

  const { groups, largest } = await explainRecords(receiver)
  expect(groups).toHaveLength(1)
  expect(largest).toMatchObject({
    ...{ code: 'signature-mismatch', signer: 'key', count: 241, verifiedBefore: 450, verifiedSince: 0 },
    ...{
      cause: expect.stringContaining('stripped /hooks from the path'),
      fix: expect.stringContaining('--prefix /hooks')
    }
  })
})

test('a clock that is slow', async () => {
  const service = createTestService()
  let slow = 0
  const clock = () => Date.now() - slow
  const receiver = startRecordingReceiver({ ...service, options: { ...service.options, now: clock } } as TestService)
  const series = await live(
    receiver,
    service,
    request => request,
    () => {
      slow = 7 * 60_000
    }
  )
  assertAlerts('clock', series, { Missing: 'date-in-future' })

  const { largest, explained } = await explainRecords(receiver)
  expect(largest).toMatchObject({ code: 'date-in-future', signer: 'claimed' })
  expect(explained.diagnosis.failures).toMatchObject([
    { code: 'date-in-future', cause: expect.stringContaining('7 minutes ahead of') }
  ])

  const { request, options } = fixtureOf(receiver, largest.example)
  expect((await createVerifier(options)(request)).failures).toMatchObject([{ code: 'date-in-future' }])
  const right = await createVerifier({ ...options, now: () => options.now!() + slow })(request)
  expect(right.failures.map(({ code }) => code)).not.toContain('date-in-future')
})
