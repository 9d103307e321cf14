import { buildSigningString, parseSignatureHeader, type Result } from 'signed-requests'
import { buildSignatureBase, parseSignatureInput } from 'signed-requests/rfc9421'
import type { Exchange } from '../exchange.ts'

/** What a request says that it signed. */
export interface ClaimedSignature {
  /** as it is asked in DNS: lower case, without a dot at the end */
  keyId: string
  covered: readonly string[]
  build(request: Pick<Exchange, 'method' | 'target' | 'headers' | 'https'>): Result<string>
}

/** @param domain the one whose keys count: a request may have several signatures of RFC 9421 */
export function claimedSignature(headers: Exchange['headers'], domain: string): ClaimedSignature | undefined {
  const values = (wanted: string) =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : [])).join(', ')
  const draft = parseSignatureHeader(values('signature'))
  if (draft.ok) {
    const covered = draft.value.headers
    const build: ClaimedSignature['build'] = request => buildSigningString(request, covered, draft.value)
    return { keyId: normalize(draft.value.keyId), covered, build }
  }
  const inputs = parseSignatureInput(values('signature-input'))
  const isOurs = ({ keyId = '' }) => normalize(keyId).endsWith(`.${domain.toLowerCase()}`)
  const input = inputs.ok ? inputs.value.find(isOurs) : undefined
  return (
    input && {
      keyId: normalize(input.keyId ?? ''),
      covered: input.components.map(({ name }) => (name === '@authority' ? 'host' : name)),
      build: request => buildSignatureBase(request, input)
    }
  )
}

const normalize = (keyId: string): string => keyId.toLowerCase().replace(/\.$/, '')
