import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDifferences, isExplained, type Judge, startJudges } from './differential.ts'
import { createProject, type Project } from './project.ts'

let project: Project
let judges: Judge[]
beforeAll(async () => {
  project = createProject()
  judges = await startJudges(project)
}, 300_000)
afterAll(() => project?.remove())

test('Node.js, Bun, Deno and workerd give the same verdict on the same mutated requests', async () => {
  const seeds = Array.from({ length: 60 }, (_, at) => 20_261_120 + at)
  const { judged, verified, found } = await findDifferences(judges, seeds)
  expect(found.slice(0, 3)).toEqual([])
  expect(judged).toBe(1920)
  expect(verified).toBeGreaterThan(100)
}, 300_000)

test('a runtime that judges differently is found', async () => {
  const [node] = judges
  const lenient: Judge = {
    name: 'lenient',
    judge: async batch => (await node!.judge(batch)).map(verdict => verdict.replaceAll('coverage-absent', 'verified'))
  }
  const { found } = await findDifferences([node!, lenient], [1, 2, 3, 4, 5, 6, 7, 8])
  expect(found.length).toBeGreaterThan(0)
}, 300_000)

test('accepts as a difference only a key off the curve, on Deno, for the request that names it', () => {
  // y = 2 is on no point of edwards25519; y = 3 is.
  const record = (y: number) => `v=DKIM1; k=ed25519; p=${Buffer.alloc(32).fill(y, 0, 1).toString('base64')}`
  const rejected = (code: string, y?: number) =>
    JSON.stringify({ status: 'rejected', failures: [{ code, ...(y && { evidence: { record: record(y) } }) }] })
  const mismatch = rejected('signature-mismatch')
  const unreadable = rejected('key-unreadable', 2)
  const verified = '{"status":"verified"}'
  expect(isExplained({ node: mismatch, bun: mismatch, deno: unreadable })).toBe(true)
  for (const verdicts of [
    { node: mismatch, bun: mismatch, deno: rejected('key-unreadable', 3) },
    { node: mismatch, bun: unreadable, deno: unreadable },
    { node: verified, bun: verified, deno: unreadable },
    { node: mismatch, bun: mismatch, deno: rejected('date-missing', 2) },
    { node: rejected('date-missing'), bun: rejected('date-missing'), deno: unreadable },
    { node: unreadable, bun: mismatch, deno: mismatch }
  ]) {
    expect(isExplained(verdicts), JSON.stringify(verdicts)).toBe(false)
  }
})
