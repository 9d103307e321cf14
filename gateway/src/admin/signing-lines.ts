import { parseSignatureHeader } from '../../../src/draft-cavage/signature-header.ts'
import { buildSigningString } from '../../../src/draft-cavage/signing-string.ts'
import { isOftenChanged } from '../../../src/explain/details.ts'
import { lineValues } from '../../../src/http/fields.ts'
import type { VerifierOptions } from '../../../src/options/options.ts'
import { buildSignatureBase } from '../../../src/rfc9421/signature-base.ts'
import { parseSignatureInput, type SignatureInput } from '../../../src/rfc9421/signature-input.ts'
import { evidenceIn } from '../../../src/testing/capture-options.ts'
import type { Exchange } from '../exchange.ts'

export interface SigningLine {
  text: string
  /** proxies often change it */
  isOftenChanged: boolean
}

type Signed = Pick<Exchange, 'method' | 'target' | 'headers' | 'https' | 'verdict'>

/** The lines of the string that the signature was checked over, or claims to be over; none if it cannot be built. */
export function signingLines(exchange: Signed, options: VerifierOptions): readonly SigningLine[] {
  const text =
    evidenceIn(exchange.verdict, 'signature-mismatch')?.signingString ?? signingString(exchange, options)
  return (text?.split('\n') ?? []).map(line => ({ text: line, isOftenChanged: isOftenChanged(line) }))
}

function signingString(exchange: Signed, options: VerifierOptions): string | undefined {
  const input = inputOf(exchange.headers, options)
  const signature = parseSignatureHeader(lineValues(exchange.headers, 'signature').join(', '))
  const built =
    input !== undefined
      ? buildSignatureBase(exchange, input)
      : signature.ok
        ? buildSigningString(exchange, signature.value.headers, signature.value)
        : undefined
  return built?.ok ? built.value : undefined
}

/** RFC 9421: of several signatures, the one by a key of the service. */
function inputOf(
  headers: Exchange['headers'],
  { schemes, serviceDomain }: VerifierOptions
): SignatureInput | undefined {
  if (!schemes?.some(({ name }) => name === 'rfc9421')) return undefined
  const inputs = parseSignatureInput(lineValues(headers, 'signature-input').join(', '))
  if (!inputs.ok) return undefined
  const isOurs = ({ keyId }: SignatureInput) => keyId?.toLowerCase().endsWith(`.${serviceDomain}`)
  return inputs.value.find(isOurs) ?? inputs.value[0]
}

/** The headers that the signature claims to cover, in lower case. */
export function coveredHeaders({ headers }: Signed, options: VerifierOptions): ReadonlySet<string> {
  const input = inputOf(headers, options)
  if (input !== undefined) {
    const names = input.components.map(({ name }) => (name === '@authority' ? 'host' : name))
    return new Set(names)
  }
  const signature = parseSignatureHeader(lineValues(headers, 'signature').join(', '))
  return new Set(signature.ok ? signature.value.headers : [])
}
