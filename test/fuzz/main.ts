/**
 * npm run fuzz -- [seconds] [--seed number]
 *
 * Signs requests by either standard, changes them on the way, and has them verified. A finding is printed with the seed
 * that brings it back: `npm run fuzz -- 0 --seed 1234` runs that one round.
 */

import { CHECK_NAMES, CODES } from '../../src/core/result/codes.ts'
import { draftCavage } from '../../src/core/standards/draft-cavage/scheme.ts'
import { createVerifier, type ReceivedBody, type Verdict, type Verify } from '../../src/index.ts'
import { rfc9421 } from '../../src/rfc9421/index.ts'
import { type Mutated, mutatedRequests } from './mutated.ts'
import { type Arrived, codeOfLimit, difference } from './oracle.ts'
import { createRandom, type Random } from './random.ts'
import { runRounds } from './rounds.ts'
import { ACCOUNTS, HOSTS, NOW_SECONDS } from './signed.ts'

const MAX_MILLISECONDS = 50
const MAX_HEAD = 16 * 1024
const LOCAL = CHECK_NAMES.slice(0, CHECK_NAMES.indexOf('key'))

/** The records of the current request, and how often they were asked for. */
let dns: Mutated['records'] = new Map()
let queries = 0

const newVerifier = (): Verify =>
  createVerifier({
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

/** Returns what is wrong with the verdict, or undefined. */
function judge(verdict: Verdict, { arrived, signed, isKept, changes }: Mutated): string | undefined {
  const wrong = difference(verdict, arrived, dns, signed)
  if (wrong !== undefined) return `verified, though different: ${wrong}`
  for (const name of CHECK_NAMES) {
    const check = verdict.checks[name]
    if (check === undefined) return `the check ${name} is missing`
    if ('code' in check && CODES[check.code].check !== name) return `the check ${name} says ${check.code}`
  }
  if (verdict.status === 'verified') return undefined

  const codes = verdict.failures.map(({ code }) => code)
  if (codes.length === 0) return 'no failure'
  if (queries > 0 && LOCAL.some(name => verdict.checks[name].outcome !== 'pass')) return 'DNS was asked in vain'
  const { violation } = signed[0]
  const limit = isKept ? codeOfLimit(arrived, signed[0]) : undefined
  if (limit !== undefined && codes.join() === limit) return undefined
  if (isKept && violation === undefined) return `refused, though it is what was signed: ${codes}`
  if (changes === 0 && codes.join() !== violation) return `refused for ${codes} instead of ${violation}`
  return undefined
}

const verify = newVerifier()
let executions = 0
const verified = { 'draft-cavage': 0, rfc9421: 0 }
const refused = new Map<string, number>()

async function runOne(mutated: Mutated, streamed: () => ReceivedBody): Promise<string | undefined> {
  const { arrived } = mutated
  dns = mutated.records
  queries = 0
  executions++
  try {
    const [verdict, time] = await timed(verify, arrived, streamed)
    if (verdict.status === 'verified') verified[verdict.scheme]++
    else for (const { code } of verdict.failures) refused.set(code, (refused.get(code) ?? 0) + 1)

    const problem = judge(verdict, mutated)
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

/**
 * Times by the clock or the processor, whichever is less, because other work of the machine only adds to it. A request
 * is slow if it is slow ten times, with nothing remembered.
 */
async function slow(arrived: Arrived, streamed: () => ReceivedBody): Promise<string | undefined> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 10; i++) least = Math.min(least, (await timed(newVerifier(), arrived, streamed))[1])
  return least > MAX_MILLISECONDS ? `it took ${least.toFixed(1)} ms` : undefined
}

const headLength = ({ method, target, headers }: Arrived): number =>
  method.length + target.length + headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)

/** Returns the same bytes in one of the forms of a body. */
function bodyForm(bytes: Buffer, random: Random): () => ReceivedBody {
  const at = random.below(bytes.length + 1)
  const chunks = [bytes.subarray(0, at), bytes.subarray(at)]
  const isAscii = !bytes.some(byte => byte > 0x7f)
  return random.pick<() => ReceivedBody>([
    () => bytes,
    () => (bytes.length === 0 ? null : bytes),
    () => (isAscii ? bytes.toString('latin1') : bytes),
    () => new Blob(chunks).stream(),
    async function* () {
      yield* chunks
    }
  ])
}

await runRounds(
  'fuzz',
  async seed => {
    const random = createRandom(seed)
    for (const mutated of mutatedRequests(seed)) {
      const { arrived } = mutated
      const problem = await runOne(mutated, bodyForm(arrived.body, random))
      const request = JSON.stringify({ ...arrived, body: arrived.body.toString('latin1') })
      if (problem !== undefined) return [`seed ${seed}: ${problem}\n${request}`]
    }
    return []
  },
  () => {
    const codes = [...refused].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} ${count}`)
    console.log(`refused: ${codes.join(', ')}`)
    return `${executions} executions, ${verified['draft-cavage']} verified by the draft, ${verified.rfc9421} by RFC 9421`
  }
)
