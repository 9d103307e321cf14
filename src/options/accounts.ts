import { describe } from '../mistakes/describe.ts'
import { orUndefined } from '../mistakes/own-options.ts'
import type { Accounts } from './options.ts'

/** The configured ids, or the function that decides. */
export type AccountRule = ReadonlySet<string> | Extract<Accounts, (id: string) => unknown>

export function validateAccounts(accounts: unknown, prefix: string): AccountRule {
  if (typeof accounts === 'function') return accounts as Extract<AccountRule, (id: string) => unknown>
  const list = typeof accounts === 'string' ? [accounts] : accounts
  if (!Array.isArray(list) || list.length === 0) {
    throw new TypeError(
      `accounts is ${orUndefined(accounts)}: pass an account id as a string (accounts: ${asString(accounts)}), an ` +
        'array of them, or a function (id) => boolean'
    )
  }
  for (const id of list) validateId(id, prefix)
  return new Set(list)
}

/** An id that can never match is a mistake: in the header it follows the prefix and goes to the end. */
function validateId(id: unknown, prefix: string): void {
  if (typeof id !== 'string' || id === '') {
    throw new TypeError(
      `accounts has ${describe(id)}: an account id is a non-empty string, such as ${asString(id)}`
    )
  }
  if (id.trim() !== id) {
    throw new TypeError(
      `accounts has ${describe(id)} with white space at an end: write ${describe(id.trim())}, without it`
    )
  }
  if (prefix !== '' && id.startsWith(prefix)) {
    throw new TypeError(
      `accounts has ${describe(id)} with the prefix ${describe(prefix)} of accountPrefix: write the id alone, ` +
        describe(id.slice(prefix.length))
    )
  }
}

/** How to write the id; a number is an id without its quotes. */
const asString = (id: unknown): string => (Number.isSafeInteger(id) ? `"${id}"` : '"1234"')
