import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createVerifier, diagnose, dnsTxtLookup, nodeHandler, type Verdict } from '../src/index.ts'
import { memoryReplayStore } from '../src/replay/index.ts'
import { createTestService, type SignedTestRequest, type TestService } from '../src/testing/index.ts'
import { CHECK_NAMES, explainDiagnosis, startDnsServer } from '../src/tools/index.ts'
import { EXIT, type Io } from './command.ts'
import { exchange } from './exchange.ts'
import type { Command } from './flags.ts'

/** The command `signed-requests demo`. */
export const demo: Command = {
  about: [
    'Starts a DNS server and an HTTPS receiver on this machine, sends good and forged requests, prints which check ' +
      'refused each, and ends.'
  ],
  flags: {},
  examples: ['npx signed-requests demo'],
  exits: {
    0: 'every verdict is as expected',
    1: 'a verdict is not as expected',
    2: 'a port could not be opened',
    64: 'a mistake on the command line'
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
  io.print(`DNS       ${dns.address} over UDP and TCP, with the records of`)
  for (const name of Object.keys(records)) io.print(`          ${name}`)
  io.print(`Receiver  https://${HOST} on 127.0.0.1:${port}, for service.example\n\n${LEGEND}`)

  const wrong: string[] = []
  try {
    for (const [name, request, expected = ''] of requestsOf(service, other)) {
      if (expected === 'key-lookup-failed') await dns.close()
      const url = new URL(request.target, `https://127.0.0.1:${port}`)
      const { status } = await exchange(url, request, { ...tls, ...trust })
      const { checks, failures } = verdicts.at(-1)!
      const marks = CHECK_NAMES.map(check => MARKS[checks[check].outcome]).join(' ')
      const codes = failures.map(({ code }) => code).join(', ')
      io.print(`${name.padEnd(NAME)}${status}   ${marks}  ${codes}`.trimEnd())
      if (codes !== expected) wrong.push(`${name}: expected ${expected || 'verified'}`)
    }
  } finally {
    receiver.close()
    await dns.close()
  }

  const shown = verdicts.find(({ failures: [failure] }) => failure?.code === 'signature-mismatch')!
  io.print('\nWhy "Path stripped by a proxy" was refused, as explain(verdict) says it:\n')
  io.print([...explainDiagnosis(diagnose(shown)), ''])
  for (const line of wrong) io.note(line)
  if (wrong.length === 0) io.print(`All ${verdicts.length} verdicts are as expected.`)
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
    ['Content download: GET, no body', service.sign({ target: '/content/42' })],
    ['Large body: POST, 5 MB', service.sign({ ...webhook, body: Buffer.alloc(5_000_000, 'signed, ') })],
    ['Tampered body', { ...service.sign(webhook), body: forged }, 'digest-mismatch'],
    ['Path stripped by a proxy', stripped, 'signature-mismatch'],
    ['Replayed with its old Date', service.sign({ ...webhook, date }), 'date-too-old'],
    ['Replayed at once, byte for byte', captured, 'replayed'],
    ['Key outside the domain', other.sign(webhook), 'key-name-outside-domain'],
    ['Signature leaves out Digest', service.sign({ ...webhook, covered }), 'coverage-insufficient'],
    ['DNS outage', service.sign(webhook), 'key-lookup-failed']
  ]
}

const MARKS = { pass: 'ok', fail: 'NO', unavailable: '??', 'not-run': '--' }

const NAME = 32
const NUMBERED = CHECK_NAMES.map((check, i) => `${i + 1} ${check}`)

/** A line for each request and a column for each check follow. */
const LEGEND = `\
Checks  ${NUMBERED.slice(0, 6).join('  ')}
        ${NUMBERED.slice(6).join('  ')}
Marks   ok passed  NO failed  ?? could not be decided  -- not run
HTTP    204 verified  401 refused  503 not decided, the sender is asked to try again

${'Request'.padEnd(NAME)}HTTP  ${CHECK_NAMES.map((_, i) => String(i + 1).padStart(2)).join(' ')}  Refused with`
