import { OutgoingMessage } from 'node:http'
import { KEY_ID, load, nodeHeaders, type Peer, PRIVATE_PEM, PUBLIC_PEM, valueLists, versionOf } from './peer.ts'

const peer = (name: string, algorithms: Partial<Record<'hs2019', object>> = {}): Peer => ({
  name,
  version: versionOf(name),
  scheme: 'draft-cavage',
  async sign({ method, target, covered, algorithm }, lines) {
    const { default: library } = await load(name)
    // It takes a ClientRequest: one of these, with a method and a path.
    const request = Object.assign(new OutgoingMessage(), { method, path: target })
    for (const [header, value] of Object.entries(valueLists(lines))) request.setHeader(header, value)
    const own = algorithm === 'hs2019' ? algorithms.hs2019 : undefined
    library.signRequest(request, {
      key: PRIVATE_PEM,
      keyId: KEY_ID,
      ...(own ?? { algorithm }),
      ...(covered !== undefined && { headers: [...covered] }),
      authorizationHeaderName: 'Signature'
    })
    return [['Signature', String(request.getHeader('Signature'))]]
  },
  async verify({ method, target, covered }, lines) {
    const { default: library } = await load(name)
    const request = { method, url: target, headers: nodeHeaders(lines) }
    const parsed = library.parseRequest(request, {
      authorizationHeaderName: 'signature',
      headers: covered === undefined ? [] : ['(request-target)']
    })
    return library.verifySignature(parsed, PUBLIC_PEM)
  }
})

export const httpSignature = peer('http-signature')
export const peertube = peer('@peertube/http-signature', { hs2019: { hideAlgorithm: true } })
