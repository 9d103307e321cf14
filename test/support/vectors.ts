import * as suite from 'signed-requests-vectors'
import { readyVector, type Vector } from './ready-vector.ts'

export type { Vector } from './ready-vector.ts'

/** Returns vectors that a test may change. */
export const freshVectors = (): readonly Vector[] => suite.loadVectors().map(readyVector)

let vectors: readonly Vector[] | undefined

/** Loads them once for all files of a worker: their files have 3 MB. */
export const loadVectors = (): readonly Vector[] => {
  vectors ??= freshVectors()
  return vectors
}
