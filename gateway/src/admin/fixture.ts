import { asciiJson } from '../../../src/explain/text.ts'
import { normalizeName } from '../../../src/key/name.ts'
import type { VerifierOptions } from '../../../src/options/options.ts'
import { captureFixture } from '../../../src/testing/capture.ts'
import { signaturesIn } from '../../../src/testing/capture-options.ts'
import type { VectorFile, VectorJson } from '../../../src/testing/vector-form.ts'
import { optionsOfVector, requestOfVector } from '../../../src/testing/vector-setup.ts'
import type { Verdict } from '../../../src/verdict/verdict.ts'
import { createVerifier } from '../../../src/verify.ts'
import type { KeptExchange } from './recent.ts'

/** What a fixture needs in addition to the request. */
export interface FixtureSettings {
  verifier: VerifierOptions
  redact: boolean
  /** the last answers of DNS, by name */
  dns: ReadonlyMap<string, VectorJson['dns'][string]>
}

/**
 * The fixture document of a request as JSON of printable ASCII, for `signed-requests explain`, and the time as of which
 * it is judged. Undefined unless its verdict is that of the request: it may differ without the body, or when DNS has
 * answered differently since.
 */
export async function fixtureOf(
  kept: KeptExchange,
  settings: FixtureSettings
): Promise<{ json: string; now: number } | undefined> {
  // A fixture has whole seconds, and the end of a tolerance may lie between two.
  for (const round of [Math.floor, Math.ceil]) {
    const now = round(kept.receivedAt / 1000) * 1000
    const fixture = capture(kept, now, settings)
    if (fixture !== undefined && (await isJudgedAs(kept.verdict, fixture))) {
      return { json: asciiJson(fixture), now }
    }
  }
  return undefined
}

function capture(
  kept: KeptExchange,
  now: number,
  { verifier, redact, dns }: FixtureSettings
): VectorFile | undefined {
  const { verdict, method, target, headers, https } = kept
  const decidesByBody = verdict.checks.signature.outcome === 'pass'
  const isBroken = verdict.failures.some(({ code }) => code === 'body-unreadable')
  if (decidesByBody && !isBroken && !kept.isBodyWhole) return undefined
  const body = isBroken ? UNREADABLE : kept.isBodyWhole ? (kept.body ?? null) : null
  return captureFixture({ method, target, headers, https, body }, verdict, {
    options: verifier,
    now,
    redact,
    name: fixtureName(kept),
    source: 'captured by the gateway',
    ...dnsFor(headers, dns)
  })
}

/** The name of the fixture, and of the file that the explain command reads. */
export const fixtureName = ({ number }: KeptExchange): string => `request-${number}`

/** Its error is in the verdict. */
const UNREADABLE: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the body was read')) })
}

/** What DNS answered about the keys that the request names; otherwise, what the verdict has of that. */
function dnsFor(headers: KeptExchange['headers'], dns: FixtureSettings['dns']): { dns?: VectorJson['dns'] } {
  const names = signaturesIn(headers).flatMap(({ keyId = '' }) => normalizeName(keyId) ?? [])
  const answers = names.flatMap(name => {
    const answer = dns.get(name)
    return answer === undefined ? [] : [[name, answer] as const]
  })
  return answers.length === 0 ? {} : { dns: Object.fromEntries(answers) }
}

async function isJudgedAs(verdict: Verdict, { vectors }: VectorFile): Promise<boolean> {
  const [vector] = vectors
  if (vector === undefined) return false
  const again = await createVerifier(optionsOfVector(vector) as VerifierOptions)(requestOfVector(vector))
  const codes = ({ status, failures }: Verdict) => [status, ...failures.map(({ code }) => code)].join()
  return codes(again) === codes(verdict)
}
