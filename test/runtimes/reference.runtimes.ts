import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../fuzz/random.ts'
import { ed25519Case, rsaCase } from '../signature/mutated-signatures.ts'
import { type Judge, startJudges } from './batches.ts'
import type { SignatureCase } from './program/signatures.ts'
import { createProject, type Project } from './project.ts'
import { installedVersion, RUNTIMES } from './runtimes.ts'

let project: Project
let judges: Judge[]
beforeAll(async () => {
  project = createProject()
  const nodes = RUNTIMES.filter(runtime => runtime.name === 'node' && installedVersion(runtime) !== undefined)
  judges = await startJudges(
    project,
    nodes.map(runtime => runtime.package)
  )
}, 120_000)
afterAll(() => project?.remove())

test('every runtime verifies exactly what big integers verify', async () => {
  const random = createRandom(9421)
  const cases = [
    ...Array.from({ length: 18_000 }, () => rsaCase(random)),
    ...Array.from({ length: 2_000 }, () => ed25519Case(random))
  ]
  const batch = cases.map((one): SignatureCase => [one.record, one.text, one.signature, one.algorithm])
  const expected = cases.map(({ verifies }) => (verifies ? '1' : '0'))
  const verified = expected.filter(answer => answer === '1').length
  for (const { name, judge } of judges) {
    const answers = await judge(batch)
    const wrong = cases.flatMap((one, at) =>
      answers[at] === expected[at] ? [] : { ...one, answer: answers[at] }
    )
    console.log(`${name}: ${answers.length} signatures, ${verified} verify, ${wrong.length} judged otherwise`)
    expect({ name, wrong: wrong.slice(0, 3) }).toEqual({ name, wrong: [] })
    expect(answers).toHaveLength(cases.length)
  }
  expect(verified).toBeGreaterThan(2000)
}, 900_000)
