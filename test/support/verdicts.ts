import { createVerifier, type ReceivedRequest, type Verdict, type VerifierOptions } from '../../src/index.ts'
import { service } from './service.ts'

/** The options of a receiver of the test service. The tests count from this tolerance, whatever the default is. */
export const OPTIONS: VerifierOptions = { ...service.options, dateTolerance: 300 }

/** The verdict of a receiver of the test service with some options of one's own. */
export const verifyWith = (
  options: Partial<VerifierOptions>,
  request: ReceivedRequest = service.sign()
): Promise<Verdict> => createVerifier({ ...OPTIONS, ...options })(request)

/** What failed, as `check: code`; empty when verified. */
export const failuresOf = (verdict: Verdict): string[] =>
  verdict.status === 'verified' ? [] : verdict.failures.map(({ check, code }) => `${check}: ${code}`)
