import { type Fields, hasBreak, isToken, parseFields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { fail, type Result } from '../result/result.ts'

/**
 * The request is well-formed HTTP (RFC 9110 sections 5.1, 5.5 and 9.1). A line break in a value would let one signed
 * line pose as two; a space in the method would let one request line pose as another.
 */
export function checkRequest({ method, target, headers }: ReceivedRequest): Result<Fields> {
  if (!isToken(method)) return fail('request-malformed', { part: 'method' })
  if (target === '' || hasBreak(target)) return fail('request-malformed', { part: 'target' })
  return parseFields(headers)
}
