import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../fuzz/random.ts'
import { type Case, ed25519Case, rsaCase } from '../unit/core/signature/mutated-signatures.ts'
import type { SignatureCase } from './program/signatures.ts'
import { createProject, type Project } from './project.ts'
import { compileProgram, type Program, RUNTIMES } from './runtimes.ts'

/** Describes a judgement of runtimes that differs from big integers. */
interface Difference {
  runtimes: readonly string[]
  /** the cases: all of these, and no others */
  isMet(one: Case): boolean
  reason: string
}

const DIFFERENCES: readonly Difference[] = [
  {
    runtimes: ['node-24', 'node-26'],
    isMet: ({ change }) => change === 'the neutral R',
    reason:
      'RFC 8032 section 5.1.7 takes any point as R. These refuse one of small order (nodejs/node#64026), as WebCrypto does; the neutral one is the only such R with which the equation holds. Only the owner of the private key can make such a signature, and whoever sees it can compute the key'
  },
  {
    runtimes: ['deno'],
    isMet: ({ change, algorithm, bits, verifies }) =>
      change === 'the first octet of the encoding' &&
      !verifies &&
      // A salt of 64 octets fits only into the longer of the two keys of 8k + 1 bits.
      (algorithm === 'hs2019' ? bits === 1025 || bits === 1041 : algorithm === 'rsa-pss-sha512' && bits === 1041),
    reason:
      'RFC 8017 section 8.1.2 step 2c: under a modulus of 8k + 1 bits the encoding has an octet less than the modulus, and what is longer is refused. Deno does not look at this octet. Only the owner of the private key can sign such an encoding'
  }
]

/** Returns the verdict that a runtime must reach on the case. */
function expectedOf(runtime: string, one: Case): '0' | '1' {
  const isOtherwise = DIFFERENCES.some(({ runtimes, isMet }) => runtimes.includes(runtime) && isMet(one))
  return one.verifies !== isOtherwise ? '1' : '0'
}

let project: Project
let program: Program
beforeAll(async () => {
  project = createProject()
  program = await compileProgram(project)
}, 120_000)
afterAll(() => project?.remove())

test('every runtime verifies exactly what big integers verify, except the listed differences', async () => {
  const random = createRandom(9421)
  const cases = [
    ...Array.from({ length: 18_000 }, () => rsaCase(random)),
    ...Array.from({ length: 4_000 }, () => ed25519Case(random))
  ]
  const batch = cases.map((one): SignatureCase => [one.record, one.text, one.signature, one.algorithm])
  const verified = cases.filter(({ verifies }) => verifies).length
  for (const runtime of RUNTIMES) {
    const name = runtime.package
    const answers = await program.run(runtime, 'signatures', batch)
    const wrong = cases.flatMap((one, at) =>
      answers[at] === expectedOf(name, one) ? [] : { ...one, answer: answers[at] }
    )
    expect({ name, wrong: wrong.slice(0, 3) }).toEqual({ name, wrong: [] })
    expect(answers).toHaveLength(cases.length)
  }
  for (const { isMet, reason } of DIFFERENCES) expect({ reason, met: cases.some(isMet) }).toMatchObject({ met: true })
  expect(verified).toBeGreaterThan(2000)
  expect(verifiedBy(cases)).toEqual({
    'a key of mixed order': true,
    'a key of small order': false,
    'a key not canonical': false,
    'the neutral R': true,
    'R of small order': false,
    'R of mixed order': false,
    'R not canonical': false,
    'the group order added': false
  })
}, 900_000)

/** Returns for each kind of change whether any case verifies: otherwise nothing of that kind was judged. */
function verifiedBy(cases: readonly Case[]): Record<string, boolean> {
  const result: Record<string, boolean> = {}
  for (const { change, algorithm, verifies } of cases)
    if (algorithm === 'ed25519' && / R|R |key (of|not)|order/.test(change))
      result[change] = verifies || result[change] === true
  return result
}
