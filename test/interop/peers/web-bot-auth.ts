import { sign, verify } from 'node:crypto'
import { HOST } from '../cases.ts'
import { KEY_ID, load, nodeHeaders, type Peer, PRIVATE_PEM, PUBLIC_KEY, versionOf } from './peer.ts'

const NAME = 'web-bot-auth'

export const webBotAuth: Peer = {
  name: NAME,
  version: versionOf(NAME),
  scheme: 'rfc9421',
  note: 'node:crypto signs and verifies for it; the algorithm is not one of its own',
  async sign({ method, target, covered }, lines) {
    const { signatureHeaders } = await load(NAME)
    const created = new Date()
    const signer = {
      alg: 'rsa-v1_5-sha256',
      keyid: KEY_ID,
      sign: async (data: string) => new Uint8Array(sign('sha256', Buffer.from(data, 'latin1'), PRIVATE_PEM))
    }
    const message = { method, url: `https://${HOST}${target}`, headers: nodeHeaders(lines) }
    const expires = new Date(created.getTime() + 60_000)
    const signed = await signatureHeaders(message, signer, { created, expires, components: [...covered] })
    return [
      ['Signature-Input', signed['Signature-Input']],
      ['Signature', signed['Signature']]
    ]
  },
  async verify({ method, target }, lines) {
    const library = await load(NAME)
    const message = { method, url: `https://${HOST}${target}`, headers: nodeHeaders(lines) }
    await library.verify(message, (data: string, signature: Uint8Array) => {
      if (!verify('sha256', Buffer.from(data, 'latin1'), PUBLIC_KEY, signature)) throw new Error('no')
    })
    return true
  }
}
