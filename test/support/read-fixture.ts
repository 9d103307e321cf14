import { completeEntry } from '../../cli/captures/capture.ts'
import { parseFixture } from '../../cli/captures/json.ts'
import type { ReceivedRequest, VerifierOptions } from '../../src/index.ts'

/** Parses a vector of a fixture document as `signed-requests explain` does; the first one without a name. */
export function readFixture(
  text: string,
  name?: string
): { request: ReceivedRequest; options: Partial<VerifierOptions> } {
  const vectors = parseFixture(JSON.parse(text))!.map(completeEntry)
  const { request, options = {} } = vectors.find(vector => name === undefined || vector.name === name)!
  return { request, options }
}
