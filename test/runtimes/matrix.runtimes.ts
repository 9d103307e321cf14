import { loadVectors } from 'signed-requests-vectors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { startDnsServer } from '../support/dns-server.ts'
import type { Report } from './program/matrix.ts'
import { installProject, type Project } from './project.ts'
import { compileProgram, type Program, RUNTIMES } from './runtimes.ts'
import { withKeyId } from './signed.ts'

const vectors = loadVectors()
let project: Project
let program: Program
beforeAll(async () => {
  project = await installProject()
  program = await compileProgram(project)
}, 120_000)
afterAll(() => project?.remove())

describe.each(RUNTIMES)('on $name $version ($package)', runtime => {
  let report: Report
  beforeAll(async () => {
    report = await program.run(runtime, 'matrix', vectors)
  }, 240_000)

  test('is the version of its package', () => expect(report.version ?? runtime.version).toBe(runtime.version))

  test('gives every vector its verdict', () => {
    const { judged, problems } = report.vectors
    expect(problems.filter(({ name }) => !(name in runtime.limits))).toEqual([])
    expect(problems.map(({ name }) => name)).toEqual(Object.keys(runtime.limits))
    expect(judged).toBe(vectors.length)
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

  test('still has its known faults: when one is fixed, src/core/signature/verify-signature.ts gets simpler', () => {
    const [verifiesPss, takesModulusAdded] = [runtime.name !== 'workerd', runtime.name === 'deno']
    expect(report.platform).toMatchObject({ verifiesPss, takesModulusAdded })
  })

  test.skipIf(runtime.command === undefined)('finds a key at a server, and none where there is none', async () => {
    const service = createTestService()
    const dns = await startDnsServer(service.records)
    const requests = [service.sign(), withKeyId('gone.service.example', service)]
    const { verdicts } = await program.run(runtime, 'lookups', { requests, ways: [{ servers: [dns.address] }] })
    await dns.close()
    expect(verdicts).toEqual([['verified', 'rejected key-not-found']])
  })
})
