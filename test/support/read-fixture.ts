import { parseFixture } from '../../src/cli/captures/json.ts'
import { chooseVector } from '../../src/cli/explain/explain.ts'
import type { ReceivedRequest, VerifierOptions } from '../../src/index.ts'

/** A vector of a fixture document, as `signed-requests explain` reads it. */
export function readFixture(
  text: string,
  name?: string
): { request: ReceivedRequest; options: Partial<VerifierOptions> } {
  return chooseVector(parseFixture(JSON.parse(text))!, name)
}
