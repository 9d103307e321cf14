import { HOST } from '../cases.ts'
import { KEY_ID, load, nodeHeaders, type Peer, PRIVATE_PEM, PUBLIC_PEM, versionOf } from './peer.ts'

const NAME = 'activitypub-http-signatures'

export const activitypub: Peer = {
  name: NAME,
  version: versionOf(NAME),
  scheme: 'draft-cavage',
  async sign({ method, target, covered }, lines) {
    const { Sha256Signer } = await load(NAME)
    const signer = new Sha256Signer({
      publicKeyId: KEY_ID,
      privateKey: PRIVATE_PEM,
      headerNames: covered === undefined ? undefined : [...covered]
    })
    const url = `https://${HOST}${target}`
    return [['Signature', signer.sign({ url, method, headers: nodeHeaders(lines) })]]
  },
  async verify({ method, target }, lines) {
    const { default: parser } = await load(NAME)
    return parser.parse({ method, url: target, headers: nodeHeaders(lines) }).verify(PUBLIC_PEM)
  }
}
