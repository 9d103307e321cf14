import { buildSigningString, parseSignatureHeader } from 'signed-requests'
import { buildSignatureBase, parseSignatureInput } from 'signed-requests/rfc9421'
import type { Exchange } from '../exchange.ts'

/**
 * Returns the claims of a signature: the key's name as DNS is asked for it, the covered names, and the builder of the
 * signing string.
 *
 * @param domain the one whose keys count: a request may have several signatures of RFC 9421
 */
export function claimedSignature(request: Exchange, domain: string) {
  const values = (wanted: string) =>
    request.headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : [])).join(', ')
  const draft = parseSignatureHeader(values('signature'))
  if (draft.ok) {
    const { keyId, headers: covered } = draft.value
    const build = () => buildSigningString(request, covered, draft.value)
    return { keyId: normalize(keyId), covered, build }
  }
  const inputs = parseSignatureInput(values('signature-input'))
  const isOurs = ({ keyId = '' }) => normalize(keyId).endsWith(`.${domain.toLowerCase()}`)
  const input = inputs.ok ? inputs.value.find(isOurs) : undefined
  if (input === undefined) return undefined
  const covered = input.components.map(({ name }) => (name === '@authority' ? 'host' : name))
  const build = () => buildSignatureBase(request, input)
  return { keyId: normalize(input.keyId ?? ''), covered, build }
}

/** Returns the name in lower case, without a dot at the end. */
const normalize = (keyId: string): string => keyId.toLowerCase().replace(/\.$/, '')
