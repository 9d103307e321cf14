import type * as suite from 'signed-requests-vectors'
import type { VectorJson, VectorVerdict } from '../../fixtures/source/vector-form.ts'
import { optionsOfVector, requestOfVector } from '../../src/fixture/setup.ts'
import type { ReceivedRequest, VerifierOptions } from '../../src/index.ts'

/** A vector ready for the library. */
export interface Vector {
  name: string
  file: string
  source: string
  note: string | undefined
  options: VerifierOptions
  /** it can be verified more than once */
  request: ReceivedRequest
  verdict: VectorVerdict
  json: VectorJson
}

export const readyVector = ({ file, schema_version, source, ...vector }: suite.Vector): Vector => {
  const json = vector as VectorJson
  return {
    name: json.name,
    file,
    source,
    note: json.note,
    // The files have every required option.
    options: optionsOfVector(json) as VerifierOptions,
    request: requestOfVector(json),
    verdict: json.verdict,
    json
  }
}
