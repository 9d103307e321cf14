import type { Line } from '../cases.ts'
import { KEY_ID, load, nodeRawHeaders, type Peer, PRIVATE_PEM, PUBLIC_PEM, valueLists, versionOf } from './peer.ts'

const NAME = '@misskey-dev/node-http-message-signatures'

export const misskey: Peer = {
  name: NAME,
  version: versionOf(NAME),
  scheme: 'draft-cavage',
  async digest(body): Promise<Line> {
    const { genRFC3230DigestHeader } = await load(NAME)
    return ['Digest', await genRFC3230DigestHeader(body, 'SHA-256')]
  },
  async sign({ method, target, covered }, lines) {
    const { signAsDraftToRequest } = await load(NAME)
    const request = { method, url: target, headers: valueLists(lines) }
    const key = { privateKeyPem: PRIVATE_PEM, keyId: KEY_ID }
    const { signatureHeader } = await signAsDraftToRequest(request, key, covered && [...covered])
    return [['Signature', signatureHeader]]
  },
  async verify({ method, target, body }, lines) {
    const { parseRequestSignature, verifyDraftSignature, verifyDigestHeader } = await load(NAME)
    const request = { method, url: target, rawHeaders: nodeRawHeaders(lines) }
    const parsed = parseRequestSignature(request, { requiredInputs: { draft: [] } })
    const isSigned = await verifyDraftSignature(parsed.value, PUBLIC_PEM)
    return isSigned && (await verifyDigestHeader(request, Buffer.from(body)))
  }
}
