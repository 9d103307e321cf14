import { isToken } from '../http/fields.ts'
import { normalizeName } from '../http/uri.ts'
import { dnsTxtLookup } from '../key/dns.ts'
import type { LookupTxt } from '../key/types.ts'
import { describe, describeSetting, kindOf, kindOfSetting, mistake, named, type Part } from '../mistakes.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { SchemeName } from '../result/scheme-name.ts'
import { type Algorithm, SCHEME_ALGORITHMS } from '../signature/algorithms.ts'
import type { SchemeRules } from '../standards/scheme.ts'

/** Account ids to accept: one, several, or a function that decides. */
export type Accounts = string | readonly string[] | ((id: string) => boolean | Promise<boolean>)

// Each function here validates one value: it returns a value that is ready to use, or throws a TypeError of one line,
// which says what was received, what is expected and what to write.

/** Returns the value itself, if it is good. */
function expected<T>(value: unknown, isGood: boolean, option: string, rule: string): T {
  if (isGood) return value as T
  throw mistake([named(option), ' is'], value, rule, kindOfSetting)
}

/** The limits of a number, both included. */
export interface Bounds {
  readonly min?: number
  readonly max?: number
}

/** Validates a number within bounds. */
export function validateNumber(
  value: unknown,
  fallback: number,
  option: string,
  unit: string,
  { min = 1, max = Number.MAX_VALUE }: Bounds = {}
): number {
  const number = value === undefined ? fallback : value
  const upTo = max === Number.MAX_VALUE ? '' : ` and at most ${max}`
  const rule = `pass a number of ${unit}, at least ${min}${upTo}, such as ${fallback}`
  return expected(number, typeof number === 'number' && number >= min && number <= max, option, rule)
}

/** Validates milliseconds for a timer, which would fire at once for a longer delay. */
export const validateTimeout = (value: unknown, fallback: number, option: string): number =>
  validateNumber(value, fallback, option, 'milliseconds', { max: 2 ** 31 - 1 })

export const validateBoolean = (value: unknown, option: string): boolean =>
  expected(value, typeof value === 'boolean', option, 'write true or false')

/** Validates a function. */
export function validateFunction<F>(value: F, option: string, shape: string): F {
  if (typeof value === 'function') return value
  throw mistake([named(option), ' is'], value, `pass a function ${shape}`)
}

export const validateOptionalFunction = <F>(value: F | undefined, option: string, shape: string): F | undefined =>
  value === undefined ? undefined : validateFunction(value, option, shape)

export const validateString = (value: unknown, option: string, example: string): string =>
  expected(value, typeof value === 'string', option, `pass a string, such as "${example}"`)

/** Returns the name in lower case. */
export function validateHeaderName(name: unknown, option: string): string {
  if (typeof name === 'string' && isToken(name)) return name.toLowerCase()
  throw mistake([named(option), ' has'], name, 'write the name of a header, such as "X-Service-ID"', describeSetting)
}

export function validateHeaderNames(names: unknown, option: string): readonly string[] {
  const rule = 'pass an array of header names, such as ["content-type"]'
  return expected<unknown[]>(names, Array.isArray(names), option, rule).map(name =>
    name === '(created)' || name === '(expires)' ? name : validateHeaderName(name, option)
  )
}

/**
 * Validates the DNS name under which keys are accepted, and normalizes it. Under a top-level domain anyone could sign.
 */
export function validateDomain(domain: unknown, option: string): string {
  const name = typeof domain === 'string' ? normalizeName(domain) : undefined
  if (name?.includes('.')) return name
  const rule =
    'write the domain under which the service publishes its keys, such as "service.example"; ' +
    'under a single label, anyone can publish one'
  throw mistake([named(option), ' is'], domain, rule, describeSetting)
}

/** Returns the values, and how a message about them begins. An empty array counts as one value, which is wrong. */
const listOf = (value: unknown, option: string): [list: readonly unknown[], start: readonly Part[]] =>
  Array.isArray(value) && value.length > 0 ? [value, [named(option), ' has']] : [[value], [named(option), ' is']]

/** Validates one value or several, and returns them as they were given. */
export function validateList(
  value: unknown,
  option: string,
  isGood: (value: unknown) => value is string,
  rule: string
): readonly string[] {
  const [list, start] = listOf(value, option)
  return list.map(value => {
    if (isGood(value)) return value
    throw mistake(start, value, rule, describeSetting)
  })
}

export type AccountsFunction = Extract<Accounts, (id: string) => unknown>

/**
 * Validates account ids. An id that can never match is a mistake: in the header it follows the prefix and goes to the
 * end.
 */
