import { encodeBase64 } from '../http/base64.ts'
import { buildSignatureBase, type SignedRequest } from '../rfc9421/signature-base.ts'
import { parseSignatureInput } from '../rfc9421/signature-input.ts'
import type { SigningKey } from './signing-key.ts'

/** The headers Signature-Input and Signature (RFC 9421 section 4), with the parameters that the service would set. */
export function signatureHeaders(
  head: SignedRequest,
  covered: readonly string[],
  key: SigningKey,
  created: Date
): [name: string, value: string][] {
  const list = covered.map(identifier).join(' ')
  const seconds = Math.floor(created.getTime() / 1000)
  const input = `sig1=(${list});created=${seconds};keyid="${key.keyId}";alg="rsa-v1_5-sha256"`
  const parsed = parseSignatureInput(input)
  const base = parsed.ok ? buildSignatureBase(head, parsed.value[0]!) : parsed
  if (!base.ok) throw new TypeError(`this cannot be signed: ${base.message}`)
  return [
    ['Signature-Input', input],
    ['Signature', `sig1=:${encodeBase64(key.sign(base.value))}:`]
  ]
}

/** `@query-param;name="id"` -> `"@query-param";name="id"` */
const identifier = (covered: string): string => covered.replace(/^[^;]*/, '"$&"')
