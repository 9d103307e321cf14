import { serializeList } from 'structured-headers'
import { encodeBase64 } from '../../http/base64.ts'
import { type Fields, hasBreak, parseFields } from '../../http/fields.ts'
import type { ReceivedRequest } from '../../http/request.ts'
import { memoizeRecent } from '../../memo.ts'
import { fail, ok, type Result } from '../../result/result.ts'
import { type Component, checkComponents, type SignatureInput } from './signature-input.ts'
import { canonicalForm, describeLimits, FOR_PARAMETERS, isTooLong, parseDictionaryField } from './structured-fields.ts'
import { DERIVED, parseQueryParams, parseTarget, type RequestLine } from './target.ts'

/** The parts of a request that a signature can cover. */
export type SignedRequest = Pick<ReceivedRequest, 'method' | 'target' | 'headers' | 'https'>

/**
 * Builds the signature base of RFC 9421 section 2.5. Never throws for what a sender can send.
 *
 * Fails with `request-malformed` (a line break in a part), `signature-malformed` (a component that no request has),
 * `coverage-repeated` or `coverage-absent` (a component that this request does not have, or whose value is not
 * printable ASCII).
 *
 * @example
 * const value = 'sig1=("@method" "host");created=1618884473;keyid="one._domainkey.service.example"'
 * const inputs = parseSignatureInput(value)
 * if (inputs.ok) buildSignatureBase(request, inputs.value[0]!)
 */
export function buildSignatureBase(request: SignedRequest, input: SignatureInput): Result<string> {
  if (hasBreak(request.method)) return fail('request-malformed', { part: 'method' })
  if (hasBreak(request.target)) return fail('request-malformed', { part: 'target' })
  const fields = parseFields(request.headers)
  if (!fields.ok) return fields
  const components = checkComponents(input, input.signatureParams)
  if (!components.ok) return components
  const covered = input.components.map(component => component.covered)
  const repeated = covered.filter((name, at) => covered.indexOf(name) !== at)
  if (repeated.length > 0) return fail('coverage-repeated', { repeated })
  return joinSignatureBase(request, fields.value, input)
}

/** Builds the same from parsed fields and checked components. */
export function joinSignatureBase(
  request: RequestLine,
  fields: Fields,
  { components, signatureParams }: Pick<SignatureInput, 'components' | 'signatureParams'>
): Result<string> {
  const signatureInput = fields.values.get('signature-input') ?? signatureParams
  const parsed = components.filter(({ parameters }) => parameters.size > 0)
  const names = new Set(parsed.map(({ name }) => name))
  const texts = [...names].map(name => (name === '@query-param' ? request.target : fields.values.get(name)))
  const text = [signatureInput, ...texts].join()
  if (parsed.length > MAX_PARSED || (parsed.length > 0 && isTooLong(text, FOR_PARAMETERS))) {
    const limits = describeLimits(FOR_PARAMETERS)
    const many = `more than ${MAX_PARSED} are covered with parameters`
    const reason = `${many}, or they and Signature-Input have in all ${limits}`
    return fail('coverage-absent', { absent: parsed.map(({ covered }) => covered), reason })
  }
  const read = createReader(request, fields)
  const absent: string[] = []
  const unprintable: string[] = []
  let base = ''
  for (const component of components) {
    const value = read(component)
    if (value === undefined) absent.push(component.covered)
    else if (!PRINTABLE.test(value)) unprintable.push(component.covered)
    base += `${component.identifier}: ${value}\n`
  }
  if (absent.length > 0) return fail('coverage-absent', { absent })
  if (unprintable.length > 0) return fail('coverage-absent', { absent: unprintable, reason: NOT_PRINTABLE })
  return ok(`${base}"@signature-params": ${signatureParams}`)
}

/** Limits how many components are parsed before the signature has verified. Senders need fewer. */
export const MAX_PARSED = 8

/** Section 2.5: the base is ASCII, and each value is on one line. */
const PRINTABLE = /^[\t\x20-\x7e]*$/
const NOT_PRINTABLE = 'it is present but not printable ASCII, so it can only be covered with bs'

/** Reads the values of components; each part of the request is parsed once. */
function createReader(request: RequestLine, fields: Fields): (component: Component) => string | undefined {
  const target = parseTarget(request, fields)
  const queryParams = memoizeRecent(parseQueryParams)
  const dictionary = memoizeRecent(parseDictionaryField, Object.is, MAX_PARSED)

  return ({ name, parameters }) => {
    if (name === '@query-param') return queryParams(target?.query ?? '?')(String(parameters.get('name')))
    const derive = DERIVED.get(name)
    if (derive !== undefined) return derive(request, target)

    // Section 2.1: the value is the lines joined, or in the form of `sf`, `key` and `bs`.
    const value = fields.values.get(name)
    if (value === undefined || parameters.size === 0) return value
    if (parameters.has('bs')) return wrapLines(fields.repeated.get(name) ?? [value])
    const key = parameters.get('key')
    if (key === undefined) return canonicalForm(value)
    const members = dictionary(value)
    const member = members instanceof Map ? members.get(String(key)) : undefined
    return member && serializeList([member])
  }
}

/** Wraps each line as a Byte Sequence (section 2.1.3). A character that is not an octet was never in a request. */
function wrapLines(lines: readonly string[]): string | undefined {
  if (lines.some(line => /[^\0-\xff]/.test(line))) return undefined
  return lines.map(line => `:${encodeBase64(Buffer.from(line, 'latin1'))}:`).join(', ')
}
