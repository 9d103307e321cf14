/**
 * npm run fuzz -- [seconds] [--seed number]
 *
 * Signs requests by either standard, changes them on the way, and has them verified, for a minute unless told
 * otherwise. A finding is printed with the seed that brings it back: `npm run fuzz -- 0 --seed 1234` runs that one
 * round.
 */

import { parseArgs } from 'node:util'
import { createVerifier, type ReceivedBody, type Verdict, type Verify } from '../../src/index.ts'
import { CHECK_NAMES, CODES } from '../../src/result/codes.ts'
import { draftCavage } from '../../src/standards/draft-cavage/scheme.ts'
import { rfc9421 } from '../../src/standards/rfc9421/index.ts'
import type { Draft, Way } from './mutate.ts'
import { DRAFT_CAVAGE } from './mutate-draft-cavage.ts'
import { RFC9421 } from './mutate-rfc9421.ts'
import { type Arrived, codeOfLimit, difference } from './oracle.ts'
import { createRandom, type Random } from './random.ts'
import { signByDraft } from './sign-draft-cavage.ts'
import { signByRfc9421 } from './sign-rfc9421.ts'
import { ACCOUNTS, HOSTS, NOW_SECONDS, type Signed } from './signed.ts'

const ROUND = 32
const MAX_MILLISECONDS = 50
const MAX_HEAD = 16 * 1024
const LOCAL = CHECK_NAMES.slice(0, CHECK_NAMES.indexOf('key'))

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } })
const seconds = Number(positionals[0] ?? 60)
const oneSeed = values.seed === undefined ? undefined : Number(values.seed)
if (!Number.isFinite(seconds) || Number.isNaN(oneSeed)) throw new TypeError('usage: fuzz [seconds] [--seed number]')

/** The records of the request at hand, and how often they were asked for. */
let dns: Draft['records'] = new Map()
let queries = 0

