import { type Fields, hasBreak, readFields } from './headers/fields.ts'
import type { ReceivedRequest } from './request.ts'
import { fail, ok, type Result } from './result.ts'

/** The times that `(created)` and `(expires)` stand for, in seconds since 1970. */
export interface SigningStringParameters {
  created?: number
  expires?: number
}

/**
 * Builds the signing string of draft-cavage-http-signatures-12 section 2.3 for the covered names, which may be in any
 * case. Never throws for what a sender can send.
 *
 * Fails with `request-malformed` (a line break in a part), `coverage-absent` (a name that the request does not
 * have) or `signature-parameter-missing` (`(created)` or `(expires)` without its parameter).
 */
export function buildSigningString(
  request: Pick<ReceivedRequest, 'method' | 'target' | 'headers'>,
  covered: readonly string[],
  parameters: SigningStringParameters = {}
): Result<string> {
  if (hasBreak(request.method)) return fail('request-malformed', { part: 'method' })
  if (hasBreak(request.target)) return fail('request-malformed', { part: 'target' })
  const fields = readFields(request.headers)
  if (!fields.ok) return fields
  const names = covered.map(name => name.toLowerCase())
  return joinSigningString(request, fields.value, names, parameters)
}

/** The same from fields that have been read and names in lower case. */
export function joinSigningString(
  { method, target }: Pick<ReceivedRequest, 'method' | 'target'>,
  fields: Fields,
  covered: readonly string[],
  { created, expires }: SigningStringParameters
): Result<string> {
  let text = ''
  for (const name of covered) {
    const values = fields.get(name)
    let value: string
    if (values !== undefined) {
      value = values.length === 1 ? values[0]! : values.join(', ')
    } else if (name === '(request-target)') {
      value = `${method.toLowerCase()} ${target}`
    } else if (name === '(created)' || name === '(expires)') {
      const time = name === '(created)' ? created : expires
      if (time === undefined) return fail('signature-parameter-missing', { parameter: name.slice(1, -1) })
      value = String(time)
    } else {
      return fail('coverage-absent', { absent: [name] })
    }
    text += text === '' ? `${name}: ${value}` : `\n${name}: ${value}`
  }
  return ok(text)
}
