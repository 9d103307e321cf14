import { verify } from 'node:crypto'
import { load } from '../load.ts'
import { lowerCaseRecord, type Sample } from '../sample.ts'
import type { Peer } from './peer.ts'

interface HttpSignatureHeader {
  parseRequest(
    request: object,
    options: { headers: string[] }
  ): { signingString: string; params: { signature: string } }
}

export const digitalbazaar: Peer = {
  name: '@digitalbazaar/http-signature-header',
  leavesOut: 'body, a Date in the future, account, whose host, whose key; repeated headers and parameters',
  prepare
}

/** The package parses and builds the signing string; the floor verifies. It reads `Authorization: Signature ...`. */
async function prepare({ request, key }: Sample) {
  const { parseRequest } = await load<HttpSignatureHeader>(digitalbazaar.name)
  const { method, target, headers } = request
  const record = lowerCaseRecord(headers)
  const message = {
    method,
    url: target,
    headers: { ...record, authorization: `Signature ${record['signature']}` }
  }
  const options = { headers: ['(request-target)', 'host', 'date', 'x-service-id', 'digest'] }
  return () => {
    const { signingString, params } = parseRequest(message, options)
    return verify('RSA-SHA256', Buffer.from(signingString), key, Buffer.from(params.signature, 'base64'))
  }
}
