import { createVerifier, type ReceivedRequest, type Verdict, type VerifierOptions } from '../../src/index.ts'
import { service } from './service.ts'

/** The tests assume this tolerance, whatever the default is. */
export const OPTIONS: VerifierOptions = { ...service.options, dateTolerance: 300 }

/** Returns the verdict of a receiver of the test service with these options. */
export const verifyWith = (
  options: Partial<VerifierOptions>,
  request: ReceivedRequest = service.sign()
): Promise<Verdict> => createVerifier({ ...OPTIONS, ...options })(request)

/** Lists the failures, as `check: code`; empty when verified. */
export const failuresOf = (verdict: Verdict): string[] =>
  verdict.status === 'verified' ? [] : verdict.failures.map(({ check, code }) => `${check}: ${code}`)
