import { sign, verify } from 'node:crypto'
import { KEY_ID, load, nodeHeaders, type Peer, PRIVATE_PEM, PUBLIC_KEY, versionOf } from './peer.ts'

const NAME = '@digitalbazaar/http-signature-header'

export const digitalbazaar: Peer = {
  name: NAME,
  version: versionOf(NAME),
  scheme: 'draft-cavage',
  note: 'it makes the signing string, node:crypto signs; it writes and reads `Authorization: Signature ...`',
  async sign({ method, target, covered }, lines) {
    const { createSignatureString, createAuthzHeader } = await load(NAME)
    const requestOptions = { method, url: target, headers: nodeHeaders(lines) }
    const includeHeaders = [...covered]
    const text = createSignatureString({ includeHeaders, requestOptions })
    const signature = sign('sha256', Buffer.from(text, 'latin1'), PRIVATE_PEM).toString('base64')
    const header = createAuthzHeader({ algorithm: 'rsa-sha256', includeHeaders, keyId: KEY_ID, signature })
    return [['Signature', header.replace(/^Signature /, '')]]
  },
  async verify({ method, target }, lines) {
    const { parseRequest } = await load(NAME)
    const record = nodeHeaders(lines)
    const headers = { ...record, authorization: `Signature ${record['signature']}` }
    const { signingString, params } = parseRequest(
      { method, url: target, headers },
      { headers: ['(request-target)'] }
    )
    return verify(
      'sha256',
      Buffer.from(signingString, 'latin1'),
      PUBLIC_KEY,
      Buffer.from(params.signature, 'base64')
    )
  }
}
