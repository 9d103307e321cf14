import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Judge, startJudges } from './batches.ts'
import { findDifferences } from './differential.ts'
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
  console.log(
    `${judged} requests on ${judges.length} runtimes, ${verified} verified, ${found.length} differences`
  )
  expect(found.slice(0, 3)).toEqual([])
  expect(judged).toBe(1920)
  expect(verified).toBeGreaterThan(100)
}, 300_000)

test('a runtime that judges otherwise is found', async () => {
  const [node] = judges
  const lenient: Judge = {
    name: 'lenient',
    judge: async batch =>
      (await node!.judge(batch)).map(verdict => verdict.replaceAll('coverage-absent', 'verified'))
  }
  const { found } = await findDifferences([node!, lenient], [1, 2, 3, 4, 5, 6, 7, 8])
  expect(found.length).toBeGreaterThan(0)
}, 300_000)
