import { type Dictionary, isInnerList, serializeInnerList, serializeItem } from 'structured-headers'
import { encodeBase64 } from '../http/base64.ts'
import { type Fields, hasBreak, parseFields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { fail, ok, type Result } from '../verdict/result.ts'
import { type Component, checkComponents, type SignatureInput } from './signature-input.ts'
import {
  canonicalForm,
  describeLimits,
  FOR_PARAMETERS,
  isTooLong,
  parseDictionaryField
} from './structured-fields.ts'
import { parseQueryParams, parseTarget } from './target.ts'

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
 * const inputs = parseSignatureInput('sig1=("@method" "host");created=1618884473;keyid="one._domainkey.service.example"')
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

/** The same, from parsed fields and checked components. */
export function joinSignatureBase(
  request: Pick<SignedRequest, 'method' | 'target' | 'https'>,
  fields: Fields,
  { components, signatureParams }: Pick<SignatureInput, 'components' | 'signatureParams'>
): Result<string> {
  const signatureInput = fields.values.get('signature-input') ?? signatureParams
  const parsed = components.filter(({ parameters }) => parameters.size > 0)
  const names = new Set(parsed.map(({ name }) => name))
  const texts = [...names].map(name => (name === '@query-param' ? request.target : fields.values.get(name)))
  const text = [signatureInput, ...texts].join()
  if (parsed.length > MAX_PARSED || (parsed.length > 0 && isTooLong(text, FOR_PARAMETERS))) {
    const reason = `more than ${MAX_PARSED} are covered with parameters, or they and Signature-Input have in all ${describeLimits(FOR_PARAMETERS)}`
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

/** More than any sender needs: each is parsed before the signature has verified. */
const MAX_PARSED = 8

/** Section 2.5: the base is ASCII, and each value is on one line. */
const PRINTABLE = /^[\t\x20-\x7e]*$/
const NOT_PRINTABLE = 'it is present but not printable ASCII, so it can only be covered with bs'

/** Reads the values of components; the parts of the request are parsed once. */
function createReader(
  request: Pick<SignedRequest, 'method' | 'target' | 'https'>,
  fields: Fields
): (component: Component) => string | undefined {
  const target = once(() => parseTarget(request, fields))
  const queryParams = once(() => parseQueryParams(target()?.query ?? '?'))
  const dictionaries = new Map<string, Dictionary | undefined>()

  function dictionaryOf(name: string, value: string): Dictionary | undefined {
    if (!dictionaries.has(name)) {
      const dictionary = parseDictionaryField(value)
      dictionaries.set(name, dictionary instanceof Map ? dictionary : undefined)
    }
    return dictionaries.get(name)
  }

  /** Section 2.1: the lines joined, or as `sf`, `key` and `bs` write them. */
  function fieldValue(name: string, parameters: Component['parameters']): string | undefined {
    const value = fields.values.get(name)
    if (value === undefined || parameters.size === 0) return value
    if (parameters.has('bs')) return wrapLines(fields.repeated.get(name) ?? [value])
    const key = parameters.get('key')
    if (key === undefined) return canonicalForm(value)
    const member = dictionaryOf(name, value)?.get(String(key))
    if (member === undefined) return undefined
    return isInnerList(member) ? serializeInnerList(member) : serializeItem(member)
  }

  return ({ name, parameters }) => {
    switch (name) {
      case '@method':
        return request.method
      case '@request-target':
        return request.target
      case '@target-uri':
        return target()?.uri
      case '@authority':
        return target()?.authority
      case '@scheme':
        return target()?.scheme
      case '@path':
        return target()?.path
      case '@query':
        return target()?.query
      case '@query-param':
        return queryParams()(String(parameters.get('name')))
      default:
        return fieldValue(name, parameters)
    }
  }
}

/** Section 2.1.3: each line as a Byte Sequence. A character that is not an octet was never in a request. */
function wrapLines(lines: readonly string[]): string | undefined {
  if (lines.some(line => /[^\0-\xff]/.test(line))) return undefined
  return lines.map(line => `:${encodeBase64(Buffer.from(line, 'latin1'))}:`).join(', ')
}

function once<T>(read: () => T): () => T {
  let result: { value: T } | undefined
  return () => {
    result ??= { value: read() }
    return result.value
  }
}
