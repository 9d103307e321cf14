import { HOST } from '../cases.ts'
import { KEY_ID, load, nodeHeaders, type Peer, PRIVATE_PEM, PUBLIC_PEM, versionOf } from './peer.ts'

const NAME = 'http-message-signatures'
const ALGORITHM = 'rsa-v1_5-sha256'

const peer = (scheme: Peer['scheme']): Peer => ({
  name: NAME,
  version: versionOf(NAME),
  scheme,
  async sign({ method, target, covered }, lines) {
    const { cavage, httpbis, createSigner } = await load(NAME)
    const fields = covered.map(name => name.replace(/^\((.*)\)$/, '@$1'))
    const key = createSigner(PRIVATE_PEM, ALGORITHM, KEY_ID)
    const request = { method, url: `https://${HOST}${target}`, headers: nodeHeaders(lines) }
    const signed = await (scheme === 'rfc9421'
      ? httpbis.signMessage({ key, fields }, request)
      : cavage.signMessage({ key, fields, params: ['keyid', 'alg'] }, request))
    return Object.entries<string>(signed.headers).filter(([name]) => name.startsWith('Signature'))
  },
  async verify({ method, target }, lines) {
    const { cavage, httpbis, createVerifier } = await load(NAME)
    const keyLookup = async () => ({ verify: createVerifier(PUBLIC_PEM, ALGORITHM) })
    const request = { method, url: `https://${HOST}${target}`, headers: nodeHeaders(lines) }
    return (await (scheme === 'rfc9421' ? httpbis : cavage).verifyMessage({ keyLookup }, request)) === true
  }
})

export const httpMessageSignatures = peer('draft-cavage')
export const httpMessageSignatures9421 = peer('rfc9421')
