import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { main } from '../dist.ts'

/** Signs requests for the soak, in a process of its own. */
export interface Signed {
  target: string
  headers: [string, string][]
  body: string
}

export interface Batch {
  requests: Signed[]
  /** the records that go with them, by name */
  records: Record<string, string[][]>
}

export interface Order {
  from: number
  to: number
}

export const SERVICE_DOMAIN = 'service.example'
export const HOST = 'hooks.example.com'
export const ACCOUNT = '1234'
/** Unix seconds of the first request; each is dated a second after the one before it. */
export const START = Date.UTC(2026, 0, 1) / 1000

/** Signs requests that share one record text, although each asks for its own name. */
const REQUESTS_PER_RECORD = 100

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const p = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

process.on('message', ({ from, to }: Order) => {
  const batch: Batch = { requests: [], records: {} }
  for (let i = from; i < to; i++) {
    const keyId = `k${i}._domainkey.${SERVICE_DOMAIN}`
    batch.requests.push(signOne(i, keyId))
    batch.records[keyId] = [[`v=DKIM1; n=${Math.floor(i / REQUESTS_PER_RECORD)}; p=${p}`]]
  }
  process.send!(batch)
})
process.once('disconnect', () => process.exit())

function signOne(i: number, keyId: string): Signed {
  const target = `/hook?id=${i}`
  const body = `{"event":${i}}`
  const headers: [string, string][] = [
    ['Host', HOST],
    ['Date', new Date((START + i) * 1000).toUTCString()],
    ['Content-Length', String(body.length)],
    ['X-Service-ID', `account-${ACCOUNT}`],
    ['Digest', `SHA-256=${createHash('sha256').update(body).digest('base64')}`],
    ['X-Nonce', `${i}-${createHash('md5').update(keyId).digest('hex')}`]
  ]
  const covered = ['(request-target)', ...headers.map(([name]) => name)]
  const signingString = main.buildSigningString({ method: 'POST', target, headers }, covered)
  if (!signingString.ok) throw new Error(signingString.message)
  const signature = sign('sha256', Buffer.from(signingString.value, 'latin1'), privateKey).toString('base64')
  const list = covered.join(' ')
  headers.push(['Signature', `keyId="${keyId}",algorithm="rsa-sha256",headers="${list}",signature="${signature}"`])
  return { target, headers, body }
}
