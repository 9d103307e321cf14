import { OutgoingMessage } from 'node:http'
import { KEY_ID, load, nodeHeaders, npmPeer, PRIVATE_PEM, PUBLIC_PEM, valueLists } from './peer.ts'

async function peer(name: string, algorithms: Partial<Record<string, object>> = {}) {
  const { default: library } = await load(name)
  return npmPeer(name, 'draft-cavage', {
    sign({ method, target, covered, algorithm }, lines) {
      // The package takes a ClientRequest: this one has a method and a path.
      const request = Object.assign(new OutgoingMessage(), { method, path: target })
      for (const [header, value] of Object.entries(valueLists(lines))) request.setHeader(header, value)
      library.signRequest(request, {
        key: PRIVATE_PEM,
        keyId: KEY_ID,
        ...(algorithms[algorithm] ?? { algorithm }),
        ...(covered !== undefined && { headers: [...covered] }),
        authorizationHeaderName: 'Signature'
      })
      return [['Signature', String(request.getHeader('Signature'))]]
    },
    verify({ method, target, covered }, lines) {
      const parsed = library.parseRequest(
        { method, url: target, headers: nodeHeaders(lines) },
        { authorizationHeaderName: 'signature', headers: covered === undefined ? [] : ['(request-target)'] }
      )
      return library.verifySignature(parsed, PUBLIC_PEM)
    }
  })
}

export const httpSignature = await peer('http-signature')
export const peertube = await peer('@peertube/http-signature', { hs2019: { hideAlgorithm: true } })
