import { createHash } from 'node:crypto'
import { buildSignatureBase, parseSignatureInput } from '../../../src/standards/rfc9421/index.ts'
import { parseSignature, signingString } from '../../support/reference-verifier.ts'
import type { VectorJson, VectorParameters } from '../vector-form.ts'
import { readParameters } from './read-rfc9421.ts'

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

const sha256 = (text: string): string => createHash('sha256').update(Buffer.from(text, 'latin1')).digest('hex')

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

/**
 * The parameters by a reader that shares nothing with the library. The signature base is built by the library; that it
 * is the one that was written and signed is what test/vectors/fixtures/metadata.test.ts shows.
 */
function readRfc9421(vector: VectorJson): Signed | undefined {
  const inputs = parseSignatureInput(valuesOf(vector, 'signature-input').join(', '))
  if (!inputs.ok || !isWellFormed(vector)) return undefined
  const isOwn = ({ keyId = '' }: { keyId?: string | undefined }) =>
    keyId.toLowerCase().replace(/\.$/, '').endsWith('.service.example')
  const [signatureInput, signature] = ['signature-input', 'signature'].map(name => valuesOf(vector, name).join(', '))
  const parameters = readParameters(signatureInput!, signature!).find(isOwn)
  const input = inputs.value.find(isOwn)
  if (parameters === undefined || input === undefined) return undefined
  const base = buildSignatureBase(vector.request, input)
  return { parameters, string: base.ok ? base.value : undefined }
}

interface Example {
  request: { headers: readonly (readonly string[])[] }
  label: string
  signatureBase: string
}

/** The same for the examples of RFC 9421. */
export function withExampleMetadata<T extends Example>(example: T) {
  const value = (name: string) => example.request.headers.find(line => line[0] === name)![1]!
  const all = readParameters(value('Signature-Input'), value('Signature'))
  return {
    ...example,
    sha256: sha256(example.signatureBase),
    parameters: all.find(({ label }) => label === example.label)!
  }
}

/** The same for the examples of the draft. */
export const withSigningMetadata = <T extends { signatureHeader: string; signingString: string }>(example: T) => ({
  ...example,
  sha256: sha256(example.signingString),
  parameters: parseSignature(example.signatureHeader)!
})
