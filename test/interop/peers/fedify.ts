import { webcrypto } from 'node:crypto'
import { ONE } from '../../../fixtures/source/keys.ts'
import type { Line } from '../cases.ts'
import { load, npmPeer, type Peer, PUBLIC_PEM, urlOf } from './peer.ts'

const NAME = '@fedify/fedify'

/** The package is made for Node.js 22, which has this function. */
if (!('transfer' in ArrayBuffer.prototype)) {
  Object.defineProperty(ArrayBuffer.prototype, 'transfer', {
    value(this: ArrayBuffer, length = this.byteLength) {
      const bytes = new Uint8Array(length)
      bytes.set(new Uint8Array(this, 0, Math.min(length, this.byteLength)))
      return bytes.buffer
    }
  })
}

const { signRequest, verifyRequest } = await load(NAME)
const ACTOR = 'https://one.service.example/actor'
const PARAMETERS = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const SPEC = { 'draft-cavage': 'draft-cavage-http-signatures-12', rfc9421: 'rfc9421' } as const

/**
 * The package takes a Request of the Fetch API: methods and targets as the URL standard writes them, no Host header.
 */
function requestOf(method: string, target: string, lines: readonly Line[], body: string): Request {
  const headers = new Headers()
  for (const [name, value] of lines) headers.append(name, value)
  return new Request(urlOf(target), { method, headers, body })
}

/** To verify, the package fetches the key of this actor. */
const documentLoader = async (url: string) => ({
  contextUrl: null,
  documentUrl: url,
  document: {
    '@context': 'https://w3id.org/security/v1',
    id: `${ACTOR}#main-key`,
    type: 'CryptographicKey',
    owner: ACTOR,
    publicKeyPem: PUBLIC_PEM
  }
})

const peer = (scheme: Peer['scheme']) =>
  npmPeer(NAME, scheme, {
    keyId: `${ACTOR}#main-key`,
    digest: 'while it signs',
    note: 'its key ids are URLs, which are not DNS names, so our pure steps verify what it signs; it chooses what is covered; the Headers class joins, trims and lower-cases lines for it',
    async sign({ method, target, body }, lines) {
      const der = ONE.privateKey.export({ type: 'pkcs8', format: 'der' })
      const key = await webcrypto.subtle.importKey('pkcs8', der, PARAMETERS, true, ['sign'])
      const request = requestOf(method, target, lines, body)
      const signed: Request = await signRequest(request, key, new URL(`${ACTOR}#main-key`), { spec: SPEC[scheme] })
      const isOwn = ([name]: Line) => name.startsWith('signature')
      // The package adds these lines where we have none, such as the digest.
      const besides = [...signed.headers].filter(line => !isOwn(line) && !has(lines, line[0]))
      return [...[...signed.headers].filter(isOwn), ...besides]
    },
    async verify({ method, target, body }, lines) {
      const options = { spec: SPEC[scheme], documentLoader, timeWindow: { hours: 1 } }
      return (await verifyRequest(requestOf(method, target, lines, body), options)) !== null
    }
  })

const has = (lines: readonly Line[], name: string): boolean => lines.some(([each]) => each.toLowerCase() === name)

export const fedify = peer('draft-cavage')
export const fedify9421 = peer('rfc9421')
