import { similarDigest } from '../../http/digest.ts'
import { covers } from '../../http/fields.ts'
import { parseDateHeader } from '../../http/http-date.ts'
import { hasPunycode, isSubdomain, normalizeName } from '../../http/uri.ts'
import { fail, ok, type Result, UNREADABLE, withExcerpt } from '../../result/result.ts'
import { type Algorithm, computationFor } from '../../signature/algorithms.ts'
import type { ParsedSignature, Scheme, SchemeRules, SchemeSettings } from '../scheme.ts'
import { parseEncodedContentDigest } from './content-digest.ts'
import { joinSignatureBase } from './signature-base.ts'
import { checkComponents, parseSignatureInput, parseSignatures, type SignatureInput } from './signature-input.ts'

interface ParsedRfc9421Signature extends ParsedSignature, Pick<SignatureInput, 'components' | 'signatureParams'> {}

/** The target and the receiver of the request; either may be covered in another form. */
const ALWAYS_REQUIRED = ['@method', '@request-target', '@authority']

/** Lists the parts that must be signed, and what the receiver asks for. */
const requiredNames = ({ accountHeader, alsoCovered }: Pick<SchemeSettings, 'accountHeader' | 'alsoCovered'>) => [
  ...new Set([...ALWAYS_REQUIRED, accountHeader, 'content-digest', ...alsoCovered])
]

/** Returns whether a name of `alsoCovered` is a parameter of the signature, and no component. */
const isParameter = (name: string): boolean => name.startsWith('(')

const rules: SchemeRules = {
  name: 'rfc9421',

  /** Section 2.2.1: `@method` has the method as it came. */
  isSignableMethod: () => true,

  parseSignature(fields, settings): Result<ParsedRfc9421Signature> {
    const inputHeader = fields.values.get('signature-input')
    const signatureHeader = fields.values.get('signature')
    if (inputHeader === undefined) return fail('signature-missing', { header: 'Signature-Input' })
    if (signatureHeader === undefined) return fail('signature-missing')

    const inputs = withExcerpt(parseSignatureInput(inputHeader), inputHeader, 'Signature-Input')
    if (!inputs.ok) return inputs
    const signatures = withExcerpt(parseSignatures(signatureHeader), signatureHeader, 'Signature')
    if (!signatures.ok) return signatures
    const input = chooseInput(inputs.value, settings)
    if (!input.ok) return input

    const unpaired = findUnpairedLabel(inputs.value, signatures.value)
    if (unpaired !== undefined) return fail('signature-parameter-missing', { parameter: unpaired })
    const { label, keyId, components } = input.value
    const signature = signatures.value.get(label)!
    if (keyId === undefined) return fail('signature-parameter-missing', { parameter: 'keyid' })
    if (signature.length === 0) return fail('signature-not-base64', { form: 'empty' })
    const possible = withExcerpt(checkComponents(input.value, inputHeader), inputHeader, 'Signature-Input')
    if (!possible.ok) return possible
    return ok({ ...input.value, keyId, headers: components.map(({ covered }) => covered), signature })
  },

  /**
   * Takes a covered Date, else `created`, which is checked with the signature's own times. An unsigned Date proves
   * nothing.
   */
  parseTime(fields, signature) {
    if (!signature.ok) return UNREADABLE
    const { headers, created } = signature.value
    if (covers(headers, 'date')) return parseDateHeader(fields)
    if (created === undefined) return fail('date-missing', { reason: 'neither a covered Date nor created' })
    return ok({ time: new Date(created * 1000), header: undefined })
  },

  missingCoverage({ headers, created, expires }, { accountHeader, alsoCovered }) {
    const has = (...names: string[]) => names.every(name => covers(headers, name))
    const special = new Map([
      ['@request-target', has('@request-target') || has('@target-uri') || has('@path', '@query')],
      // Section 2.2.2: the target URI has the authority, too.
      ['@authority', has('@authority') || has('@target-uri') || has('host')],
      // The signature's own parameters are always signed.
      ['(created)', created !== undefined],
      ['(expires)', expires !== undefined]
    ])
    return requiredNames({ accountHeader, alsoCovered }).filter(name => !(special.get(name) ?? has(name)))
  },

  /**
   * Section 5.1. A sender must make each signature of the list, so it has one, with the algorithm that comes first:
   * more than one by the service is refused.
   */
  challenge(settings) {
    const names = requiredNames(settings)
    const components = names.filter(name => !isParameter(name)).map(name => `"${name}"`)
    const expires = names.includes('(expires)') ? ';expires' : ''
    const [algorithm] = settings.algorithms.rfc9421
    return { 'Accept-Signature': `sig1=(${components.join(' ')});created${expires};alg="${algorithm}"` }
  },

  /** Section 2.3: the name is a String, which is compared as it is written. */
  normalizeAlgorithm: name => name,

  buildSigningString: (request, fields, parsed: ParsedRfc9421Signature) => joinSignatureBase(request, fields, parsed),

  parseDigests(fields) {
    const value = fields.values.get('content-digest')
    if (value !== undefined) return parseEncodedContentDigest(value)
    const similar = similarDigest(fields)
    return fail('digest-missing', { header: 'Content-Digest', ...(similar && { similar }) })
  },

  /**
   * Section 3.2 step 6: without `alg` the algorithm is known from the key alone; if two fit, the first allowed one is
   * taken.
   */
  defaultAlgorithm: (type, allowed) => [...allowed].find((name: Algorithm) => computationFor(name, type) !== undefined)
}

/**
 * Stands for RFC 9421, with `Content-Digest` of RFC 9530, in the option `schemes`. `keyid` is the DNS name of the key.
 *
 * @example
 * import { rfc9421 } from 'signed-requests/rfc9421'
 * const verify = createVerifier({ ...options, schemes: [draftCavage, rfc9421] })
 */
export const rfc9421: Scheme = rules

/**
 * Chooses, among several signatures, the one made with a key of the service (section 3.2 step 1). A second one of them
 * is refused, so an attacker cannot choose which signature is verified; without one, the key-name check refuses.
 */
function chooseInput(
  inputs: readonly SignatureInput[],
  settings: { readonly serviceDomain: string }
): Result<SignatureInput> {
  const isOwn = ({ keyId }: SignatureInput) => keyId !== undefined && isKeyName(keyId, settings.serviceDomain)
  const [first, second] = inputs.filter(isOwn)
  if (second !== undefined)
    return fail('signature-repeated', { reason: 'more than one is made with a key of the service' })
  return ok(first ?? inputs[0]!)
}

function isKeyName(keyId: string, domain: string): boolean {
  const name = normalizeName(keyId)
  return name !== undefined && isSubdomain(name, domain) && !hasPunycode(name, domain)
}

/** Finds a label that is in only one of both headers, which is an error (section 4). */
function findUnpairedLabel(
  inputs: readonly SignatureInput[],
  signatures: ReadonlyMap<string, Uint8Array>
): string | undefined {
  const labels = new Set(inputs.map(({ label }) => label))
  return (
    inputs.find(({ label }) => !signatures.has(label))?.label ??
    [...signatures.keys()].find(label => !labels.has(label))
  )
}
