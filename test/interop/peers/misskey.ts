import { KEY_ID, load, nodeRawHeaders, npmPeer, PRIVATE_PEM, PUBLIC_PEM, valueLists } from './peer.ts'

const NAME = '@misskey-dev/node-http-message-signatures'
const library = await load(NAME)

export const misskey = npmPeer(NAME, 'draft-cavage', {
  digest: async body => ['Digest', await library.genRFC3230DigestHeader(body, 'SHA-256')],
  async sign({ method, target, covered }, lines) {
    const request = { method, url: target, headers: valueLists(lines) }
    const key = { privateKeyPem: PRIVATE_PEM, keyId: KEY_ID }
    const { signatureHeader } = await library.signAsDraftToRequest(request, key, covered && [...covered])
    return [['Signature', signatureHeader]]
  },
  async verify({ method, target, body }, lines) {
    const request = { method, url: target, rawHeaders: nodeRawHeaders(lines) }
    const parsed = library.parseRequestSignature(request, { requiredInputs: { draft: [] } })
    const isSigned = await library.verifyDraftSignature(parsed.value, PUBLIC_PEM)
    return isSigned && (await library.verifyDigestHeader(request, Buffer.from(body)))
  }
})
