import { componentOf, keyFor, load, npmPeer, urlOf, valueLists } from './peer.ts'

const NAME = 'web-bot-auth'
const library = await load(NAME)

export const webBotAuth = npmPeer(NAME, 'rfc9421', {
  note: "node:crypto signs and verifies for it; rsa-v1_5-sha256 is not one of its own algorithms; what we sign has the parameters that its profile demands, except in the case of the service's own list",
  // draft-meunier-web-bot-auth-architecture-04 section 4.2
  profile: created => `;expires=${created + 60};tag="web-bot-auth"`,
  async sign({ method, target, covered = [], algorithm }, lines) {
    const created = new Date()
    const key = keyFor(algorithm)
    const signer = { alg: algorithm, keyid: key.id, sign: async (data: string) => new Uint8Array(key.sign(data)) }
    const components = covered.map(componentOf).map(one => (one.parameters.size === 0 ? one.name : one))
    const message = { method, url: urlOf(target), headers: valueLists(lines) }
    const expires = new Date(created.getTime() + 60_000)
    const signed = await library.signatureHeaders(message, signer, { created, expires, components })
    return [
      ['Signature-Input', signed['Signature-Input']],
      ['Signature', signed['Signature']]
    ]
  },
  async verify({ method, target, algorithm }, lines) {
    const message = { method, url: urlOf(target), headers: valueLists(lines) }
    let isVerified = false
    await library.verify(message, (data: string, signature: Uint8Array) => {
      isVerified = keyFor(algorithm).verify(data, signature)
    })
    return isVerified
  }
})
