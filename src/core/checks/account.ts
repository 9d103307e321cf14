import type { ReceivedHeaders } from '../http/request.ts'
import type { AccountsFunction } from '../options/values.ts'
import { errorLabel, fail, failureIn, ok, type Result, withCause } from '../result/result.ts'
import type { Context, Examination, Later } from './context.ts'
import { expectedOf } from './expected.ts'

/**
 * Matches the text that may follow the prefix: visible ASCII without a comma (which would make two values), bounded.
 */
const ACCOUNT_ID = /^[\x21-\x2b\x2d-\x7e]{1,255}$/

export const isAccountId = (text: string): boolean => ACCOUNT_ID.test(text)

/**
 * The account header is the prefix and an account id, which must be in the list if there is one. The value is the
 * id. If a function decides, `askAccounts` asks it later.
 */
export function checkAccount({ request, fields, settings }: Context): Result<string> | Later {
  const { accountHeader: header, accountPrefix: prefix, accounts } = settings
  const received = fields.values.get(header)
  const expected = `${prefix}<account id>`
  const similar = () => similarHeader(request.headers, prefix)
  if (received === undefined) return fail('account-missing', { header, expected, ...similar() })
  if (fields.repeated.has(header)) return fail('account-repeated', { header, received })

  const id = received.slice(prefix.length)
  if (!received.startsWith(prefix) || !isAccountId(id))
    return fail('account-malformed', { header, received, expected, ...similar() })
  if (typeof accounts === 'function') return NOT_ASKED
  if (accounts.has(id)) return ok(id)
  return fail('account-mismatch', { header, received: id, ...expectedOf(accounts, accounts.size) })
}

/** Finds the first header with a value like that of the account header, perhaps the one that the service uses. */
function similarHeader(headers: ReceivedHeaders, prefix: string): { similar?: string } {
  const lines = Symbol.iterator in headers ? headers : Object.entries(headers)
  for (const [name, value] of lines) {
    const isAccount = typeof value === 'string' && value.startsWith(prefix)
    if (isAccount && prefix !== '' && isAccountId(value.slice(prefix.length))) return { similar: `${name}: ${value}` }
  }
  return {}
}

/** Stands for the account check until the accounts function is asked. */
const NOT_ASKED: Later = {
  ok: false,
  goesOn: 'later',
  reason: 'the accounts function is called after the signature has verified'
}

/**
 * The account check if a function decides: it is asked only after the signature has verified, because it may query a
 * database, and an untrusted request must not cause I/O. Any result but true or false is a failure of the function, not
 * a refusal.
 */
export function askAccounts({ fields, settings }: Examination): Result<string> | Promise<Result<string>> {
  const { accounts, accountHeader: header, accountPrefix: prefix } = settings
  const id = fields.values.get(header)!.slice(prefix.length)
  return typeof accounts === 'function' ? ask(accounts, id, header) : ok(id)
}

async function ask(accounts: AccountsFunction, id: string, header: string): Promise<Result<string>> {
  try {
    const accepted: unknown = await accounts(id)
    if (accepted === true) return ok(id)
    if (accepted === false) return fail('account-mismatch', { header, received: id })
    const recorded = failureIn(accepted)
    if (recorded !== undefined) return recorded
    const error = `it returned ${typeName(accepted)} instead of true or false`
    return fail('account-check-failed', { error, problem: 'wrong-type' })
  } catch (error) {
    return withCause(fail('account-check-failed', { error: errorLabel(error), problem: 'threw' }), error)
  }
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