export function validateAccounts(
  accounts: unknown,
  option: string,
  prefix: { readonly option: string; readonly value: unknown }
): ReadonlySet<string> | AccountsFunction {
  if (typeof accounts === 'function') return accounts as AccountsFunction
  const [list, start] = listOf(accounts, option)
  const ids = list.map(id => {
    const wrong = (...rule: readonly Part[]) => mistake(start, id, rule, describeSetting)
    // A number is an id without its quotes.
    const example = Number.isSafeInteger(id) ? id : '1234'
    if (typeof id !== 'string' || id === '') throw wrong(`an account id is a non-empty string, such as "${example}"`)
    if (id.includes(',')) throw wrong('an account id has no comma, so write each id by itself')
    if (id.trim() !== id) throw wrong(`it has white space at an end, so write ${describe(id.trim())}`)
    if (typeof prefix.value === 'string' && prefix.value !== '' && id.startsWith(prefix.value)) {
      const alone = describe(id.slice(prefix.value.length))
      throw wrong(
        `it has the prefix ${describe(prefix.value)} of `,
        named(prefix.option),
        `, so write the id alone, ${alone}`
      )
    }
    return id
  })
  return new Set(ids)
}

/** Returns whether a value is a scheme, by its shape: the ES module and the CommonJS build have different objects. */
const isScheme = (value: unknown): value is SchemeRules =>
  typeof (value as SchemeRules | null | undefined)?.parseSignature === 'function'

export function validateSchemes(schemes: unknown, option: string): readonly SchemeRules[] {
  if (Array.isArray(schemes) && schemes.length > 0 && schemes.every(isScheme)) return [...schemes]
  const rule =
    'pass an array of schemes, such as [draftCavage], with ' +
    "import { draftCavage } from 'signed-requests' or import { rfc9421 } from 'signed-requests/rfc9421'"
  throw mistake([named(option), ' is'], schemes, rule, value => showList(value, kindOf))
}

/** The algorithms that are allowed, by scheme, in the order in which they were given. */
export type AllowedAlgorithms = Readonly<Record<SchemeName, ReadonlySet<Algorithm>>>

/** The service's specification names one; RFC 9421 leaves the choice to key and signature. */
const DEFAULT_ALGORITHMS: AllowedAlgorithms = {
  'draft-cavage': new Set(['rsa-sha256']),
  rfc9421: /* @__PURE__ */ new Set(SCHEME_ALGORITHMS.rfc9421)
}

export function validateAlgorithms(algorithms: unknown, option: string, schemes: unknown): AllowedAlgorithms {
  if (algorithms === undefined) return DEFAULT_ALGORITHMS
  const known: readonly unknown[] = [...new Set(Object.values(SCHEME_ALGORITHMS).flat())]
  const rule = `pass an array of ${known.join(', ')}`
  const names = expected<Algorithm[]>(algorithms, Array.isArray(algorithms), option, rule)
  for (const name of names)
    if (!known.includes(name))
      throw mistake([named(option), ' has'], name, `it must be one of ${known.join(', ')}`, describe)

  const allowedOf = (scheme: SchemeName): ReadonlySet<Algorithm> =>
    new Set(names.filter(name => SCHEME_ALGORITHMS[scheme].includes(name as never)))
  const allowed = { 'draft-cavage': allowedOf('draft-cavage'), rfc9421: allowedOf('rfc9421') }
  const accepted = Array.isArray(schemes) ? schemes.filter(isScheme) : []
  const unusable = accepted.find(({ name }) => allowed[name].size === 0)?.name
  if (unusable === undefined) return allowed
  const advice = `it has no algorithm of ${unusable}, so add one of ${SCHEME_ALGORITHMS[unusable].join(', ')}`
  throw mistake([named(option), ' is'], algorithms, advice, value => showList(value, describe))
}

const showList = (list: unknown, show: (value: unknown) => string): string =>
  Array.isArray(list) && list.length > 0 ? `[${list.map(show).join(', ')}]` : kindOf(list)

/** Validates a lookup. `dnsTxtLookup` itself looks like one, but would fail for each request. */
export const validateLookup = (lookup: unknown = dnsTxtLookup(), option: string): LookupTxt =>
  expected(
    lookup,
    typeof lookup === 'function' && lookup !== dnsTxtLookup,
    option,
    'pass dnsTxtLookup(), or a function (name, { signal }) => Promise<string[][]>'
  )

export function validateStore(store: unknown, option: string): ReplayStore | undefined {
  const { claim, release } = (store ?? {}) as Partial<ReplayStore>
  const isStore = typeof claim === 'function' && typeof release === 'function'
  const rule =
    'pass a store with claim(id, token, ttlSeconds) and release(id, token, ttlSeconds), such as memoryReplayStore()'
  return expected(store, isStore || store === undefined, option, rule)
}

/** Receives each request that was not verified. `createRecorder()` of `signed-requests/recorder` makes one. */
export interface RequestRecorder {
  /** Called by the verifier alone, with everything that it knows about a request. Never throws. */
  record(refused: object): void
}

export function validateRecorder(recorder: unknown, option: string): RequestRecorder | undefined {
  const isRecorder = typeof (recorder as Partial<RequestRecorder> | null | undefined)?.record === 'function'
  return expected(recorder, isRecorder || recorder === undefined, option, 'pass the result of createRecorder()')
}
