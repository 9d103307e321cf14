import type { VerifierOptions } from 'signed-requests'
import { SHARED } from '../../flags/table.ts'
import { quote } from '../../src/internal/index.ts'

/** Limits the accounts that are remembered: a receiver has a few, and a service has thousands. */
const MAX_SEEN = 20

type Accepts = Extract<VerifierOptions['accounts'], (id: string) => unknown>

/** Accepts each account, while observing without --account. It is asked after the signature has verified. */
export const ANY_ACCOUNT: Accepts = () => true

/** Wraps the function, so that `seen` has the first accounts that it is asked about. */
export function noteAccounts(accepts: Accepts, seen: Set<string>): Accepts {
  return id => {
    if (seen.size < MAX_SEEN) seen.add(id)
    return accepts(id)
  }
}

/** Writes the flags for one's own accounts among these: `--account 1234`. */
export const accountFlags = (ids: Iterable<string>): string =>
  [...ids].map(id => `--${SHARED.accounts.flag} ${quote(id)}`).join(' ')
