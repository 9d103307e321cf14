import type { Fields } from '../../http/fields.ts'
import type { ReceivedRequest } from '../../http/request.ts'
import { fail, ok, type Result } from '../../result/result.ts'
import type { ParsedSignature } from '../scheme.ts'

type RequestLine = Pick<ReceivedRequest, 'method' | 'target'>
type Times = Pick<ParsedSignature, 'created' | 'expires'>

/** Builds the signing string of section 2.3 from parsed fields and lower-case names. */
export function joinSigningString(
  request: RequestLine,
  { values }: Fields,
  covered: readonly string[],
  parameters: Times
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

/** Returns the values of names that are not headers. No header can have these names: they are not tokens. */
function specialValue(name: string, { method, target }: RequestLine, times: Times) {
  if (name === '(request-target)') return `${method.toLowerCase()} ${target}`
  if (name === '(created)') return times.created?.toString()
  return name === '(expires)' ? times.expires?.toString() : undefined
}

/** Section 2.3: names that stand for something other than a header. */
export const SPECIAL_NAMES: readonly string[] = ['(request-target)', '(created)', '(expires)']
