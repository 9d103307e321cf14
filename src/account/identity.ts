import { AccountError, responseError, statusError } from './errors.ts'
import type { AccountSettings } from './options.ts'
import { apiUrl, own, parseJson, request } from './request.ts'
import type { TokenSource } from './token.ts'

/** The account that the access token belongs to. */
export interface Identity {
  /** In the form that `accounts` of `createVerifier` takes. A number in the response becomes its decimal text. */
  accountId: string
  /** The parsed body of `/identity`. */
  raw: unknown
}

/** In this order, first in the body itself, then in its `account`. */
const FIELDS = ['ID', 'id', 'account_id', 'accountId']

/** `GET {baseUrl}/identity`, once more with a new token after a 401. */
export async function fetchIdentity(settings: AccountSettings, tokens: TokenSource): Promise<Identity> {
  const secrets = [settings.accessToken]
  const load = async () => {
    const token = await tokens.get()
    secrets.push(token.value)
    const text = await request(settings, 'API', apiUrl(settings.baseUrl, '/identity'), {
      headers: { accept: 'application/json', authorization: `Bearer ${token.value}` }
    })
    if (text === undefined) tokens.discard(token)
    return text
  }
  const text = (await load()) ?? (await load())
  if (text === undefined) throw statusError('API', 401)

  const raw = parseJson(text)
  if (raw === undefined) throw responseError('API', 'the identity is not JSON')
  const { selectAccountId } = settings
  const accountId = selectAccountId ? select(selectAccountId, raw) : findAccountId(raw)
  if (accountId === undefined) throw identityError(raw, secrets, selectAccountId !== undefined)
  return { accountId, raw }
}

/** The account id under one of its usual names; `undefined` when none of them holds an id. */
export const findAccountId = (raw: unknown): string | undefined =>
  [raw, own(raw, 'account')]
    .flatMap(holder => FIELDS.map(name => asId(own(holder, name))))
    .find(id => id !== undefined)

/** JSON.parse has already changed digits of larger integers: the id would be another account's. */
function asId(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function select(selectAccountId: (raw: unknown) => unknown, raw: unknown): string | undefined {
  try {
    return asId(selectAccountId(raw))
  } catch {
    // The error may quote the body.
    return undefined
  }
}

const MAX_NAMES = 20

/** Lists the field names found, so that a person can write `selectAccountId`. Never a value. */
function identityError(raw: unknown, secrets: readonly string[], selected: boolean): AccountError {
  const outer = namesIn(raw)
  const inner = namesIn(own(raw, 'account'))
  const shown = [
    ...outer.slice(0, MAX_NAMES).map(name => showName(name, secrets)),
    ...inner.slice(0, MAX_NAMES).map(name => `account.${showName(name, secrets)}`)
  ]
  const rest = outer.length + inner.length - shown.length
  if (rest > 0) shown.push(`and ${rest} more`)
  const what = selected ? 'selectAccountId found no account id' : 'There is no account id under a usual name'
  const then = selected
    ? 'It must return a string that is not empty.'
    : 'Give selectAccountId to say where it is.'
  const message = `${what} in the identity, whose fields are: ${shown.join(', ') || '(none)'}. ${then}`
  return new AccountError('account-identity', message)
}

function namesIn(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
}

/** A server that echoes the request may have put a token, or a piece of one, where a name should be. */
function showName(name: string, secrets: readonly string[]): string {
  const isSecret = secrets.some(
    secret => name.includes(secret) || (name.length >= 8 && secret.includes(name))
  )
  return /^[\w.$-]{1,40}$/.test(name) && !isSecret ? name : '(not shown)'
}
