import { createVerifier, dnsTxtLookup, type LookupTxt, type ReceivedRequest } from 'signed-requests'
import type { Vector } from 'signed-requests-vectors'
import { readyVector } from '../../support/ready-vector.ts'
import { judge } from '../../vectors/judge.ts'
import { type Platform, tryPlatform } from './platform.ts'
import { type RoundTrips, runRoundTrips } from './round-trips.ts'
import { type Spellings, trySpellings } from './spellings.ts'

/** What the program is told; plain data. */
export interface Input {
  vectors: readonly Vector[]
  /** the address of a DNS server; without one the records are asked directly, for want of UDP */
  dnsServer?: string
  records: Readonly<Record<string, string[][]>>
  /** a request whose key is in DNS, and one whose key is not */
  requests: readonly ReceivedRequest[]
}

/** What the program found; plain data. */
export interface Report {
  /** the version, where the runtime tells it */
  version: string | undefined
  vectors: { judged: number; problems: readonly { name: string; expected: string; actual: string }[] }
  roundTrips: RoundTrips
  spellings: Spellings
  platform: Platform
  /** the verdict on each of the input's requests: its status, and its codes */
  lookups: readonly string[]
}

/** Everything the package promises of a runtime. It runs on each; the package is the installed one. */
export async function runProgram(input: Input, version: string | undefined): Promise<Report> {
  return {
    version,
    vectors: await runVectors(input.vectors),
    roundTrips: await runRoundTrips(),
    spellings: trySpellings(),
    platform: await tryPlatform(),
    lookups: await runLookups(input)
  }
}

async function runVectors(vectors: readonly Vector[]): Promise<Report['vectors']> {
  const problems = []
  let judged = 0
  for (const vector of vectors) {
    const outcome = await judge(createVerifier, readyVector(vector))
    const [expected, actual] = [JSON.stringify(outcome.expected), JSON.stringify(outcome.actual)]
    judged += 1
    if (expected !== actual) problems.push({ name: vector.name, expected, actual })
  }
  return { judged, problems }
}

async function runLookups({ dnsServer, records, requests }: Input): Promise<string[]> {
  const injected: LookupTxt = async name => {
    const found = records[name]
    if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return found
  }
  const verify = createVerifier({
    serviceDomain: 'service.example',
    hosts: 'receiver.example',
    accounts: '1234',
    lookupTxt: dnsServer === undefined ? injected : dnsTxtLookup({ servers: [dnsServer] })
  })
  const found = []
  for (const request of requests) {
    const verdict = await verify(request)
    const codes = verdict.status === 'verified' ? [] : verdict.failures.map(({ code }) => code)
    found.push([verdict.status, ...codes].join(' '))
  }
  return found
}
