import { createVerifier } from 'signed-requests'
import type { Vector } from 'signed-requests-vectors'
import { readyVector } from '../../support/ready-vector.ts'
import { judge } from '../../vectors/judge.ts'
import { type Platform, tryPlatform } from './platform.ts'
import { type RoundTrips, runRoundTrips } from './round-trips.ts'
import { type Spellings, trySpellings } from './spellings.ts'

export interface Report {
  /** the version, where the runtime tells it */
  version: string | undefined
  vectors: { judged: number; problems: readonly { name: string; expected: string; actual: string }[] }
  roundTrips: RoundTrips
  spellings: Spellings
  platform: Platform
}

/** Tests everything that the package promises of a runtime, except DNS. */
export const runMatrix = async (vectors: readonly Vector[]): Promise<Report> => ({
  version: versionOfRuntime(),
  vectors: await runVectors(vectors),
  roundTrips: await runRoundTrips(),
  spellings: trySpellings(),
  platform: await tryPlatform()
})

function versionOfRuntime(): string | undefined {
  type Others = { Bun?: { version: string }; Deno?: { version: { deno: string } }; WebSocketPair?: unknown }
  const { Bun, Deno, WebSocketPair } = globalThis as Others
  // Only Workers have pairs of web sockets. They do not report their version.
  return WebSocketPair ? undefined : (Bun?.version ?? Deno?.version.deno ?? process.versions.node)
}

async function runVectors(vectors: readonly Vector[]): Promise<Report['vectors']> {
  const problems = []
  for (const vector of vectors) {
    const outcome = await judge(createVerifier, readyVector(vector))
    const [expected, actual] = [JSON.stringify(outcome.expected), JSON.stringify(outcome.actual)]
    if (expected !== actual) problems.push({ name: vector.name, expected, actual })
  }
  return { judged: vectors.length, problems }
}
