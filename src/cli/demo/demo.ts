import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { explain } from '../../explain/explain.ts'
import { nodeHandler } from '../../handlers/node.ts'
import { dnsTxtLookup } from '../../key/dns.ts'
import { memoryReplayStore } from '../../replay/memory.ts'
import { startDnsServer } from '../../testing/dns-server.ts'
import { createTestService } from '../../testing/service.ts'
import type { CheckName, Verdict } from '../../verdict/verdict.ts'
import { createVerifier } from '../../verify.ts'
import { EXIT, type Io } from '../command.ts'
import { exchange } from '../exchange.ts'
import type { Command } from '../help.ts'
import { type Scenario, scenariosOf } from './scenarios.ts'

/** `signed-requests demo` */
export const demo: Command = {
  summary: 'show good and forged requests, and the verdict on each',
  usage: '',
  about:
    'Starts a DNS server and an HTTPS receiver on this machine, sends good and forged requests, prints which check ' +
    'refused each, and ends.',
  options: {},
  examples: ['npx signed-requests demo'],
  exits: ['every verdict is as expected', 'one is not', 'a port could not be opened'],
  run
}

const HOST = 'receiver.example'

interface Row extends Scenario {
  status: number
  verdict: Verdict
}

async function run(_: object, io: Io): Promise<number> {
  // Both publish their keys in DNS; the receiver trusts the first one's domain.
  const service = createTestService({ serviceDomain: 'service.example' })
  const other = createTestService({ serviceDomain: 'other.example' })
  const records = { ...service.records, ...other.records }
  const dns = await startDnsServer(records)
  const verdicts: Verdict[] = []
  const verify = createVerifier({
    ...service.options,
    hosts: HOST,
    lookupTxt: dnsTxtLookup({ servers: [dns.address], timeout: 500, tries: 1 }),
    replayStore: memoryReplayStore()
  })
  // TLS with a key that both sides know (RFC 4279): Node makes no certificates.
  const psk = randomBytes(32)
  const tls = { ciphers: 'PSK', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const
  const keep = (verdict: Verdict): void => void verdicts.push(verdict)
  const receive = nodeHandler(verify, keep, { onRefused: keep })
  const receiver = createServer({ ...tls, pskCallback: () => psk }, receive)
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const { port } = receiver.address() as AddressInfo
  const asSender = {
    ...tls,
    pskCallback: () => ({ psk, identity: 'demo' }),
    checkServerIdentity: () => undefined
  }

  const rows: Row[] = []
  try {
    for (const scenario of scenariosOf(service, other)) {
      if (scenario.code === 'key-lookup-failed') await dns.close()
      const { method, target, headers, body } = scenario.request()
      const url = new URL(target, `https://127.0.0.1:${port}`)
      const { status } = await exchange(url, { method, headers, body }, asSender)
      rows.push({ ...scenario, status, verdict: verdicts.at(-1)! })
    }
  } finally {
    receiver.close()
    await dns.close()
  }

  io.print(`DNS       ${dns.address} over UDP and TCP, with the records of`)
  for (const name of Object.keys(records)) io.print(`          ${name}`)
  io.print(`Receiver  https://${HOST} on 127.0.0.1:${port}, for service.example\n`)
  io.print(`${table(rows)}\n`)
  const shown = rows.find(({ code }) => code === 'signature-mismatch')!
  io.print(`Why "${shown.name}" was refused, as explain(verdict) says it:\n`)
  io.print(`${explain(shown.verdict)}\n`)
  const wrong = rows.filter(({ verdict, code }) => codesOf(verdict) !== (code ?? ''))
  if (wrong.length === 0) io.print(`All ${rows.length} verdicts are as expected.`)
  for (const { name, code = 'verified' } of wrong) io.note(`${name}: expected ${code}`)
  return wrong.length === 0 ? EXIT.ok : EXIT.refused
}

const codesOf = ({ failures }: Verdict): string => failures.map(({ code }) => code).join(', ')

const MARKS = { pass: 'ok', fail: 'NO', unavailable: '??', 'not-run': '--' }

const NAME = 32

/** The legend, then a line for each request and a column for each check. */
function table(rows: readonly Row[]): string {
  const checks = Object.keys(rows[0]!.verdict.checks) as CheckName[]
  const named = checks.map((check, i) => `${i + 1} ${check}`)
  const marks = ({ checks: results }: Verdict) => checks.map(check => MARKS[results[check].outcome]).join(' ')
  return [
    `Checks  ${named.slice(0, 6).join('  ')}`,
    `        ${named.slice(6).join('  ')}`,
    'Marks   ok passed  NO failed  ?? could not be decided  -- not run',
    'HTTP    204 verified  401 refused  503 not decided, the sender is asked to try again',
    '',
    `${'Request'.padEnd(NAME)}HTTP  ${checks.map((_, i) => String(i + 1).padStart(2)).join(' ')}  Refused with`,
    ...rows.map(({ name, status, verdict }) =>
      `${name.padEnd(NAME)}${status}   ${marks(verdict)}  ${codesOf(verdict)}`.trimEnd()
    )
  ].join('\n')
}
