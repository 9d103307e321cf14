import { isAccountId } from '../core/checks/account.ts'
import { inOptions, named, type Part, withParts } from '../core/mistakes.ts'
import { DEFAULTS } from '../core/options/defaults.ts'
import { AccountError } from './errors.ts'
import { ownProperty } from './request.ts'

/** Tries the names in this order, first in the answer itself, then in each of the wrappers. */
export const ID_FIELDS = ['ID', 'id', 'account_id', 'accountId']

/** APIs put the object that they return under one of these names. */
export const WRAPPERS = ['account', 'data', 'result']

/** Finds the account id under one of its usual names; `undefined` when none of them holds an id. */
export const findAccountId = (raw: unknown): string | undefined =>
  [raw, ...WRAPPERS.map(name => ownProperty(raw, name))]
    .flatMap(holder => ID_FIELDS.map(name => parseAccountId(ownProperty(holder, name))))
    .find(id => id !== undefined)

/**
 * Returns the id in the form that `accounts` takes; `undefined` for an id that `accounts` refuses or that no request
 * can have. JSON.parse has already changed digits of larger integers: the id would be another account's.
 */
export function parseAccountId(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value)
  if (typeof value !== 'string') return undefined
  const prefix = DEFAULTS.accountPrefix
  const text = value.trim()
  const id = text.startsWith(prefix) ? text.slice(prefix.length) : text
  return isAccountId(id) && !id.startsWith(prefix) ? id : undefined
}

/** Says which fields the answer has, so that a person can find the id. Shows no value. */
export function identityError(raw: unknown, secrets: readonly string[], isSelected: boolean): AccountError {
  const select = named('selectAccountId')
  const parts: readonly Part[] = [
    ...(isSelected ? [select, ' found no account id'] : ['There is no account id under a usual name']),
    ` in the identity, whose fields are: ${listFields(raw, secrets)}.`,
    ...(isSelected
      ? [{ inCode: ' It must return an account id, as a string that is not empty.' }]
      : [' Give ', select, ' to say where it is.'])
  ]
  return withParts(new AccountError('account-identity', inOptions(parts)), parts)
}

/** Limits how many names of fields are shown, and how many characters they have together. */
const MAX_NAMES = 40
const MAX_LENGTH = 600

/** Limits how deep the fields of objects are listed: `data.user.id` is three deep. */
const MAX_DEPTH = 3

/** Lists the fields of the answer, then those of the objects in it: `id, data, data.ID`. */
function listFields(raw: unknown, secrets: readonly string[]): string {
  const isShown = fieldFilter(secrets)
  const names: string[] = []
  let holders: (readonly [path: string, holder: object])[] = isObject(raw) ? [['', raw]] : []
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const fields = holders.flatMap(([path, holder]) =>
      Object.entries(holder).map(([name, value]) => ({ path: isShown(name) ? path + name : path + HIDDEN, value }))
    )
    names.push(...fields.map(({ path }) => path))
    holders = fields.flatMap(({ path, value }) =>
      isObject(value) && !path.endsWith(HIDDEN) ? [[`${path}.`, value] as const] : []
    )
  }
  let length = 0
  const shown = names.slice(0, MAX_NAMES).filter(name => {
    length += name.length
    return length <= MAX_LENGTH
  })
  const more = names.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || '(none)'
}

const HIDDEN = '(not shown)'

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Matches a name of visible ASCII. */
const FIELD_NAME = /^[\w$-]{1,24}$/

/**
 * Returns whether a name may be shown. A server may have a token in the place of a name: an echo of the request, or the
 * tokens under which it keeps its records. Names have few digits, so a name that looks random is not shown; nor is a
 * token of this client, or a part of one, in any case of its letters.
 */
function fieldFilter(secrets: readonly string[]): (name: string) => boolean {
  const known = secrets.map(secret => secret.toLowerCase())
  return name => {
    if (!FIELD_NAME.test(name) || name.replace(/\D/g, '').length > MAX_DIGITS || !isOfWords(name)) return false
    const written = name.toLowerCase()
    return !known.some(secret => written.includes(secret) || (written.length >= 8 && secret.includes(written)))
  }
}

const MAX_DIGITS = 2

/** Matches the usual styles: `account_number`, `ACCOUNT-NUMBER` and `accountNumber`, which may end with `ID`. */
const WORDS =
  /^(?:[a-z]{1,14}(?:[_-][a-z]{1,14})*|[A-Z]{1,14}(?:[_-][A-Z]{1,14})*|[A-Za-z][a-z]*(?:[A-Z][a-z]+)*(?:ID)?)$/

/** Returns whether a name is of words. Letters in random cases have no usual style, or are many short words. */
function isOfWords(name: string): boolean {
  const letters = name.replace(/[\d$]/g, '').replace(/^[_-]+|[_-]+$/g, '')
  const words = letters.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []
  if (letters !== '' && !WORDS.test(letters)) return false
  return words.every(word => word.length <= 14) && (words.length <= 2 || letters.length >= 4 * words.length)
}
