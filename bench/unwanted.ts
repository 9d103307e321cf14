import type { ReceivedRequest, Verdict } from '../src/index.ts'
import { type Build, builds } from './dist.ts'
import { printTimings } from './report.ts'
import { alternate, type Contender, type Effort, type Timing } from './rounds.ts'
import { asReceived, createSample, type Sample, type Signed } from './sample.ts'

const IN_TURN = 64
const EFFORT: Effort = { rounds: 60, warmUp: 10, milliseconds: 4 }

/** A request that the service did not send, made from one that it did. */
interface Unwanted {
  readonly name: string
  readonly code: string
  make(signed: Signed): ReceivedRequest
}

const withHeader = ({ request }: Signed, name: string, change: (value: string) => string): ReceivedRequest => ({
  ...request,
  headers: asReceived(
    request.headers.map(([each, value]) =>
      each === name ? ([each, change(value)] as const) : ([each, value] as const)
    )
  )
})

/** Replaces the signature by one of the same length that no key made. */
const forged = (value: string): string =>
  value.replace(/signature="([^"]{8})([^"]{8})/, (_, first: string, second: string) => `signature="${second}${first}`)

export const UNWANTED: readonly Unwanted[] = [
  {
    name: 'unsigned',
    code: 'signature-missing',
    make: ({ request }) => ({ ...request, headers: request.headers.filter(([name]) => /^(?:Host|Date)$/.test(name)) })
  },
  {
    name: 'another domain',
    code: 'key-name-outside-domain',
    make: signed => withHeader(signed, 'Signature', value => value.replace('service.example', 'elsewhere.example'))
  },
  {
    name: 'an old Date',
    code: 'date-too-old',
    make: signed => withHeader(signed, 'Date', () => 'Sun, 06 Nov 1994 08:49:37 GMT')
  },
  {
    name: 'a forged signature',
    code: 'signature-mismatch',
    make: signed => withHeader(signed, 'Signature', forged)
  },
  {
    name: 'another body',
    code: 'digest-mismatch',
    make: ({ request }) => ({ ...request, body: request.body.map((byte, at) => (at === 0 ? byte ^ 1 : byte)) })
  },
  {
    name: 'another path',
    code: 'signature-mismatch',
    make: ({ request }) => ({ ...request, target: request.target.replace('/hook', '/hooks') })
  }
]

/** What a receiver does with a verdict. */
type Use = (build: Build, verdict: Verdict) => unknown

const USES: Readonly<Record<string, Use>> = {
  verdict: () => {},
  'verdict and log line': ({ main }, verdict) => JSON.stringify(main.logRecord(verdict)),
  'verdict and explanation': ({ main }, verdict) => main.explain(verdict)
}

/** Names that a receiver accepts besides its own. */
const MANY_ACCOUNTS = Array.from({ length: 100_000 }, (_, i) => `other-${i}`)
const MANY_HOSTS = Array.from({ length: 10_000 }, (_, i) => `other-${i}.example`)

const listOf = (option: unknown, more: readonly string[]): string[] => [...more, ...([option].flat() as string[])]

/** Prints what each kind of unwanted request costs beside a verified one of its size. */
export async function printUnwanted(): Promise<void> {
  const sample = createSample({ bodyBytes: 1024, inTurn: IN_TURN })
  const { options } = sample
  const many = {
    ...options,
    accounts: listOf(options.accounts, MANY_ACCOUNTS),
    hosts: listOf(options.hosts, MANY_HOSTS)
  }
  for (const build of builds) {
    for (const [use, act] of Object.entries(USES)) await print(`${build.name}: ${use}`, build, sample, options, act)
    await print(`${build.name}: 100,000 accounts, 10,000 hosts`, build, sample, many, USES['verdict and log line']!)
  }
}

async function print(
  title: string,
  build: Build,
  sample: Sample,
  options: Sample['options'],
  act: Use
): Promise<Timing[]> {
  const verify = build.main.createVerifier(options)
  const contender = (name: string, requests: readonly ReceivedRequest[]): Contender => ({
    name,
    async run(times) {
      for (let i = 0; i < times; i++) act(build, await verify(requests[i % requests.length]!))
    }
  })
  const contenders = [
    contender(
      'verified',
      sample.inTurn.map(({ request }) => request)
    )
  ]
  for (const { name, code, make } of UNWANTED) {
    const requests = sample.inTurn.map(make)
    const main = build.main.mainFailure(await verify(requests[0]!))?.code
    if (main !== code) throw new Error(`${name}: expected ${code}, not ${main}`)
    contenders.push(contender(name, requests))
  }
  const timings = await alternate(contenders, EFFORT)
  printTimings(`The unwanted request, ${title}`, timings)
  return timings
}
