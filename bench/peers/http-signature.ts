import { load } from '../load.ts'
import { lowerCaseRecord, type Sample } from '../sample.ts'
import type { Peer } from './peer.ts'

interface HttpSignature {
  default: {
    parseRequest(request: object, options: { headers: string[] }): object
    verifySignature(parsed: object, key: object): boolean
  }
}
interface Sshpk {
  default: { parseKey(pem: string): object }
}

const peer = (name: string): Peer => ({
  name,
  leavesOut: 'body, account, whose host, whose key; repeated headers and parameters',
  prepare: sample => prepare(name, sample)
})

export const httpSignature = peer('http-signature')
/** PeerTube maintains this fork. */
export const peertube = peer('@peertube/http-signature')

async function prepare(name: string, { request, key }: Sample) {
  const { parseRequest, verifySignature } = (await load<HttpSignature>(name)).default
  const sshpk = (await load<Sshpk>('sshpk')).default
  const parsedKey = sshpk.parseKey(key.export({ type: 'spki', format: 'pem' }) as string)
  const { method, target, headers } = request
  const message = { method, url: target, headers: lowerCaseRecord(headers) }
  const options = { headers: ['(request-target)', 'host', 'date', 'x-service-id', 'digest'] }
  return () => verifySignature(parseRequest(message, options), parsedKey)
}
