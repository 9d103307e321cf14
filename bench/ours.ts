import type { ReceivedRequest, Verify } from '../src/index.ts'
import { main } from './dist.ts'
import type { Contender } from './rounds.ts'
import { lowerCaseRecord, type Sample } from './sample.ts'

/** All checks, the key asked for each time; the headers in pairs, as `fromNodeRequest` gives them. */
export const ours = (sample: Sample, name = 'ours: all checks, headers as pairs'): Contender =>
  oneAfterTheOther(name, main.createVerifier(sample.options), [sample.request])

/** Requests that differ in nonce and signature, as a sender's do. */
export const oursInTurn = ({ options, others }: Sample): Contender =>
  oneAfterTheOther(`ours: ${others.length} requests in turn`, main.createVerifier(options), others)

/** The other ways to give headers. */
export function oursOtherwise({ options, request }: Sample): Contender[] {
  const verify = main.createVerifier(options)
  const headers = new Headers(request.headers as [string, string][])
  return [
    oneAfterTheOther('ours: a record', verify, [{ ...request, headers: lowerCaseRecord(request.headers) }]),
    oneAfterTheOther('ours: Headers', verify, [{ ...request, headers }])
  ]
}

function oneAfterTheOther(name: string, verify: Verify, requests: readonly ReceivedRequest[]): Contender {
  return {
    name,
    async run(times) {
      for (let i = 0; i < times; i++) assertVerified(await verify(requests[i % requests.length]!))
    }
  }
}

/** As many at once as there are other requests. */
export function oursInFlight(sample: Sample): Contender {
  const verify = main.createVerifier(sample.options)
  const { others } = sample
  return {
    name: `ours: ${others.length} in flight`,
    async run(times) {
      for (let done = 0; done < times; done += others.length) {
        const verdicts = await Promise.all(others.slice(0, times - done).map(request => verify(request)))
        verdicts.forEach(assertVerified)
      }
    }
  }
}

function assertVerified({ status }: { status: string }): void {
  if (status !== 'verified') throw new Error(`the sample request is ${status}`)
}
