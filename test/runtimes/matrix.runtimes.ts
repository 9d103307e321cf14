import { loadVectors } from 'signed-requests-vectors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import type { Input, Report } from './program/program.ts'
import { installProject, type Project } from './project.ts'
import { compileProgram, installedVersion, RUNTIMES } from './runtimes.ts'

/** The packages of Node.js are for this one; the others have more platforms. */
const isComplete = process.platform === 'linux' && process.arch === 'x64'

let project: Project
let dns: DnsServer
let input: Input
beforeAll(async () => {
  project = await installProject()
  await compileProgram(project)

  const service = createTestService()
  const found = service.sign({ target: '/hook?id=42' })
  service.rotateKey()
  const missing = service.sign({ target: '/hook?id=42' })
  const [known] = Object.entries(service.records)
  const records = Object.fromEntries([known!])
  dns = await startDnsServer(records)
  input = { vectors: loadVectors(), dnsServer: dns.address, records, requests: [found, missing] }
}, 120_000)
afterAll(async () => {
  project?.remove()
  await dns?.close()
})

for (const runtime of RUNTIMES) {
  const version = installedVersion(runtime)
  const isLeftOut = version === undefined && !isComplete
  if (isLeftOut) {
    console.warn(`${runtime.package} is left out: it has no package for ${process.platform}-${process.arch}.`)
  }

  describe.skipIf(isLeftOut)(`on ${runtime.name} ${version} (${runtime.package})`, () => {
    let report: Report
    let queries: number
    beforeAll(async () => {
      const before = dns.queries()
      report = await runtime.run(project, input)
      queries = dns.queries() - before
      console.log(`${runtime.name} ${version}: ${summaryOf(report, queries)}`)
      for (const [name, reason] of Object.entries(runtime.limits)) console.log(`  not as asked: ${name}, for ${reason}`)
    }, 240_000)

    test('is the version of its package', () => expect(report.version ?? version).toBe(version))

    test('gives every vector its verdict', () => {
      const { judged, problems } = report.vectors
      expect(problems.filter(({ name }) => !(name in runtime.limits))).toEqual([])
      expect(problems.map(({ name }) => name)).toEqual(Object.keys(runtime.limits))
      expect(judged).toBe(loadVectors().length)
    })

    test('verifies what is signed by every algorithm, and refuses it changed', () => {
      expect(report.roundTrips).toEqual({ verified: 20, refused: 20, problems: [] })
    })

    test('accepts one encoding of a signature, and no other', () => {
      expect(report.spellings).toEqual({ tried: 11 * 0x10000, wrong: [] })
    })

    test('accepts only the signature number below the modulus', () => {
      expect(report.platform.ours).toEqual([true, false, false, false, false])
    })

    test('still has its known faults: when one is fixed, src/signature/verify-signature.ts gets simpler', () => {
      expect(report.platform).toMatchObject({
        verifiesPss: runtime.name !== 'workerd',
        takesModulusAdded: runtime.name === 'deno'
      })
    })

    test('finds a key, and none where there is none', () => {
      expect(report.lookups).toEqual(['verified', 'rejected key-not-found'])
      expect(queries > 1).toBe(runtime.name !== 'workerd')
    })
  })
}

function summaryOf({ vectors: { judged, problems }, roundTrips }: Report, queries: number): string {
  return [
    problems.length === 0 ? `${judged} vectors` : `${judged - problems.length} of ${judged} vectors`,
    `${roundTrips.verified} round trips`,
    `${roundTrips.refused} forgeries refused`,
    queries > 0 ? 'key from DNS' : 'key from an injected lookup'
  ].join(', ')
}
