import { buildSigningString, parseSignatureHeader } from 'signed-requests'
import { buildSignatureBase, parseSignatureInput } from 'signed-requests/rfc9421'
import type { Exchange } from '../exchange.ts'

/**
 * Returns the claims of a signature: the covered names, and the builder of the signing string.
 *
 * @param domain the one whose keys count: a request may have several signatures of RFC 9421
 */
export function claimedSignature(request: Exchange, domain: string) {
  const values = (wanted: string) =>
    request.headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : [])).join(', ')
  const draft = parseSignatureHeader(values('signature'))
  if (draft.ok) {
    const { headers: covered } = draft.value
    const build = () => buildSigningString(request, covered, draft.value)
    return { covered, build }
  }
  const inputs = parseSignatureInput(values('signature-input'))
  // A name may end with a dot in DNS.
  const isOurs = ({ keyId = '' }) => keyId.toLowerCase().replace(/\.$/, '').endsWith(`.${domain.toLowerCase()}`)
  const input = inputs.ok ? inputs.value.find(isOurs) : undefined
  if (input === undefined) return undefined
  const covered = input.components.map(({ name }) => (name === '@authority' ? 'host' : name))
  const build = () => buildSignatureBase(request, input)
  return { covered, build }
}
