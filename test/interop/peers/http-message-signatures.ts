import type { Algorithm } from '../cases.ts'
import { keyFor, load, npmPeer, type Peer, urlOf, valueLists } from './peer.ts'

const NAME = 'http-message-signatures'
const { cavage, httpbis, createSigner, createVerifier } = await load(NAME)

/** The package names algorithms by RFC 9421 for both standards. */
const NAMES: Partial<Record<Algorithm, Algorithm>> = { hs2019: 'rsa-pss-sha512', 'rsa-sha256': 'rsa-v1_5-sha256' }

/** `(created)` -> `@created`, `x-dict;sf` -> `"x-dict";sf` */
const fieldOf = (name: string): string => name.replace(/^\((.*)\)$/, '@$1').replace(/^[^;]*/, '"$&"')

const peer = (scheme: Peer['scheme'], standard: typeof cavage) =>
  npmPeer(NAME, scheme, {
    async sign({ method, target, covered, algorithm }, lines) {
      const { id, privatePem } = keyFor(algorithm)
      const fields = covered?.map(fieldOf)
      const key = createSigner(privatePem, NAMES[algorithm] ?? algorithm, id)
      const hasTimes = scheme === 'draft-cavage' && (covered === undefined || covered.includes('(created)'))
      const params = hasTimes ? ['keyid', 'alg', 'created', 'expires'] : ['keyid', 'alg']
      const request = { method, url: urlOf(target), headers: valueLists(lines) }
      const signed = await standard.signMessage(
        scheme === 'rfc9421' ? { key, fields } : { key, fields, params },
        request
      )
      return Object.entries(signed.headers).filter((line): line is [string, string] => line[0].startsWith('Signature'))
    },
    async verify({ method, target, algorithm }, lines) {
      const verify = createVerifier(keyFor(algorithm).publicPem, NAMES[algorithm] ?? algorithm)
      const request = { method, url: urlOf(target), headers: valueLists(lines) }
      return (await standard.verifyMessage({ keyLookup: async () => ({ verify }) }, request)) === true
    }
  })

export const httpMessageSignatures = peer('draft-cavage', cavage)
export const httpMessageSignatures9421 = peer('rfc9421', httpbis)
