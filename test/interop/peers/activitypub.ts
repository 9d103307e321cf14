import { KEY_ID, load, nodeHeaders, npmPeer, PRIVATE_PEM, PUBLIC_PEM, urlOf } from './peer.ts'

const NAME = 'activitypub-http-signatures'
const { default: parser, Sha256Signer } = await load(NAME)

export const activitypub = npmPeer(NAME, 'draft-cavage', {
  sign({ method, target, covered }, lines) {
    const headerNames = covered && [...covered]
    const signer = new Sha256Signer({ publicKeyId: KEY_ID, privateKey: PRIVATE_PEM, headerNames })
    return [['Signature', signer.sign({ url: urlOf(target), method, headers: nodeHeaders(lines) })]]
  },
  verify: ({ method, target }, lines) =>
    parser.parse({ method, url: target, headers: nodeHeaders(lines) }).verify(PUBLIC_PEM)
})
