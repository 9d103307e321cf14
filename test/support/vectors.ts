import * as suite from 'signed-requests-vectors'
import { readyVector, type Vector } from './ready-vector.ts'

export type { Vector } from './ready-vector.ts'

export const loadVectors = (): readonly Vector[] => suite.loadVectors().map(readyVector)
