import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type CheckResult, createVerifier, diagnose, dnsTxtLookup, nodeHandler, type Verdict } from '../src/index.ts'
import {
  CHECK_NAMES,
  explainDiagnosis,
  type Line,
  startDnsServer,
  TONES,
  type Tone,
  withTone
} from '../src/internal/index.ts'
import { memoryReplayStore } from '../src/replay/index.ts'
import { createTestService, type SignedTestRequest, type TestService } from '../src/testing/index.ts'
import { EXIT, type Io } from './command.ts'
import { exchange } from './exchange.ts'
import type { Command } from './flags.ts'

/** The command `signed-requests demo`. */
export const demo: Command = {
  about: [
    'Starts a DNS server and an HTTPS receiver on this machine, sends them good and forged requests, and prints ' +
      'which check refused each.'
  ],
  flags: {},
  examples: ['npx signed-requests demo'],
  exits: {
    0: 'every verdict is as expected',
    1: 'a verdict is not as expected',
    2: 'a port could not be opened',
    64: 'usage error'
  },
  run
}

const HOST = 'receiver.example'

async function run(_: object, io: Io): Promise<number> {
  // Both publish their keys in DNS; the receiver trusts the first one's domain.
  const service = createTestService({ serviceDomain: 'service.example' })
  const other = createTestService({ serviceDomain: 'other.example' })
  const records = { ...service.records, ...other.records }
  const dns = await startDnsServer(records)
  const verify = createVerifier({
    ...service.options,
    hosts: HOST,
    lookupTxt: dnsTxtLookup({ servers: [dns.address], timeout: 500, tries: 1 }),
    replayStore: memoryReplayStore()
  })
  // TLS with a key that both sides know (RFC 4279): Node makes no certificates.
  const psk = randomBytes(32)
  const tls = { ciphers: 'PSK', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const
  const trust = { pskCallback: () => ({ psk, identity: 'demo' }), checkServerIdentity: () => undefined }
  const verdicts: Verdict[] = []
  const keep = (verdict: Verdict): void => void verdicts.push(verdict)
  const receive = nodeHandler(verify, keep, { onRefused: keep })
  const receiver = createServer({ ...tls, pskCallback: () => psk }, receive)
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const { port } = receiver.address() as AddressInfo
  io.print([
    labelled('DNS       ', `${dns.address} over UDP and TCP, with the records of`),
    ...Object.keys(records).map(name => `          ${name}`),
    labelled('Receiver  ', `https://${HOST} on 127.0.0.1:${port}, for service.example`),
    '',
    ...LEGEND
  ])

  const wrong: string[] = []
  try {
    for (const [name, request, expected = ''] of requestsOf(service, other)) {
      if (expected === 'key-lookup-failed') await dns.close()
      const url = new URL(request.target, `https://127.0.0.1:${port}`)
      const { status } = await exchange(url, request, { ...tls, ...trust })
      const { checks, failures } = verdicts.at(-1)!
      const outcomes = CHECK_NAMES.map(check => checks[check].outcome)
      const codes = failures.map(({ code }) => code).join(', ')
      io.print(tableLine(`${status}`, name, outcomes, codes))
      if (codes !== expected) wrong.push(`${name}: expected ${expected || 'verified'}`)
    }
  } finally {
    receiver.close()
    await dns.close()
  }

  const shown = verdicts.find(({ failures: [failure] }) => failure?.code === 'signature-mismatch')!
  io.print('\nWhy "Path cut by a proxy" was refused, as explain(verdict) says it:\n')
  io.print([...explainDiagnosis(diagnose(shown)), ''])
  for (const line of wrong) io.note(line)
  const good = `All ${verdicts.length} verdicts are as expected.`
  if (wrong.length === 0) io.print(withTone('good', good, good))
  return wrong.length === 0 ? EXIT.ok : EXIT.refused
}

type Named = readonly [name: string, request: SignedTestRequest, code?: string]

/** Makes three requests of the service and seven that the receiver must not act on, with the codes that say why. */
function requestsOf(service: TestService, other: TestService): Named[] {
  const captured = service.sign({ method: 'POST', target: '/hooks/orders', body: '{"event":"paid"}' })
  const target = '/hooks/orders?version=2'
  const webhook = { method: 'POST', target, body: '{"event":"paid","amount":100}' }
  const forged = Buffer.from('{"event":"paid","amount":900}')
  const covered = ['(request-target)', 'Host', 'Date', service.options.accountHeader, 'X-Nonce']
  const date = Date.now() - 3_600_000
  const stripped = { ...service.sign({ ...webhook, target: `/api${target}` }), target }
  return [
    ['Webhook: POST, JSON', captured],
    ['Download: GET, no body', service.sign()],
    ['Large body: POST, 5 MB', service.sign({ ...webhook, body: Buffer.alloc(5_000_000, 'signed, ') })],
    ['Tampered body', { ...service.sign(webhook), body: forged }, 'digest-mismatch'],
    ['Path cut by a proxy', stripped, 'signature-mismatch'],
    ['Replayed an hour later', service.sign({ ...webhook, date }), 'date-too-old'],
    ['Replayed at once', captured, 'replayed'],
    ['Key outside the domain', other.sign(webhook), 'key-name-outside-domain'],
    ['Digest is not signed', service.sign({ ...webhook, covered }), 'coverage-insufficient'],
    ['DNS outage', service.sign(webhook), 'key-lookup-failed']
  ]
}

const MARKS = { pass: '+', fail: 'x', unavailable: '?', 'not-run': '-' }
const STATUS_TONES: Readonly<Record<string, Tone>> = { 204: 'good', 401: 'bad', 503: 'undecided' }

const labelled = (label: string, text: string): Line => withTone('label', label, label + text)

/** The widths of the first two columns. The table has at most 80 columns. */
const [STATUS, NAME] = [6, 22]
const NUMBERED = CHECK_NAMES.map((check, i) => `${i + 1} ${check}`)
const NUMBERS = CHECK_NAMES.map((_, i) => ` ${i + 1}`)
const HEADER = `${'HTTP'.padEnd(STATUS)}${'Request'.padEnd(NAME)}${NUMBERS.join('')}  Refused with`

/** The lines above the table. */
const LEGEND: readonly Line[] = [
  labelled('Checks  ', NUMBERED.slice(0, 6).join('  ')),
  `        ${NUMBERED.slice(6).join('  ')}`,
  labelled('Marks   ', '+ passed  x failed  ? could not be decided  - not run'),
  labelled('HTTP    ', '204 verified  401 refused  503 undecided: the sender should retry'),
  '',
  labelled(HEADER, '')
]

/** Makes the line of a request; each mark stands below the last digit of its check's number. */
function tableLine(status: string, name: string, outcomes: readonly CheckResult['outcome'][], codes: string): Line {
  const marks = outcomes.reduceRight<Line>((rest, outcome, i) => {
    return { tone: TONES[outcome], start: MARKS[outcome].padStart(NUMBERS[i]!.length), rest }
  }, codes && `  ${codes}`)
  return { tone: STATUS_TONES[status] ?? 'label', start: status.padEnd(STATUS) + name.padEnd(NAME), rest: marks }
}
