import { judgeRequests } from './batch.ts'
import { judgeLookups } from './lookups.ts'
import { runMatrix } from './matrix.ts'
import { recordVectors } from './recorder.ts'
import { judgeSignatures } from './signatures.ts'

/**
 * Lists the tasks of the program on each runtime; input and result are plain data. The package is the one of the
 * project.
 */
const TASKS = {
  matrix: runMatrix,
  requests: judgeRequests,
  signatures: judgeSignatures,
  lookups: judgeLookups,
  recorder: recordVectors
}

export type Tasks = typeof TASKS

export const runTask = async ({ task, input }: { task: keyof Tasks; input: never }): Promise<unknown> =>
  TASKS[task](input)
