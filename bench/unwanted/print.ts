import type { ReceivedRequest, Verdict, VerifierOptions } from '../../src/index.ts'
import { type Build, builds } from '../dist.ts'
import { type Kind, startHandler } from '../http/over-http.ts'
import type { Reaction } from '../http/receiver.ts'
import { printTimings } from '../report.ts'
import { alternate, type Contender, type Effort, type Timing } from '../rounds.ts'
import { createSample, type Sample } from '../sample.ts'
import { UNWANTED } from './kinds.ts'

const IN_TURN = 64
const EFFORT: Effort = { rounds: 60, warmUp: 10, milliseconds: 4 }
const EFFORT_OVER_HTTP: Effort = { rounds: 30, warmUp: 6, milliseconds: 30 }

/** Noise only ever adds time, so a promise counts as broken after this many broken runs in a row. */
const ATTEMPTS = 3

/** Describes a column of the table: what it measures, and what it promises for each kind of request. */
interface Column {
  readonly title: string
  /** the promise: at most this many times what it is compared with */
  readonly most?: number
  /** returns the ratio of each kind, in the order of `UNWANTED` */
  measure(build: Build): Promise<number[]>
}

/** The ratios of a build, by column and then by kind. */
interface Measured {
  readonly build: string
  readonly columns: readonly number[][]
}

export interface UnwantedCosts {
  /** Markdown: a row for each kind of request, this build alone (`--beside` is only printed) */
  readonly table: string
  /** the promises that do not hold */
  readonly broken: string[]
}

type Use = (build: Build, verdict: Verdict) => unknown

const asVerdict: Use = () => {}
const asLine: Use = ({ main }, verdict) => JSON.stringify(main.logRecord(verdict))
const asText: Use = ({ main }, verdict) => main.explain(verdict)

/** Names that a receiver accepts besides its own. */
const MANY_ACCOUNTS = Array.from({ length: 100_000 }, (_, i) => `other-${i}`)
const MANY_HOSTS = Array.from({ length: 10_000 }, (_, i) => `other-${i}.example`)

const listOf = (option: unknown, more: readonly string[]): string[] => [...more, ...([option].flat() as string[])]

const COLUMNS: readonly Column[] = [
  { title: 'verdict', most: 1.15, measure: build => besideVerified('verdict', build, asVerdict) },
  { title: 'log line', most: 1.15, measure: build => besideVerified('log line', build, asLine) },
  { title: '`explain`', measure: build => besideVerified('explain', build, asText) },
  { title: 'HTTP', measure: build => overHttp(build, 'nothing') },
  { title: 'HTTP, log line', most: 1.5, measure: build => overHttp(build, 'log') },
  { title: 'HTTP, log line, recorder', measure: build => overHttp(build, 'recorder') },
  { title: 'long lists', most: 1.2, measure: besideShortLists }
]

/** Measures and prints what each kind of unwanted request costs beside a verified one of its size. */
export async function printUnwanted(): Promise<UnwantedCosts> {
  const broken: string[] = []
  const measured: Measured[] = []
  for (const build of builds) {
    const columns: number[][] = []
    for (const column of COLUMNS) {
      let ratios = await column.measure(build)
      const isOurs = build === builds[0]
      for (let attempt = 1; isOurs && attempt < ATTEMPTS && !holds(column, ratios); attempt++)
        ratios = lesser(ratios, await column.measure(build))
      if (isOurs) broken.push(...brokenIn(column, ratios))
      columns.push(ratios)
    }
    measured.push({ build: build.name, columns })
  }
  const table = tableOf(measured)
  console.log(`\n${table}`)
  return { table: tableOf(measured.slice(0, 1)), broken }
}

const holds = ({ most = Number.POSITIVE_INFINITY }: Column, ratios: readonly number[]): boolean =>
  ratios.every(ratio => ratio <= most)

const lesser = (one: readonly number[], other: readonly number[]): number[] =>
  one.map((ratio, i) => Math.min(ratio, other[i]!))

const brokenIn = ({ title, most = Number.POSITIVE_INFINITY }: Column, ratios: readonly number[]): string[] =>
  UNWANTED.flatMap(({ name }, i) =>
    ratios[i]! > most ? [`${name}, ${title}: ${ratios[i]!.toFixed(2)}, and at most ${most} is promised`] : []
  )

