import { isToken } from '../http/fields.ts'
import { type Failed, fail, ok, type Result } from '../verdict/result.ts'
import type { Component, SignatureInput } from './signature-input.ts'

/**
 * Checks that a request can have all of these components. An unknown one must not be skipped: it was meant to be signed
 * (RFC 9421 section 2.5).
 *
 * Fails with `signature-malformed`.
 *
 * @param header the text in which the evidence gives the position
 */
export function checkComponents({ components }: SignatureInput, header: string): Result<true> {
  for (const component of components) {
    const reason = reasonAgainst(component)
    if (reason !== undefined) return malformed(header.indexOf(component.identifier), reason)
  }
  return ok(true)
}

/** Section 2.2, except `@query-param`, the only one with a parameter. */
const DERIVED: ReadonlySet<string> = new Set([
  '@method',
  '@target-uri',
  '@authority',
  '@scheme',
  '@request-target',
  '@path',
  '@query'
])

function reasonAgainst({ name, parameters }: Component): string | undefined {
  if (parameters.has('req')) return 'req is for the signature of a response'
  if (parameters.has('tr')) return 'trailers are not supported'
  if (name === '@status') return 'a request has no @status'
  if (name === '@signature-params') return '@signature-params cannot be listed'
  if (name === '@query-param') {
    const isNamed = parameters.size === 1 && typeof parameters.get('name') === 'string'
    return isNamed ? undefined : '@query-param must have the parameter name and no other'
  }
  if (name.startsWith('@')) {
    if (!DERIVED.has(name)) return 'there is no such derived component'
    return parameters.size === 0 ? undefined : 'this derived component takes no parameters'
  }
  if (!isToken(name) || name !== name.toLowerCase()) return 'a field name must be a token in lower case'
  return reasonAgainstParameters(parameters)
}

/** Section 2.1: how the value of a field is written. Flags are present or not; `bs` goes with no other parameter. */
function reasonAgainstParameters(parameters: Component['parameters']): string | undefined {
  for (const [name, value] of parameters) {
    if (name === 'key' ? typeof value !== 'string' : value !== true || (name !== 'sf' && name !== 'bs'))
      return 'the parameters of a field must be sf, bs, or key with a string'
  }
  return parameters.has('bs') && parameters.size > 1 ? 'bs must not be used with sf or key' : undefined
}

const malformed = (position: number, reason: string): Failed =>
  fail('signature-malformed', { position: Math.max(position, 0), reason })