function newVerifier(): Verify {
  return createVerifier({
    serviceDomain: 'service.example',
    hosts: HOSTS,
    accounts: ACCOUNTS,
    schemes: [draftCavage, rfc9421],
    algorithms: ['rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519', 'rsa-v1_5-sha256', 'rsa-pss-sha512'],
    now: () => NOW_SECONDS * 1000,
    lookupTxt: async name => {
      queries++
      const records = dns.get(name)
      if (records === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return records.map(record => record.match(/.{1,255}/gs) ?? [''])
    },
    replayStore: { claim: async () => true, release: async () => {} }
  })
}

/** What is wrong with the verdict; undefined when nothing is. */
function judge(verdict: Verdict, arrived: Arrived, signed: readonly [Signed, Signed], kept: boolean, changes: number) {
  const wrong = difference(verdict, arrived, dns, signed)
  if (wrong !== undefined) return `verified, though different: ${wrong}`
  for (const name of CHECK_NAMES) {
    const check = verdict.checks[name]
    if (check === undefined) return `the check ${name} is missing`
    if ('code' in check && CODES[check.code][0] !== name) return `the check ${name} says ${check.code}`
  }
  if (verdict.status === 'verified') return undefined

  const codes = verdict.failures.map(({ code }) => code)
  if (codes.length === 0) return 'no failure'
  if (queries > 0 && LOCAL.some(name => verdict.checks[name].outcome !== 'pass')) return 'DNS was asked in vain'
  const { violation } = signed[0]
  const limit = kept ? codeOfLimit(arrived, signed[0]) : undefined
  if (limit !== undefined && codes.join() === limit) return undefined
  if (kept && violation === undefined) return `refused, though it is what was signed: ${codes}`
  if (changes === 0 && codes.join() !== violation) return `refused for ${codes} instead of ${violation}`
  return undefined
}

const verify = newVerifier()
let executions = 0
const verified = { 'draft-cavage': 0, rfc9421: 0 }
const codes = new Map<string, number>()

const signSomething = (random: Random): Signed => (random.chance(0.5) ? signByDraft(random) : signByRfc9421(random))

/** One signed request, changed in many ways. Gives what is wrong, if anything is. */
async function runRound(seed: number): Promise<string | undefined> {
  const random = createRandom(seed)
  const [signed, other] = [signSomething(random), signSomething(random)]
  return signed.scheme === 'rfc9421'
    ? changeManyTimes(RFC9421, signed, other, random)
    : changeManyTimes(DRAFT_CAVAGE, signed, other, random)
}

async function changeManyTimes<S extends Signed, D extends Draft>(
  way: Way<S, D>,
  signed: S,
  other: Signed,
  random: Random
): Promise<string | undefined> {
  for (let i = 0; i < ROUND; i++) {
    const draft = way.draftOf(signed)
    const kept = i === 0 || random.chance(0.2)
    const changes = i === 0 ? 0 : 1 + random.below(3)
    for (let n = 0; n < changes; n++) random.pick(kept ? way.keeping : way.changing)(draft, random, other)

    const { method, target, body: bytes, https } = draft
    const whole = [...draft.headers, ...way.signatureHeaders(draft)]
    const headers = draft.last.reduce((changed, change) => change(changed), whole)
    const arrived: Arrived = { method, target, headers, body: bytes, https }
    const form = bodyForm(bytes, random)
    const problem = await runOne(arrived, draft.records, form, [signed, other], kept, changes)
    if (problem !== undefined) return `${problem}\n${JSON.stringify({ ...arrived, body: bytes.toString('latin1') })}`
  }
  return undefined
}

async function runOne(
  arrived: Arrived,
  records: Draft['records'],
  streamed: () => ReceivedBody,
  signed: readonly [Signed, Signed],
  kept: boolean,
  changes: number
): Promise<string | undefined> {
  dns = records
  queries = 0
  executions++
  try {
    const [verdict, time] = await timed(verify, arrived, streamed)
    if (verdict.status === 'verified') verified[verdict.scheme]++
    else for (const { code } of verdict.failures) codes.set(code, (codes.get(code) ?? 0) + 1)

    const problem = judge(verdict, arrived, signed, kept, changes)
    if (problem !== undefined) return problem
    return time > MAX_MILLISECONDS && headLength(arrived) <= MAX_HEAD ? slow(arrived, streamed) : undefined
  } catch (error) {
    return `thrown: ${error instanceof Error ? error.stack : String(error)}`
  }
}

async function timed(judged: Verify, arrived: Arrived, streamed: () => ReceivedBody): Promise<[Verdict, number]> {
  const [start, used] = [performance.now(), process.cpuUsage()]
  const verdict = await judged({ ...arrived, body: streamed() })
  const { user, system } = process.cpuUsage(used)
  return [verdict, Math.min(performance.now() - start, (user + system) / 1000)]
}

/** By the clock or the processor, whichever is less. What else the machine does only adds to it: slow is what is slow ten times, with nothing remembered. */
async function slow(arrived: Arrived, streamed: () => ReceivedBody): Promise<string | undefined> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 10; i++) least = Math.min(least, (await timed(newVerifier(), arrived, streamed))[1])
  return least > MAX_MILLISECONDS ? `it took ${least.toFixed(1)} ms` : undefined
}

const headLength = ({ method, target, headers }: Arrived): number =>
  method.length + target.length + headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)

/** The same bytes in one of the forms that a body may have. */
function bodyForm(bytes: Buffer, random: Random): () => ReceivedBody {
  const at = random.below(bytes.length + 1)
  const chunks = [bytes.subarray(0, at), bytes.subarray(at)]
  const isAscii = !bytes.some(byte => byte > 0x7f)
  const forms: (() => ReceivedBody)[] = [
    () => bytes,
    () => (bytes.length === 0 ? null : bytes),
    () => (isAscii ? bytes.toString('latin1') : bytes),
    () => new Blob(chunks).stream(),
    async function* () {
      yield* chunks
    }
  ]
  return random.pick(forms)
}

const start = Date.now()
const firstSeed = oneSeed ?? start % 2 ** 31
console.log(`fuzz: seed ${firstSeed}`)
const findings: string[] = []
for (let seed = firstSeed; seed === firstSeed || Date.now() - start < seconds * 1000; seed++) {
  const problem = await runRound(seed)
  if (problem !== undefined) findings.push(`seed ${seed}: ${problem}`)
  if (findings.length >= 10) break
}

for (const finding of findings) console.log(`${finding}\n`)
const refused = [...codes].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} ${count}`)
console.log(`refused: ${refused.join(', ')}`)
console.log(
  `${executions} executions in ${((Date.now() - start) / 1000).toFixed(0)} s from seed ${firstSeed}, ` +
    `${verified['draft-cavage']} verified by the draft, ${verified.rfc9421} by RFC 9421, ${findings.length} findings`
)
process.exitCode = findings.length === 0 ? 0 : 1
