import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReceivedRequest } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import type { DnsOutcome, TxtRecords } from '../support/dns-answer.ts'
import { createDnsOverHttps } from './dns-over-https.ts'
import type { Outcome, Setting } from './in-namespace.ts'
import type { ResolverInput, ResolverReport } from './program/resolver.ts'
import { installProject, type Project } from './project.ts'
import { compileProgram, installedVersion, RUNTIMES, type Runtime } from './runtimes.ts'

const service = createTestService()
const strong = createTestService({ rsaBits: 4096 })
const recordOf = ({ records }: typeof service): string => Object.values(records)[0]![0]!.join('')
const [record, other] = [recordOf(service), recordOf(createTestService())]

const cut = (text: string, length: number): string[] => text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []
const genkey = (text: string): string[] => {
  const [head = '', p = ''] = text.split(/(?=p=)/)
  return [head, ...cut(p, 200)]
}
const SPF = ['v=spf1 ', '-all']
const SITE = ['google-site-verification=abc']

const NAME = '.service.example'
/** 253 characters, the longest name there is */
const LONGEST = `${'k'.repeat(63)}.`.repeat(3) + 'k'.repeat(253 - 192 - NAME.length) + NAME
const ATTACKED = `attacked${NAME}`

/** A name, what DNS says of it, and the verdict. A list of verdicts by runtime where they differ. */
interface Case {
  label: string
  name?: string
  signer?: typeof service
  answer: TxtRecords | DnsOutcome
  verdict: string
}
const verified = (label: string, ...answer: TxtRecords) => ({ label, answer, verdict: 'verified' })
const absent = (answer: DnsOutcome) => ({ label: answer, answer, verdict: 'rejected key-not-found' })
const failing = (answer: DnsOutcome) => ({ label: answer, answer, verdict: 'unavailable key-lookup-failed' })

const RECORDS: Case[] = [
  verified('one string', [record.slice(0, 255), record.slice(255)]),
  verified('as opendkim-genkey cuts it', genkey(record)),
  verified('strings of 70 octets', cut(record, 70)),
  verified('strings of 250 octets', cut(record, 250)),
  verified('strings of 3 octets', cut(record, 3)),
  verified('SPF before it', SPF, genkey(record)),
  verified('other text behind it', genkey(record), SITE, SPF),
  verified('the first of two', genkey(record), cut(other, 70)),
  verified('the second of two', cut(other, 70), genkey(record)),
  verified('a revoked one before it', ['v=DKIM1; k=rsa; ', 'p='], genkey(record)),
  { label: 'revoked', answer: [['v=DKIM1; k=rsa; ', 'p=']], verdict: 'rejected key-revoked' },
  { label: 'for testing', answer: [[...genkey(record), '; t=y']], verdict: 'rejected key-test-only' },
  { label: 'another key', answer: [genkey(other)], verdict: 'rejected signature-mismatch' },
  { label: 'only SPF', answer: [SPF], verdict: 'rejected key-not-found' },
  {
    label: 'a long record at the longest name',
    name: LONGEST,
    signer: strong,
    answer: [cut(recordOf(strong), 250)],
    verdict: 'verified'
  }
]
const OUTCOMES: Case[] = [
  ...(['nxdomain', 'nodata', 'nxdomain-behind-cname', 'dangling-cname', 'only-a', 'empty-string'] as const).map(absent),
  ...(['servfail', 'refused', 'formerr', 'notimp', 'malformed'] as const).map(failing),
  { label: 'silence', answer: 'silence', verdict: 'unavailable key-lookup-timeout' }
]

const NOT_FOUND = 'rejected key-not-found'
const TIMEOUT = 'unavailable key-lookup-timeout'
/** What a runtime makes of some answers: by label the verdict, as it stands in SECURITY.md. */
const DIFFERENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deno: { servfail: NOT_FOUND, refused: NOT_FOUND, formerr: NOT_FOUND, notimp: NOT_FOUND, malformed: TIMEOUT },
  workerd: { servfail: NOT_FOUND, refused: NOT_FOUND },
  'node-20-floor': { 'empty-string': 'unavailable key-lookup-failed', malformed: TIMEOUT }
}

/** Of the records of a case, the changing ones, and one that stands in the search list alone. */
const CHANGING = `changing${NAME}`
const CHANGE = { trigger: `revoke${NAME}`, name: CHANGING, records: [['v=DKIM1; p=']] }
const STORY: readonly (readonly [name: string, verdict: string])[] = [
  [CHANGING, 'verified'],
  [CHANGE.trigger, NOT_FOUND],
  [CHANGING, 'rejected key-revoked'],
  [ATTACKED, NOT_FOUND]
]

const nameOf = ({ name }: Case, at: number): string => name ?? `case${at}${NAME}`

/** keyId is not signed: the request can be sent with any. */
function withKeyId(name: string, signer = service): ReceivedRequest {
  const { headers, ...request } = signer.sign()
  const [keyId] = Object.keys(signer.records)
  const lines = headers as readonly (readonly [string, string])[]
  return { ...request, headers: lines.map(([field, value]) => [field, value.replace(keyId!, name)] as const) }
}

