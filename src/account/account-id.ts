import { isAccountId } from '../core/checks/account.ts'
import { isObject } from '../core/json-shape.ts'
import { inOptions, named, type Part, withParts } from '../core/mistakes.ts'
import { DEFAULTS } from '../core/options/options.ts'
import { AccountError } from './errors.ts'
import { ownProperty } from './request.ts'

/** Tries the names in this order, first in the answer itself, then in each of the wrappers. */
const ID_FIELDS = ['ID', 'id', 'account_id', 'accountId']

/** APIs put the object that they return under one of these names. */
const WRAPPERS = ['account', 'data', 'result']

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
export function identityError(raw: unknown, isSelected: boolean): AccountError {
  const select = named('selectAccountId')
  const parts: readonly Part[] = [
    ...(isSelected ? [select, ' found no account id'] : ['There is no account id under a usual name']),
    ` in the identity, whose fields are: ${listFields(raw)}.`,
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

/**
 * The words that identity responses use as field names. A server may have a token in the place of a name, so no other
 * name is shown. Case, `_` and `-` do not count: `account_number` and `accountNumber` are both shown.
 */
const FIELD_WORDS: ReadonlySet<string> = new Set(
  (
    'account accounts accountid accountname accountnumber active admin attributes client clientid code company ' +
    'companyid contact created createdat customer customerid customernumber data email enabled error errors expires ' +
    'firstname id identifier identities identity item items key lastname login member members message meta metadata ' +
    'name number org organisation organisationid organization organizationid orgid owner ownerid parent permissions ' +
    'plan profile reference response result results role roles scope scopes status sub subject subscription team ' +
    'teamid tenant tenantid title type updated updatedat user userid username users uuid value workspace workspaceid'
  ).split(' ')
)

const isShown = (name: string): boolean => FIELD_WORDS.has(name.replace(/[_-]/g, '').toLowerCase())

/** Lists the fields of the answer, then those of the objects in it: `id, data, data.ID`. */
function listFields(raw: unknown): string {
  const names: string[] = []
  let holders: (readonly [path: string, holder: object])[] = hasFields(raw) ? [['', raw]] : []
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const fields = holders.flatMap(([path, holder]) =>
      Object.entries(holder).map(([name, value]) => ({
        // The names in an array are its indexes.
        path: Array.isArray(holder) || isShown(name) ? path + name : path + HIDDEN,
        value
      }))
    )
    names.push(...fields.map(({ path }) => path))
    holders = fields.flatMap(({ path, value }) =>
      hasFields(value) && !path.endsWith(HIDDEN) ? [[`${path}.`, value] as const] : []
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

/** Objects and arrays of JSON have fields. */
const hasFields = (value: unknown): value is object => isObject(value) || Array.isArray(value)
