import type { Verdict, Verify } from 'signed-requests'

/**
 * Releases the claim of a request. Never rejects: the verifier tries again, and the line on stderr says why the log
 * shows a repetition as refused until then.
 */
export const releaseClaim = (verify: Verify, verdict: Verdict): Promise<void> =>
  verify
    .release(verdict)
    .catch((error: NodeJS.ErrnoException | undefined) =>
      console.error(
        `a claim could not be released yet, so a retry with the same bytes is refused: ${error?.code ?? error?.name}`
      )
    )
