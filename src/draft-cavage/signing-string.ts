import { type Fields, hasBreak, isToken, parseFields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/** The times that `(created)` and `(expires)` stand for, in seconds since 1970. */
export interface SigningStringParameters {
  created?: number | undefined
  expires?: number | undefined
}

/**
 * Builds the signing string of draft-cavage-http-signatures-12 section 2.3 for the covered names, which may be in any
 * case. Never throws for what a sender can send.
 *
 * Fails with `request-malformed` (a line break in a part, or a method that is not a token: with a space in it, it could
 * pose as a part of the target), `coverage-absent` (a name that the request does not have) or
 * `signature-parameter-missing` (`(created)` or `(expires)` without its parameter).
 *
 * @example
 * buildSigningString(request, ['(request-target)', 'host'])
 * // { ok: true, value: '(request-target): post /hook\nhost: hooks.example.com' }
 */
export function buildSigningString(
  request: Pick<ReceivedRequest, 'method' | 'target' | 'headers'>,
  covered: readonly string[],
  parameters: SigningStringParameters = {}
): Result<string> {
  if (!isToken(request.method)) return fail('request-malformed', { part: 'method' })
  if (hasBreak(request.target)) return fail('request-malformed', { part: 'target' })
  const fields = parseFields(request.headers)
  if (!fields.ok) return fields
  const names = covered.map(name => name.toLowerCase())
  return joinSigningString(request, fields.value, names, parameters)
}

type RequestLine = Pick<ReceivedRequest, 'method' | 'target'>

/** The same, from parsed fields and lower-case names. */
export function joinSigningString(
  request: RequestLine,
  { values }: Fields,
  covered: readonly string[],
  parameters: SigningStringParameters
): Result<string> {
  const lines: string[] = []
  for (const name of covered) {
    const value = values.get(name) ?? specialValue(name, request, parameters)
    if (value !== undefined) lines.push(`${name}: ${value}`)
  }
  if (lines.length === covered.length) return ok(lines.join('\n'))

  const absent = covered.filter(name => !SPECIAL_NAMES.includes(name) && !values.has(name))
  if (absent.length > 0) return fail('coverage-absent', { absent })
  const isCreated = covered.includes('(created)') && parameters.created === undefined
  return fail('signature-parameter-missing', { parameter: isCreated ? 'created' : 'expires' })
}

/** The values of names that are not headers. No header can have these names: they are not tokens. */
function specialValue(name: string, { method, target }: RequestLine, times: SigningStringParameters) {
  if (name === '(request-target)') return `${method.toLowerCase()} ${target}`
  if (name === '(created)') return times.created?.toString()
  return name === '(expires)' ? times.expires?.toString() : undefined
}

/** Section 2.3: names that stand for something other than a header. */
export const SPECIAL_NAMES: readonly string[] = ['(request-target)', '(created)', '(expires)']
