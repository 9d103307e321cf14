import { type Case, HOST } from '../cases.ts'
import { KEY_ID, load, type Peer, PRIVATE_PEM, PUBLIC_PEM, valueLists, versionOf } from './peer.ts'

const NAME = 'http-message-signatures'

/** It names algorithms by RFC 9421 for both; its hs2019 is this one. */
const nameOf = (algorithm: Case['algorithm']): string => (algorithm === 'hs2019' ? 'rsa-pss-sha512' : 'rsa-v1_5-sha256')

/** `(created)` -> `@created`, `x-dict;sf` -> `"x-dict";sf` */
const fieldOf = (name: string): string => name.replace(/^\((.*)\)$/, '@$1').replace(/^[^;]*/, '"$&"')

const peer = (scheme: Peer['scheme']): Peer => ({
  name: NAME,
  version: versionOf(NAME),
  scheme,
  async sign({ method, target, covered, algorithm }, lines) {
    const { cavage, httpbis, createSigner } = await load(NAME)
    const fields = covered?.map(fieldOf)
    const key = createSigner(PRIVATE_PEM, nameOf(algorithm), KEY_ID)
    const request = { method, url: `https://${HOST}${target}`, headers: valueLists(lines) }
    const hasTimes = covered === undefined || covered.includes('(created)')
    const params = ['keyid', 'alg', ...(hasTimes ? ['created', 'expires'] : [])]
    const signed = await (scheme === 'rfc9421'
      ? httpbis.signMessage({ key, fields }, request)
      : cavage.signMessage({ key, fields, params }, request))
    return Object.entries<string>(signed.headers).filter(([name]) => name.startsWith('Signature'))
  },
  async verify({ method, target, algorithm }, lines) {
    const { cavage, httpbis, createVerifier } = await load(NAME)
    const keyLookup = async () => ({ verify: createVerifier(PUBLIC_PEM, nameOf(algorithm)) })
    const request = { method, url: `https://${HOST}${target}`, headers: valueLists(lines) }
    return (await (scheme === 'rfc9421' ? httpbis : cavage).verifyMessage({ keyLookup }, request)) === true
  }
})

export const httpMessageSignatures = peer('draft-cavage')
export const httpMessageSignatures9421 = peer('rfc9421')