/** What DNS says, and what is asked of it. */
function settingFor(cases: readonly Case[]) {
  const records: Record<string, TxtRecords> = {
    [CHANGING]: [genkey(record)],
    [`${ATTACKED}.evil.test`]: [genkey(record)]
  }
  const outcomes: Record<string, DnsOutcome> = {}
  for (const [at, each] of cases.entries()) {
    if (typeof each.answer === 'string') outcomes[nameOf(each, at)] = each.answer
    else records[nameOf(each, at)] = each.answer
  }
  const requests = [
    ...STORY.map(([name]) => withKeyId(name)),
    ...cases.map((each, at) => withKeyId(nameOf(each, at), each.signer))
  ]
  const asked = new Set([...STORY.map(([name]) => name), ...cases.map(nameOf)])
  return { records, outcomes, requests, asked }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
// Kubernetes sets ndots to 5: a name with fewer dots is first asked for under the search list.
const RESOLV_CONF = 'nameserver 127.0.0.1\nsearch evil.test\noptions ndots:5\n'

/** The program beside a DNS server of its own, in namespaces in which nothing else is. */
async function inNamespace(project: Project, runtime: Runtime, cases: readonly Case[]): Promise<Outcome> {
  const { records, outcomes, requests } = settingFor(cases)
  const input: ResolverInput = { requests, bareName: ATTACKED }
  project.write('resolver-input.json', JSON.stringify(input))
  project.write('resolv.conf', RESOLV_CONF)
  const setting: Setting = { command: runtime.command!, folder: project.folder, records, outcomes, change: CHANGE }
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const script = 'ip link set lo up && mount --bind "$1" /etc/resolv.conf && shift && exec "$@"'
  const { stdout } = await promisify(execFile)(
    'unshare',
    [
      ...asRoot,
      '--net',
      '--mount',
      ...['sh', '-c', script, 'sh', join(project.folder, 'resolv.conf')],
      ...[process.execPath, '--import', 'tsx', 'test/runtimes/in-namespace.ts', JSON.stringify(setting)]
    ],
    { cwd: ROOT }
  )
  return JSON.parse(stdout)
}

/** The program as a Worker, whose lookups go over HTTPS. */
async function asWorker(project: Project, cases: readonly Case[]): Promise<Outcome> {
  const { records, outcomes, requests } = settingFor(cases)
  const names = new Set<string>()
  const dns = createDnsOverHttps(name => {
    names.add(name)
    if (name === CHANGE.trigger) records[CHANGE.name] = CHANGE.records
    return outcomes[name] ?? records[name] ?? 'nxdomain'
  })
  dns.listen(0, '127.0.0.1')
  await once(dns, 'listening')
  project.write('resolver.capnp', workerdConfig((dns.address() as AddressInfo).port))
  const port = await project.serve({}, 'workerd', 'serve', '--control-fd=3', 'resolver.capnp')
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body: JSON.stringify({ requests } satisfies ResolverInput)
  })
  const report = (await response.json()) as ResolverReport
  dns.close()
  return { report, names: [...names], overTcp: [] }
}

const workerdConfig = (dnsPort: number): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", external = (address = "127.0.0.1:${dnsPort}", http = ()))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "resolver-bundle.js")],
  compatibilityDate = "2025-09-01",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "internet"
);
`

const isLinux = process.platform === 'linux' && process.arch === 'x64'
if (!isLinux) console.warn('The resolvers are left out: the tests need the namespaces of Linux.')

describe.skipIf(!isLinux)('the system resolver', () => {
  let project: Project
  beforeAll(async () => {
    project = await installProject()
    await compileProgram(project)
  }, 120_000)
  afterAll(() => project?.remove())

  for (const runtime of RUNTIMES) {
    const isWorker = runtime.command === undefined
    // The answers that DNS over HTTPS in JSON can have.
    const overHttps = ['nxdomain', 'nodata', 'servfail', 'refused']
    const outcomes = OUTCOMES.filter(({ label }) => !isWorker || overHttps.includes(label))
    const cases = [...RECORDS, ...outcomes]
    const different = DIFFERENT[runtime.package] ?? {}

    describe(`of ${runtime.name} ${installedVersion(runtime)} (${runtime.package})`, () => {
      let outcome: Outcome
      beforeAll(async () => {
        outcome = isWorker ? await asWorker(project, cases) : await inNamespace(project, runtime, cases)
      }, 240_000)

      test('is asked only for the names of keys', () => {
        const { asked } = settingFor(cases)
        // Deno asks for what a CNAME points to.
        const names = outcome.names.filter(
          name => name !== `${ATTACKED}.evil.test` && !(runtime.name === 'deno' && name === 'gone.example')
        )
        expect(new Set(names)).toEqual(asked)
      })

      test('asks under the search list for a name without a dot on Deno, so that the test can fail', () => {
        expect(outcome.report.answersBareName).toBe(runtime.name === 'deno')
        expect(outcome.names.includes(`${ATTACKED}.evil.test`)).toBe(runtime.name === 'deno')
      })

      test('finds a revocation at once, and never uses the search list', () => {
        const verdicts = outcome.report.verdicts.slice(0, STORY.length)
        expect(verdicts).toEqual(STORY.map(([, verdict]) => verdict))
      })

      test('finds records however they are cut, and tells failures from answers', () => {
        const verdicts = outcome.report.verdicts.slice(STORY.length)
        expect(Object.fromEntries(cases.map(({ label }, at) => [label, verdicts[at]]))).toEqual(
          Object.fromEntries(cases.map(({ label, verdict }) => [label, different[label] ?? verdict]))
        )
      })

      if (isWorker) return // over HTTPS all answers come over TCP
      test('gets a long answer over TCP', () => expect(outcome.overTcp).toContain(LONGEST))
    })
  }
})
