import { maxHeaderSize } from 'node:http'
import type { ReceivedRequest, Verdict, Verify } from '../src/index.ts'
import { main } from './dist.ts'
import { floor } from './floor.ts'
import { type AwkwardHead, awkwardHeads } from './heads.ts'
import { awkwardRfc9421Heads, rfc9421Options } from './heads-rfc9421.ts'
import { refusals } from './refusals.ts'
import { printTimings } from './report.ts'
import { alternate, type Contender, type Effort, type Timing } from './rounds.ts'
import { createSample, type Sample } from './sample.ts'

/** A refusal promises to stay below these, beside the floor measured in the same rounds. */
const MOST_OF_FLOOR = 0.35
const MOST_FOR_HEAD_US = 150
const MOST_FLOORS_FOR_HEAD = 5
const MOST_FLOORS_BY_RFC_9421 = 10
const MOST_GROWTH = 2.3

/** Noise only ever adds time, so a promise counts as broken after this many broken runs in a row. */
const ATTEMPTS = 5

const EFFORT: Effort = { rounds: 100, warmUp: 10, milliseconds: 1 }
const QUICK: Effort = { rounds: 12, warmUp: 3, milliseconds: 0.5 }

/** Holds the costs of heads of 16 KB by one standard. */
export interface HeadCosts {
  kinds: number
  /** of the most expensive kind */
  most: Timing
  /** the highest ratio of the time for a head of twice the size */
  growth: number
  broken: string[]
}

export interface Refusing {
  /** the floor first, then a kind of refusal each */
  local: Timing[]
  draft: HeadCosts
  rfc9421: HeadCosts
  /** the promises that do not hold */
  broken: string[]
}

/** Prints and returns the cost of refusing. */
export async function printRefusing(): Promise<Refusing> {
  const sample = createSample({ bodyBytes: 1024 })
  const verify = main.createVerifier(sample.options)
  const local = await printLocalRefusals(sample, verify)
  const draft = await printAwkwardHeads('by the draft', awkwardHeads(sample), verify, sample, MOST_FLOORS_FOR_HEAD)
  const rfc9421 = await printRfc9421Heads(sample)
  return { local: local.timings, draft, rfc9421, broken: [...local.broken, ...draft.broken, ...rfc9421.broken] }
}

const printRfc9421Heads = (sample: Sample): Promise<HeadCosts> => {
  const verify = main.createVerifier(rfc9421Options)
  return printAwkwardHeads('by RFC 9421', awkwardRfc9421Heads(), verify, sample, MOST_FLOORS_BY_RFC_9421)
}

async function printLocalRefusals(sample: Sample, verify: Verify) {
  const contenders: Contender[] = []
  for (const { code, request } of refusals(sample)) {
    const codes = codesOf(await verify(request))
    if (!codes.includes(code)) throw new Error(`expected ${code}, not ${codes.join(', ') || 'verified'}`)
    contenders.push(repeatedly(code, verify, [request]))
  }

  const broken: string[] = []
  const timings = await alternate([floor(sample), ...contenders], EFFORT)
  for (const [i, timing] of timings.entries()) {
    if (i === 0) continue
    const holds = (again: Timing) => again.lowRatio <= MOST_OF_FLOOR
    if (!(await holdsAtLast(timing, holds, [floor(sample), contenders[i - 1]!]))) {
      broken.push(`${timing.name} costs more than ${MOST_OF_FLOOR} of the floor`)
    }
  }
  printTimings(`Refusing by a local check: at most ${MOST_OF_FLOOR} of the floor`, timings)
  return { timings, broken }
}

async function printAwkwardHeads(
  standard: string,
  heads: readonly AwkwardHead[],
  verify: Verify,
  sample: Sample,
  mostFloors: number
): Promise<HeadCosts> {
  const isCheap = ([floor, half, whole]: readonly Timing[]): boolean =>
    whole!.low <= Math.max(MOST_FOR_HEAD_US, mostFloors * floor!.low) && growthOf(half!, whole!) <= MOST_GROWTH

  const broken: string[] = []
  const measured: { name: string; cost: Timing; growth: number }[] = []

  for (const head of heads) {
    const [half, whole] = [maxHeaderSize / 2, maxHeaderSize].map(bytes => contenderOf(head, bytes, verify))
    const contenders = [floor(sample), half!, whole!]
    let attempt = 0
    let costs = await alternate(contenders, QUICK)
    while (!isCheap(costs) && ++attempt < ATTEMPTS) costs = await alternate(contenders, EFFORT)
    if (!isCheap(costs)) broken.push(`${head.name}: ${costs.map(({ low }) => low.toFixed(1)).join(', ')} us`)
    measured.push({ name: head.name, cost: costs[2]!, growth: growthOf(costs[1]!, costs[2]!) })
  }

  const mostExpensive = [...measured].sort((a, b) => b.cost.low - a.cost.low)
  printTimings(
    `16 KB heads ${standard}: at most ${MOST_FOR_HEAD_US} us, or ${mostFloors} floors; the ten most expensive of ` +
      `${measured.length} kinds`,
    mostExpensive.slice(0, 10).map(({ name, cost }) => ({ ...cost, name }))
  )
  const steepest = [...measured].sort((a, b) => b.growth - a.growth)
  console.log(`\nTwice the head: at most ${MOST_GROWTH} times the time; the five steepest`)
  for (const { name, growth } of steepest.slice(0, 5)) console.log(`${growth.toFixed(2)}   ${name}`)
  const [most, fastest] = [mostExpensive[0]!.cost, steepest[0]!.growth]
  return { kinds: measured.length, most, growth: fastest, broken }
}

const growthOf = (half: Timing, whole: Timing): number => whole.low / half.low

/** Takes more different requests, in turn, than the library remembers. */
function contenderOf(head: AwkwardHead, bytes: number, verify: Verify): Contender {
  const requests = [1, 2, 3, 4, 5, 6, 7, 8].map(salt => head.make(bytes, salt))
  return repeatedly(`${head.name}, ${bytes / 1024} KB`, verify, requests)
}

function repeatedly(name: string, verify: Verify, requests: readonly ReceivedRequest[]): Contender {
  return {
    name,
    async run(times) {
      for (let i = 0; i < times; i++) await verify(requests[i % requests.length]!)
    }
  }
}

async function holdsAtLast(
  timing: Timing,
  holds: (timing: Timing) => boolean,
  contenders: readonly Contender[]
): Promise<boolean> {
  let latest = timing
  for (let attempt = 1; attempt < ATTEMPTS && !holds(latest); attempt++) {
    latest = (await alternate(contenders, EFFORT))[1]!
  }
  return holds(latest)
}

const codesOf = (verdict: Verdict): string[] =>
  verdict.status === 'verified' ? [] : verdict.failures.map(failure => failure.code)
