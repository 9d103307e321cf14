import type { ReceivedRequest, Verify } from '../src/index.ts'
import { builds, main } from './dist.ts'
import type { Contender } from './rounds.ts'
import { lowerCaseRecord, type Sample } from './sample.ts'

/**
 * Runs all checks, with a key lookup for each request and the headers in pairs, as `fromNodeRequest` gives them, on
 * each build.
 */
export const ours = ({ options, inTurn }: Sample): Contender[] =>
  builds.map(({ name, main }) =>
    oneAfterTheOther(
      `${name}: all checks`,
      main.createVerifier(options),
      inTurn.map(
        ({ request }) =>
          () =>
            request
      )
    )
  )

/** Does the same with bodies in pieces as a socket gives them. */
export const oursStreamed = ({ options, inTurn }: Sample): Contender[] =>
  builds.map(({ name, main }) =>
    oneAfterTheOther(
      `${name}: streamed`,
      main.createVerifier(options),
      inTurn.map(({ request }) => () => ({ ...request, body: piecesOf(request.body) }))
    )
  )

/** Node.js reads this much from a socket at once. */
const PIECE = 65_536

async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE)
}

/** Gives the headers in the other forms. */
export function oursOtherwise({ options, inTurn }: Sample): Contender[] {
  const verify = main.createVerifier(options)
  const requests = inTurn.map(({ request }) => request)
  const records = requests.map(request => ({ ...request, headers: lowerCaseRecord(request.headers) }))
  const objects = requests.map(request => ({ ...request, headers: new Headers(request.headers as [string, string][]) }))
  return [
    oneAfterTheOther(
      'ours: a record',
      verify,
      records.map(request => () => request)
    ),
    oneAfterTheOther(
      'ours: Headers',
      verify,
      objects.map(request => () => request)
    )
  ]
}

function oneAfterTheOther(name: string, verify: Verify, requests: readonly (() => ReceivedRequest)[]): Contender {
  return {
    name,
    async run(times) {
      for (let i = 0; i < times; i++) assertVerified(await verify(requests[i % requests.length]!()))
    }
  }
}

/** Verifies all requests at once. */
export function oursInFlight(sample: Sample): Contender {
  const verify = main.createVerifier(sample.options)
  const requests = sample.inTurn.map(({ request }) => request)
  return {
    name: `ours: ${requests.length} in flight`,
    async run(times) {
      for (let done = 0; done < times; done += requests.length) {
        const verdicts = await Promise.all(requests.slice(0, times - done).map(request => verify(request)))
        verdicts.forEach(assertVerified)
      }
    }
  }
}

function assertVerified({ status }: { status: string }): void {
  if (status !== 'verified') throw new Error(`the sample request is ${status}`)
}
