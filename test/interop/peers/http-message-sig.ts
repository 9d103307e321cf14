import { sign, verify } from 'node:crypto'
import { HOST, type Line } from '../cases.ts'
import { componentOf, KEY_ID, load, type Peer, PRIVATE_PEM, PUBLIC_KEY, versionOf } from './peer.ts'

const NAME = 'http-message-sig'
const ALGORITHM = 'rsa-v1_5-sha256'

const message = (method: string, target: string, lines: readonly Line[]) => ({
  kind: 'request',
  method,
  targetUri: `https://${HOST}${target}`,
  requestTarget: target,
  fields: lines.map(([name, value]) => ({ name, value }))
})

export const httpMessageSig: Peer = {
  name: NAME,
  version: versionOf(NAME),
  scheme: 'rfc9421',
  note: 'node:crypto signs and verifies for it',
  async sign({ method, target, covered = [] }, lines) {
    const { createSignature } = await load(NAME)
    const created = Math.floor(Date.now() / 1000)
    const components = covered
      .map(componentOf)
      .map(({ name, parameters }) => ({ name, parameters: Object.fromEntries(parameters) }))
    const signed = await createSignature(message(method, target, lines), {
      components,
      parameters: { keyid: KEY_ID, created, alg: ALGORITHM },
      signer: { algorithm: ALGORITHM, sign: (data: Uint8Array) => sign('sha256', data, PRIVATE_PEM) }
    })
    return [
      ['Signature-Input', signed.signatureInput],
      ['Signature', signed.signature]
    ]
  },
  async verify({ method, target, covered = [] }, lines) {
    const { verifySignature } = await load(NAME)
    const requiredComponents = covered.length > 0 ? ['@method'] : []
    await verifySignature(message(method, target, lines), {
      policy: { algorithms: [ALGORITHM], requiredComponents, requiredParameters: ['created'] },
      resolveVerifier: () => ({
        algorithm: ALGORITHM,
        verify: (data: Uint8Array, signature: Uint8Array) => verify('sha256', data, PUBLIC_KEY, signature)
      })
    })
    return true
  }
}