function tableOf([ours, beside]: readonly Measured[]): string {
  const cell = (column: number, kind: number): string => {
    const other = beside?.columns[column]?.[kind]
    return `${ours!.columns[column]![kind]!.toFixed(2)}${other === undefined ? '' : ` (${other.toFixed(2)})`}`
  }
  const rows = UNWANTED.map(({ name }, kind) => [name, ...COLUMNS.map((_, column) => cell(column, kind))])
  return [
    ['', ...COLUMNS.map(({ title }) => title)],
    ['---', ...COLUMNS.map(() => '---:')],
    ['at most', ...COLUMNS.map(({ most }) => most?.toString() ?? '')],
    ...rows
  ]
    .map(cells => `| ${cells.join(' | ')} |\n`)
    .join('')
}

/** Compares what is done with each verdict with the verdict on a verified request. */
async function besideVerified(title: string, build: Build, use: Use): Promise<number[]> {
  const sample = createSample({ bodyBytes: 1024, inTurn: IN_TURN })
  const verify = build.main.createVerifier(sample.options)
  const contender = ({ name, requests }: Kind, act: Use): Contender => ({
    name,
    async run(times) {
      for (let i = 0; i < times; i++) act(build, await verify(requests[i % requests.length]!))
    }
  })
  const [verified, ...kinds] = kindsOf(sample)
  await assertCodes(build, sample.options, kinds)
  const contenders = [contender(verified!, asVerdict), ...kinds.map(kind => contender(kind, use))]
  const timings = await alternate(contenders, EFFORT)
  printTimings(`The unwanted request, ${build.name}: ${title}`, timings)
  return lowRatios(timings)
}

async function overHttp(build: Build, reaction: Reaction): Promise<number[]> {
  const sample = createSample({ bodyBytes: 1024, inTurn: IN_TURN })
  const receiver = await startHandler(build, reaction, sample)
  const timings = await alternate(kindsOf(sample).map(receiver.contender), EFFORT_OVER_HTTP).finally(receiver.stop)
  printTimings(`The unwanted request, ${build.name}: through nodeHandler, ${reaction}`, timings)
  return lowRatios(timings)
}

/** Compares a log line where 100,000 accounts and 10,000 hosts are configured with one where one of each is. */
async function besideShortLists(build: Build): Promise<number[]> {
  const sample = createSample({ bodyBytes: 1024, inTurn: IN_TURN })
  const { options } = sample
  const long = {
    ...options,
    accounts: listOf(options.accounts, MANY_ACCOUNTS),
    hosts: listOf(options.hosts, MANY_HOSTS)
  }
  const verifiers = [options, long].map(each => build.main.createVerifier(each))
  const ratios: number[] = []
  for (const { name, requests } of kindsOf(sample).slice(1)) {
    const contenders = verifiers.map(
      (verify, i): Contender => ({
        name: `${name}, ${i === 0 ? 'one account and host' : '100,000 accounts and 10,000 hosts'}`,
        async run(times) {
          for (let i = 0; i < times; i++) asLine(build, await verify(requests[i % requests.length]!))
        }
      })
    )
    const timings = await alternate(contenders, EFFORT)
    printTimings(`The unwanted request, ${build.name}: long lists`, timings)
    ratios.push(...lowRatios(timings))
  }
  return ratios
}

const lowRatios = ([, ...timings]: readonly Timing[]): number[] => timings.map(({ lowRatio }) => lowRatio)

/** Returns a verified request first, then each kind of unwanted one. */
const kindsOf = (sample: Sample): Kind[] => [
  { name: 'verified', requests: sample.inTurn.map(({ request }) => request), status: 200 },
  ...UNWANTED.map(({ name, make }) => ({ name, requests: sample.inTurn.map(make), status: 401 }))
]

async function assertCodes({ main }: Build, options: VerifierOptions, kinds: readonly Kind[]): Promise<void> {
  const verify = main.createVerifier(options)
  for (const [i, { name, code }] of UNWANTED.entries()) {
    const request: ReceivedRequest = kinds[i]!.requests[0]!
    const found = main.mainFailure(await verify(request))?.code
    if (found !== code) throw new Error(`${name}: expected ${code}, not ${found}`)
  }
}
