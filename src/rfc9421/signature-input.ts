import {
  type Item,
  isInnerList,
  serializeInnerList,
  serializeItem,
  serializeParameters
} from 'structured-headers'
import { trimWhiteSpace } from '../http/fields.ts'
import { type Failed, fail, ok, type Result } from '../verdict/result.ts'
import { findRepeatedKey, parseDictionaryField } from './structured-fields.ts'

/** What one signature covers, and its parameters (RFC 9421 section 4.1). */
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

/** What a signature covers: a field or a derived component (section 2). */
export interface Component {
  /** the field's name, or the component's with its `@` */
  readonly name: string
  readonly parameters: ReadonlyMap<string, unknown>
  /** the two as they are in the signature base: `"@query-param";name="id"` */
  readonly identifier: string
  /** one spelling, whatever the order of the parameters (section 2): `@query-param;name="id"` */
  readonly covered: string
}

/** More than any sender needs; it limits the work that a stranger can cause. */
const MAX_COMPONENTS = 100

/**
 * Parses the value of a `Signature-Input` header. Unknown parameters of a signature are kept in `signatureParams`, so
 * they are signed; a repeated key is an error. Whether a request has these components is not checked here: other
 * signatures may be for others. Never throws.
 *
 * Fails with `signature-malformed` or `signature-parameter-repeated`.
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
    const position = Math.max(text.indexOf(`${label}=`), 0)
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

/** How the known parameters are written (section 2.3). */
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

/** The components, or why they cannot be parsed. */
function parseComponents(items: readonly Item[]): Component[] | string {
  if (items.length > MAX_COMPONENTS) return `there are more than ${MAX_COMPONENTS} components`
  const components: Component[] = []
  for (const [name, parameters] of items) {
    if (typeof name !== 'string') return 'the name of a component must be a string'
    const sorted = [...parameters].sort(([a], [b]) => (a < b ? -1 : 1))
    components.push({
      name,
      parameters,
      identifier: serializeItem([name, parameters]),
      covered: name + serializeParameters(new Map(sorted))
    })
  }
  return components
}

const malformed = (position: number, reason: string): Failed =>
  fail('signature-malformed', { position, reason })
