import { createHash } from 'node:crypto'
import { buildSignatureBase, parseSignatureInput } from '../../../src/rfc9421/index.ts'
import type { VectorJson, VectorParameters } from '../../../src/testing/vector-form.ts'
import { parseSignature, signingString } from '../../support/reference-verifier.ts'

/**
 * What an implementer needs besides the verdict: the parsed parameters, the signing string with its hash, and the step
 * that decides. By the draft they come from the reference verifier, which shares no code with `src/`.
 */
export function withMetadata(vector: VectorJson): VectorJson {
  const { verdict, ...rest } = vector
  const signed = isRfc9421(vector) ? readRfc9421(vector) : readDraftCavage(vector)
  const isOctets = signed?.string !== undefined && !/[^\0-\xff]/.test(signed.string)
  return {
    ...rest,
    ...(signed !== undefined && { parameters: signed.parameters }),
    ...(isOctets && { signing: { string: signed.string!, sha256: sha256(signed.string!) } }),
    step: verdict.status === 'verified' ? 'verified' : verdict.failures[0]!.check,
    verdict
  }
}

interface Signed {
  parameters: VectorParameters
  string: string | undefined
}

const sha256 = (text: string): string =>
  createHash('sha256').update(Buffer.from(text, 'latin1')).digest('hex')

const valuesOf = ({ request }: VectorJson, name: string): string[] =>
  request.headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)

const isRfc9421 = (vector: VectorJson): boolean => {
  const { schemes = ['draft-cavage'] } = vector.options
  const hasInput = valuesOf(vector, 'signature-input').length > 0
  return schemes.includes('rfc9421') && (hasInput || !schemes.includes('draft-cavage'))
}

/** A malformed request is not read any further. */
const isWellFormed = ({ verdict }: VectorJson): boolean =>
  verdict.status === 'verified' || verdict.failures[0]!.check !== 'request'

function readDraftCavage(vector: VectorJson): Signed | undefined {
  const [header, second] = valuesOf(vector, 'signature')
  if (header === undefined || second !== undefined || !isWellFormed(vector)) return undefined
  const parameters = parseSignature(header.replace(/^[ \t]+|[ \t]+$/g, ''))
  return parameters && { parameters, string: signingString(vector.request, parameters) }
}

/** By the library; that its base is the one that was signed is shown by the signatures of the verified vectors. */
function readRfc9421(vector: VectorJson): Signed | undefined {
  const inputs = parseSignatureInput(valuesOf(vector, 'signature-input').join(', '))
  if (!inputs.ok || !isWellFormed(vector)) return undefined
  const isOwn = ({ keyId = '' }) => keyId.toLowerCase().replace(/\.$/, '').endsWith('.service.example')
  const input = inputs.value.find(isOwn)
  const base = input && buildSignatureBase(vector.request, input)
  if (input === undefined || !base?.ok) return undefined
  const { label, keyId, algorithm, components, created, expires, nonce } = input
  const signature = new RegExp(`(?:^|,)[ \\t]*${label}=:([^:]*):`).exec(
    valuesOf(vector, 'signature').join(', ')
  )
  const given = Object.entries({ keyId, algorithm, created, expires, nonce }).filter(
    ([, value]) => value !== undefined
  )
  return {
    parameters: {
      label,
      ...Object.fromEntries(given),
      headers: components.map(({ covered }) => covered),
      ...(signature !== null && { signature: signature[1]! })
    },
    string: base.value
  }
}
