import { KEY_ID, load, nodeHeaders, type Peer, PRIVATE_PEM, PUBLIC_PEM, versionOf } from './peer.ts'

const peer = (name: string): Peer => ({
  name,
  version: versionOf(name),
  scheme: 'draft-cavage',
  async sign({ method, target, covered }, lines) {
    const { default: library } = await load(name)
    const headers = nodeHeaders(lines)
    let signature = ''
    const request = {
      method,
      path: target,
      getHeader: (header: string) => headers[header.toLowerCase()],
      setHeader(_: string, value: string) {
        signature = value
      }
    }
    library.signRequest(request, {
      key: PRIVATE_PEM,
      keyId: KEY_ID,
      algorithm: 'rsa-sha256',
      headers: [...covered],
      authorizationHeaderName: 'Signature'
    })
    return [['Signature', signature]]
  },
  async verify({ method, target }, lines) {
    const { default: library } = await load(name)
    const request = { method, url: target, headers: nodeHeaders(lines) }
    const parsed = library.parseRequest(request, {
      authorizationHeaderName: 'signature',
      headers: ['(request-target)']
    })
    return library.verifySignature(parsed, PUBLIC_PEM)
  }
})

export const httpSignature = peer('http-signature')
export const peertube = peer('@peertube/http-signature')
