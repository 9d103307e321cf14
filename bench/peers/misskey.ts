import { webcrypto } from 'node:crypto'
import { load } from '../load.ts'
import { lowerCaseRecord, type Sample } from '../sample.ts'
import type { Peer } from './peer.ts'

interface Misskey {
  parseRequestSignature(request: object, options: object): { value: object }
  verifyDraftSignature(parsed: object, key: object): Promise<boolean>
}

export const misskey: Peer = {
  name: '@misskey-dev/node-http-message-signatures',
  leavesOut: 'body, account, whose host, whose key; repeated parameters',
  prepare
}

/** The package compares the covered names case-sensitively. */
async function prepare({ request, key }: Sample) {
  const { parseRequestSignature, verifyDraftSignature } = await load<Misskey>(misskey.name)
  const cryptoKey = await webcrypto.subtle.importKey(
    'spki',
    key.export({ type: 'spki', format: 'der' }),
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    false,
    ['verify']
  )
  const { method, target, headers } = request
  const message = { method, url: target, headers: lowerCaseRecord(headers) }
  const options = {
    requiredInputs: { draft: ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest'] }
  }
  return () => verifyDraftSignature(parseRequestSignature(message, options).value, cryptoKey)
}
