import { HOST } from '../cases.ts'
import { KEY_ID, load, nodeHeaders, type Peer, PRIVATE_PEM, PUBLIC_PEM, versionOf } from './peer.ts'

const NAME = '@misskey-dev/node-http-message-signatures'

export const misskey: Peer = {
  name: NAME,
  version: versionOf(NAME),
  scheme: 'draft-cavage',
  async sign({ method, target, covered }, lines) {
    const { signAsDraftToRequest } = await load(NAME)
    const request = { method, url: target, headers: { ...nodeHeaders(lines), host: HOST } }
    const key = { privateKeyPem: PRIVATE_PEM, keyId: KEY_ID }
    const { signatureHeader } = await signAsDraftToRequest(request, key, [...covered])
    return [['Signature', signatureHeader]]
  },
  async verify({ method, target }, lines) {
    const { parseRequestSignature, verifyDraftSignature } = await load(NAME)
    const request = { method, url: target, headers: nodeHeaders(lines) }
    const parsed = parseRequestSignature(request, { requiredInputs: { draft: [] } })
    return verifyDraftSignature(parsed.value, PUBLIC_PEM)
  }
}
