import { type KeyObject, webcrypto } from 'node:crypto'
import type { Algorithm, Line } from '../cases.ts'
import { componentOf, keyFor, load, npmPeer, urlOf } from './peer.ts'

const NAME = 'http-message-sig'
const { createSignature, verifySignature, webcrypto: own } = await load(NAME)

const message = (method: string, target: string, lines: readonly Line[]) => ({
  kind: 'request',
  method,
  targetUri: urlOf(target),
  requestTarget: target,
  fields: lines.map(([name, value]) => ({ name, value }))
})

/** The package has no rsa-v1_5-sha256 of its own; the rest is WebCrypto's. */
const OWN: Partial<Record<Algorithm, { name: string; hash?: object }>> = {
  'rsa-pss-sha512': { name: 'RSA-PSS', hash: { name: 'SHA-512' } },
  ed25519: { name: 'Ed25519' }
}
const importKey = (key: KeyObject, parameters: { name: string }) =>
  key.type === 'private'
    ? webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), parameters, false, ['sign'])
    : webcrypto.subtle.importKey('spki', key.export({ type: 'spki', format: 'der' }), parameters, false, ['verify'])

export const httpMessageSig = npmPeer(NAME, 'rfc9421', {
  note: 'node:crypto signs and verifies rsa-v1_5-sha256 for it',
  async sign({ method, target, covered = [], algorithm }, lines) {
    const key = keyFor(algorithm)
    const { [algorithm]: parameters } = OWN
    const signed = await createSignature(message(method, target, lines), {
      components: covered
        .map(componentOf)
        .map(each => ({ name: each.name, parameters: Object.fromEntries(each.parameters) })),
      parameters: { keyid: key.id, created: Math.floor(Date.now() / 1000), alg: algorithm },
      signer: parameters ? await own.signer(await importKey(key.privateKey, parameters)) : { algorithm, sign: key.sign }
    })
    return [
      ['Signature-Input', signed.signatureInput],
      ['Signature', signed.signature]
    ]
  },
  async verify({ method, target, covered = [], algorithm }, lines) {
    const key = keyFor(algorithm)
    const { [algorithm]: parameters } = OWN
    const verifier = parameters
      ? await own.verifier(await importKey(key.publicKey, parameters))
      : { algorithm, verify: key.verify }
    const requiredComponents = covered.length > 0 ? ['@method'] : []
    await verifySignature(message(method, target, lines), {
      policy: { algorithms: [algorithm], requiredComponents, requiredParameters: ['created'] },
      resolveVerifier: () => verifier
    })
    return true
  }
})
