import { createHash, sign as signBytes } from 'node:crypto'
import { ONE } from '../../fixtures/source/keys.ts'
import { type Header, signingString } from '../../fixtures/source/sign.ts'
import type { ReceivedRequest, VerifierOptions } from '../../src/index.ts'

export const KEY_ID = 'one._domainkey.service.example'
export const NOW = Date.parse('2026-11-28T06:10:28Z')
export const DATE = 'Sat, 28 Nov 2026 06:10:28 GMT'
export const BODY = '{"price":10}'

/** The receiver of every situation. */
export const RECEIVER = {
  serviceDomain: 'service.example',
  hosts: 'receiver.example',
  accounts: '1234',
  now: () => NOW,
  lookupTxt: async () => [ONE.record.match(/.{1,255}/g)!]
} satisfies VerifierOptions

export const base64 = (hash: string, data: string | Uint8Array): string =>
  createHash(hash).update(data).digest('base64')

export const DIGEST = `SHA-256=${base64('sha256', BODY)}`

/** Describes where a sender differs from a good one. */
export interface Sender {
  method?: string
  /** the target that is signed, and the one that is called where that is another */
  target?: string
  called?: string
  body?: string | Uint8Array
  /** headers that are sent: changed, added, or left out when undefined */
  headers?: Readonly<Record<string, string | undefined>>
  /** headers of which the signature has other values than the request */
  signedHeaders?: Readonly<Record<string, string>>
  covered?: readonly string[]
  times?: { created?: number; expires?: number }
  algorithm?: string
  /** what is signed instead of the signing string */
  text?: (signingString: string) => string | Uint8Array
  /** the hash that is signed with RSASSA-PKCS1-v1_5 */
  hash?: string
  /** writes the signature instead of base64 */
  write?: (signature: Buffer) => string
  /** writes the Signature header instead of the draft's form */
  header?: (header: string) => string | undefined
}

/** Lists what the service always signs. */
export const COVERED = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']

const present = (headers: Readonly<Record<string, string | undefined>>): Header[] =>
  Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined)

/** Makes the request of a sender, signed by the draft with the published key. */
export function requestOf(sender: Sender = {}): ReceivedRequest {
  const { method = 'POST', target = '/hook', body = BODY, covered = COVERED, algorithm = 'rsa-sha256' } = sender
  const headers = {
    Host: 'receiver.example',
    Date: DATE,
    'X-Service-ID': 'account-1234',
    Digest: `SHA-256=${base64('sha256', body)}`,
    ...sender.headers
  }
  const signed = present({ ...headers, ...sender.signedHeaders })
  const string = signingString({ method, target, headers: signed }, covered, sender.times)
  const text = sender.text?.(string) ?? string
  const bytes = signBytes(
    sender.hash ?? 'sha256',
    typeof text === 'string' ? Buffer.from(text, 'latin1') : text,
    ONE.privateKey
  )
  const signature = sender.write?.(bytes) ?? bytes.toString('base64')
  const times = Object.entries(sender.times ?? {}).map(([name, value]) => `,${name}=${value}`)
  const header =
    `keyId="${KEY_ID}",algorithm="${algorithm}"${times.join('')},headers="${covered.join(' ')}",` +
    `signature="${signature}"`
  const Signature = sender.header === undefined ? header : sender.header(header)
  return {
    method,
    target: sender.called ?? target,
    headers: present({ ...headers, Signature }),
    body: body === '' ? null : body,
    https: true
  }
}
