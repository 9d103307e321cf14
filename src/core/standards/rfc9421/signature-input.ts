import { type Item, isInnerList, serializeInnerList, serializeParameters } from 'structured-headers'
import { decodeBase64 } from '../../http/base64.ts'
import { base64FormOf } from '../../http/base64-form.ts'
import { isToken, trimWhiteSpace } from '../../http/fields.ts'
import { type Failed, fail, ok, type Result } from '../../result/result.ts'
import { findRepeatedKey, parseByteSequences, parseDictionaryField } from './structured-fields.ts'
import { DERIVED } from './target.ts'

/** The covered components of one signature, and its parameters (RFC 9421 section 4.1). */
export interface SignatureInput {
  /** its name in both headers */
  readonly label: string
  readonly components: readonly Component[]
  /** `keyid` */
  readonly keyId: string | undefined
  /** `alg` */
  readonly algorithm: string | undefined
  /** seconds since 1970 */
  readonly created: number | undefined
  /** seconds since 1970 */
  readonly expires: number | undefined
  readonly nonce: string | undefined
  readonly tag: string | undefined
  /** all of it in canonical form: the value of `@signature-params` in the signature base */
  readonly signatureParams: string
}

/** A component that a signature covers: a field or a derived component (section 2). */
export interface Component {
  /** the field's name, or the component's with its `@` */
  readonly name: string
  readonly parameters: ReadonlyMap<string, unknown>
  /** the two as they are in the signature base: `"@query-param";name="id"` */
  readonly identifier: string
  /** one form, whatever the order of the parameters (section 2): `@query-param;name="id"` */
  readonly covered: string
}

/**
 * Parses the value of a `Signature-Input` header. Unknown parameters of a signature are kept in `signatureParams`, so
 * they are signed; a repeated key is an error. Whether a request has these components is not checked here: other
 * signatures may be for others. Never throws.
 *
 * Fails with `signature-malformed` or `signature-parameter-repeated`.
 *
 * @example
 * const value = 'sig1=("@method" "host");created=1618884473;keyid="one._domainkey.service.example"'
 * const inputs = parseSignatureInput(value)
 * if (inputs.ok) inputs.value[0]?.created // 1618884473
 */
export function parseSignatureInput(value: string): Result<readonly SignatureInput[]> {
  const text = trimWhiteSpace(value)
  const dictionary = parseDictionaryField(text)
  if (!(dictionary instanceof Map)) return fail('signature-malformed', dictionary)
  if (dictionary.size === 0) return malformed(0, 'there is no signature in it')
  const repeated = findRepeatedKey(text)
  if (repeated !== undefined) return fail('signature-parameter-repeated', { parameter: repeated })

  const inputs: SignatureInput[] = []
  for (const [label, member] of dictionary) {
    const position = text.indexOf(`${label}=`)
    if (!isInnerList(member)) return malformed(position, 'a list of components is expected')
    const [items, parameters] = member
    const components = parseComponents(items)
    if (typeof components === 'string') return malformed(position, components)
    for (const [name, type] of TYPES) {
      if (!isOfType(parameters.get(name), type)) return malformed(position, `${name} is not of type ${type}`)
    }
    inputs.push({
      label,
      components,
      keyId: parameters.get('keyid') as string | undefined,
      algorithm: parameters.get('alg') as string | undefined,
      created: parameters.get('created') as number | undefined,
      expires: parameters.get('expires') as number | undefined,
      nonce: parameters.get('nonce') as string | undefined,
      tag: parameters.get('tag') as string | undefined,
      signatureParams: serializeInnerList(member)
    })
  }
  return ok(inputs)
}

/** The types of the known parameters (section 2.3). */
const TYPES = [
  ['keyid', 'string'],
  ['alg', 'string'],
  ['created', 'integer'],
  ['expires', 'integer'],
  ['nonce', 'string'],
  ['tag', 'string']
] as const

function isOfType(value: unknown, type: (typeof TYPES)[number][1]): boolean {
  if (value === undefined) return true
  return type === 'string' ? typeof value === 'string' : Number.isInteger(value)
}

/** Quotes a string as section 4.1.6 of RFC 9651 does. */
const quote = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

const MAX_COMPONENTS = 100

/** Parses the components, or says why they cannot be parsed. */
function parseComponents(items: readonly Item[]): Component[] | string {
  if (items.length > MAX_COMPONENTS) return `there are more than ${MAX_COMPONENTS} components`
  const components: Component[] = []
  for (const [name, parameters] of items) {
    if (typeof name !== 'string') return 'the name of a component must be a string'
    const inOrder = serializeParameters(parameters)
    const sorted = new Map([...parameters].sort(([a], [b]) => (a < b ? -1 : 1)))
    const covered = name + (parameters.size < 2 ? inOrder : serializeParameters(sorted))
    components.push({ name, parameters, identifier: quote(name) + inOrder, covered })
  }
  return components
}

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

/**
 * Says why a field cannot have these parameters (section 2.1). Flags are present or not; `bs` goes with no other
 * parameter.
 */
function reasonAgainstParameters(parameters: Component['parameters']): string | undefined {
  for (const [name, value] of parameters) {
    if (name === 'key' ? typeof value !== 'string' : value !== true || (name !== 'sf' && name !== 'bs'))
      return 'the parameters of a field must be sf, bs, or key with a string'
  }
  return parameters.has('bs') && parameters.size > 1 ? 'bs must not be used with sf or key' : undefined
}

/**
 * Parses the value of a `Signature` header (RFC 9421 section 4.2): the signatures by label. Base64 must be canonical.
 * Never throws.
 *
 * Fails with `signature-malformed`, `signature-parameter-repeated` or `signature-not-base64`.
 *
 * @example
 * const signatures = parseSignatures('sig1=:AAAA:')
 * if (signatures.ok) signatures.value.get('sig1') // Uint8Array of 3 bytes
 */
export function parseSignatures(value: string): Result<ReadonlyMap<string, Uint8Array>> {
  const text = trimWhiteSpace(value)
  const sequences = parseByteSequences(text)
  if (!Array.isArray(sequences)) return fail('signature-malformed', sequences)
  const signatures = new Map<string, Uint8Array>()
  for (const [label, encoded] of sequences) {
    if (signatures.has(label)) return fail('signature-parameter-repeated', { parameter: label })
    const signature = decodeBase64(encoded)
    if (signature === undefined) return fail('signature-not-base64', base64FormOf(encoded))
    signatures.set(label, new Uint8Array(signature))
  }
  return ok(signatures)
}

const malformed = (position: number, reason: string): Failed =>
  fail('signature-malformed', { position: Math.max(position, 0), reason })
