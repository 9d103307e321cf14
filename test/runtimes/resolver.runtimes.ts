import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import type { DnsOutcome, TxtRecords } from '../support/dns-answer.ts'
import { listen } from '../support/listen.ts'
import { createDnsOverHttps } from './dns-over-https.ts'
import type { Outcome, Setting } from './in-namespace.ts'
import { inNamespace } from './namespace.ts'
import type { Lookups } from './program/lookups.ts'
import { createProject, type Project } from './project.ts'
import { compileProgram, isLinux, RUNTIMES, type Runtime } from './runtimes.ts'
import { withKeyId } from './signed.ts'

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
/** 253 characters, the longest possible name */
const LONGEST = `${'k'.repeat(63)}.`.repeat(3) + 'k'.repeat(253 - 192 - NAME.length) + NAME
const ATTACKED = `attacked${NAME}`

/** Holds a name, the DNS reply about it, and the verdict: a list by runtime where they differ. */
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
  { ...verified('a long record at the longest name', cut(recordOf(strong), 250)), name: LONGEST, signer: strong }
]
const OUTCOMES: Case[] = [
  ...(['nxdomain', 'nodata', 'nxdomain-behind-cname', 'dangling-cname', 'only-a', 'empty-string'] as const).map(absent),
  ...(['servfail', 'refused', 'formerr', 'notimp', 'malformed'] as const).map(failing),
  { label: 'silence', answer: 'silence', verdict: 'unavailable key-lookup-timeout' }
]

const NOT_FOUND = 'rejected key-not-found'
const TIMEOUT = 'unavailable key-lookup-timeout'
/** Bun does not tell where a record ends, and these strings could be several. */
const AMBIGUOUS = [
  'strings of 3 octets',
  'SPF before it',
  'other text behind it',
  'the first of two',
  'the second of two',
  'a revoked one before it'
]
/** Maps labels to the verdicts of a runtime, as docs/threat-model.md lists them. */
const DIFFERENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bun: Object.fromEntries(AMBIGUOUS.map(label => [label, 'unavailable key-lookup-failed'])),
  deno: { servfail: NOT_FOUND, refused: NOT_FOUND, formerr: NOT_FOUND, notimp: NOT_FOUND, malformed: TIMEOUT },
  workerd: { servfail: NOT_FOUND, refused: NOT_FOUND },
  'node-20-floor': { 'empty-string': 'unavailable key-lookup-failed', malformed: TIMEOUT }
}

/** The records of CHANGING change when the trigger is asked for; ATTACKED exists only under the search list. */
const CHANGING = `changing${NAME}`
const CHANGE = { trigger: `revoke${NAME}`, name: CHANGING, records: [['v=DKIM1; p=']] }
const STORY: readonly (readonly [name: string, verdict: string])[] = [
  [CHANGING, 'verified'],
  [CHANGE.trigger, NOT_FOUND],
  [CHANGING, 'rejected key-revoked'],
  [ATTACKED, NOT_FOUND]
]

const verdictsOf = ({ report }: Outcome): readonly string[] => report.verdicts[0]!
const nameOf = ({ name }: Case, at: number): string => name ?? `case${at}${NAME}`

/** Returns the DNS replies, and the names to ask for. */
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
    ...STORY.map(([name]) => withKeyId(name, service)),
    ...cases.map((each, at) => withKeyId(nameOf(each, at), each.signer ?? service))
  ]
  const asked = new Set([...STORY.map(([name]) => name), ...cases.map(nameOf)])
  return { records, outcomes, requests, asked }
}

// Kubernetes sets ndots to 5: a name with fewer dots is first looked up under the search list.
const RESOLV_CONF = 'nameserver 127.0.0.1\nsearch evil.test\noptions ndots:5\n'

/** Runs the program beside a DNS server of its own, in otherwise empty namespaces. */
async function besideServer(
  project: Project,
  command: Setting['command'],
  { records, outcomes, requests }: ReturnType<typeof settingFor>
): Promise<Outcome> {
  const input: Lookups = { requests, ways: ['of the system'], bareName: ATTACKED }
  project.write('resolver.json', JSON.stringify({ task: 'lookups', input }))
  const all = [...command, 'main.mjs', 'resolver.json'] as const
  const setting: Setting = { command: all, folder: project.folder, records, outcomes, change: CHANGE }
  return (await inNamespace(project, 'in-namespace.ts', setting, RESOLV_CONF)) as Outcome
}

/** Runs the program as a Worker, whose lookups go over HTTPS. */
async function asWorker(
  project: Project,
  runtime: Runtime,
  { records, outcomes, requests }: ReturnType<typeof settingFor>
): Promise<Outcome> {
  const names = new Set<string>()
  const dns = createDnsOverHttps(name => {
    names.add(name)
    if (name === CHANGE.trigger) records[CHANGE.name] = CHANGE.records
    return outcomes[name] ?? records[name] ?? 'nxdomain'
  })
  const program = await compileProgram(project, await listen(dns))
  const report = await program.run(runtime, 'lookups', { requests, ways: ['of the system'] })
  dns.close()
  return { report, names: [...names], overTcp: [] }
}

if (!isLinux) console.warn('The resolvers are left out: the tests need the namespaces of Linux.')

describe.skipIf(!isLinux)('the system resolver', () => {
  let project: Project
  beforeAll(async () => {
    project = createProject()
    await compileProgram(project)
  }, 120_000)
  afterAll(() => project?.remove())

  for (const runtime of RUNTIMES) {
    const isWorker = runtime.command === undefined
    // DNS over HTTPS in JSON can give these answers.
    const overHttps = ['nxdomain', 'nodata', 'servfail', 'refused']
    const outcomes = OUTCOMES.filter(({ label }) => !isWorker || overHttps.includes(label))
    const cases = [...RECORDS, ...outcomes]
    const different = DIFFERENT[runtime.package] ?? {}

    describe(`of ${runtime.name} ${runtime.version} (${runtime.package})`, () => {
      const setting = settingFor(cases)
      let outcome: Outcome
      beforeAll(async () => {
        const { command } = runtime
        outcome = await (command ? besideServer(project, command, setting) : asWorker(project, runtime, setting))
      }, 240_000)

      test('is asked only for the names of keys', () => {
        // Deno asks for the target of a CNAME.
        const names = outcome.names.filter(
          name => name !== `${ATTACKED}.evil.test` && !(runtime.name === 'deno' && name === 'gone.example')
        )
        expect(new Set(names)).toEqual(setting.asked)
      })

      test('asks under the search list for a name without a dot on Deno, so that the test can fail', () => {
        expect(outcome.report.answersBareName).toBe(runtime.name === 'deno')
        expect(outcome.names.includes(`${ATTACKED}.evil.test`)).toBe(runtime.name === 'deno')
      })

      test('finds a revocation at once, and never uses the search list', () => {
        const verdicts = verdictsOf(outcome).slice(0, STORY.length)
        expect(verdicts).toEqual(STORY.map(([, verdict]) => verdict))
      })

      test('finds records however they are cut, and tells failures from answers', () => {
        const verdicts = verdictsOf(outcome).slice(STORY.length)
        expect(Object.fromEntries(cases.map(({ label }, at) => [label, verdicts[at]]))).toEqual(
          Object.fromEntries(cases.map(({ label, verdict }) => [label, different[label] ?? verdict]))
        )
      })

      if (isWorker) return // over HTTPS all answers come over TCP
      test('gets a long answer over TCP', () => expect(outcome.overTcp).toContain(LONGEST))
    })
  }
})
