import { sign, verify } from 'node:crypto'
import { HOST } from '../cases.ts'
import { componentOf, KEY_ID, load, type Peer, PRIVATE_PEM, PUBLIC_KEY, valueLists, versionOf } from './peer.ts'

const NAME = 'web-bot-auth'

export const webBotAuth: Peer = {
  name: NAME,
  version: versionOf(NAME),
  scheme: 'rfc9421',
  note: "node:crypto signs and verifies for it; the algorithm is not one of its own; what we sign has the parameters that its profile demands, except in the case of the service's own list",
  // draft-meunier-web-bot-auth-architecture-04 section 4.2
  profile: created => `;expires=${created + 60};tag="web-bot-auth"`,
  async sign({ method, target, covered = [] }, lines) {
    const { signatureHeaders } = await load(NAME)
    const created = new Date()
    const signer = {
      alg: 'rsa-v1_5-sha256',
      keyid: KEY_ID,
      sign: async (data: string) => new Uint8Array(sign('sha256', Buffer.from(data, 'latin1'), PRIVATE_PEM))
    }
    const components = covered.map(componentOf).map(one => (one.parameters.size === 0 ? one.name : one))
    const message = { method, url: `https://${HOST}${target}`, headers: valueLists(lines) }
    const expires = new Date(created.getTime() + 60_000)
    const signed = await signatureHeaders(message, signer, { created, expires, components })
    return [
      ['Signature-Input', signed['Signature-Input']],
      ['Signature', signed['Signature']]
    ]
  },
  async verify({ method, target }, lines) {
    const library = await load(NAME)
    const message = { method, url: `https://${HOST}${target}`, headers: valueLists(lines) }
    let isVerified = false
    await library.verify(message, (data: string, signature: Uint8Array) => {
      isVerified = verify('sha256', Buffer.from(data, 'latin1'), PUBLIC_KEY, signature)
    })
    return isVerified
  }
}
