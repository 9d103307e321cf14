import { buildSigningString } from '../draft-cavage/signing-string.ts'
import { encodeBase64 } from '../http/base64.ts'
import { base64Digest } from '../http/hash.ts'
import type { ReceivedRequest } from '../http/request.ts'
import type { SignedRequest } from '../rfc9421/signature-base.ts'
import type { SchemeName } from '../verdict/verdict.ts'
import { type SignRequest, validateSignRequest } from './sign-options.ts'
import { signatureHeaders } from './sign-rfc9421.ts'
import type { SigningKey } from './signing-key.ts'

/** A signed request, ready for `verify`; each header is a pair, and the body is bytes. */
export interface SignedTestRequest extends ReceivedRequest {
  headers: [name: string, value: string][]
  body: Uint8Array | null
}

/** What the service fills in. */
export interface SignContext {
  host: string
  account: readonly [header: string, value: string]
  nonce: string
  now: Date
}

/**
 * Signs a request as the service does: RSA with SHA-256, over the list in its specification's sample; by RFC 9421, over
 * the components that correspond to it.
 */
export function signRequest(given: SignRequest, key: SigningKey, context: SignContext): SignedTestRequest {
  const request = validateSignRequest(given)
  const body = bytesOf(request.body)
  const {
    method = body === null ? 'GET' : 'POST',
    target = '/',
    host = context.host,
    date = context.now,
    scheme = 'draft-cavage'
  } = request
  const [accountHeader, account] = context.account

  const headers = new Map<string, [name: string, value: string]>()
  const set = (name: string, value: string) => headers.set(name.toLowerCase(), [name, value])
  set('Host', host)
  set('Date', typeof date === 'string' ? date : new Date(date).toUTCString())
  if (body !== null) {
    set('Content-Length', String(body.length))
    set('Content-Type', 'application/json')
  }
  set(accountHeader, account)
  const digest = base64Digest('sha256', body ?? new Uint8Array(0))
  if (scheme === 'rfc9421') set('Content-Digest', `sha-256=:${digest}:`)
  else set('Digest', `SHA-256=${digest}`)
  set('X-Nonce', context.nonce)
  for (const [name, value] of request.headers) {
    if (value === undefined) headers.delete(name.toLowerCase())
    else set(name, value)
  }

  const covered = request.covered ?? COVERED_BY[scheme](accountHeader).filter(isThere(headers))
  const head = { method, target, headers: [...headers.values()], https: true }
  const created = typeof date === 'string' ? context.now : new Date(date)
  const sign = scheme === 'rfc9421' ? signatureHeaders : signatureHeader
  for (const [name, value] of sign(head, covered, key, created)) set(name, value)
  return { ...head, headers: [...headers.values()], body }
}

/** A copy: later changes to the given bytes do not change what was signed. */
const bytesOf = (body: SignRequest['body']): Uint8Array | null =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body ? new Uint8Array(body) : null

function signatureHeader(
  head: SignedRequest,
  covered: readonly string[],
  key: SigningKey
): [name: string, value: string][] {
  const signingString = buildSigningString(head, covered)
  if (!signingString.ok) throw new TypeError(`this cannot be signed: ${signingString.message}`)
  const signature = encodeBase64(key.sign(signingString.value))
  const list = covered.join(' ')
  return [
    ['Signature', `keyId="${key.keyId}",algorithm="rsa-sha256",headers="${list}",signature="${signature}"`]
  ]
}

/** The specification's own sample, in its mixed case; and the same by RFC 9421. */
const COVERED_BY: Readonly<Record<SchemeName, (accountHeader: string) => string[]>> = {
  'draft-cavage': accountHeader => [
    '(request-target)',
    'Host',
    'Date',
    'Content-length',
    'Content-type',
    accountHeader,
    'Digest',
    'X-nonce'
  ],
  rfc9421: accountHeader => [
    '@method',
    '@request-target',
    '@authority',
    'date',
    'content-length',
    'content-type',
    accountHeader.toLowerCase(),
    'content-digest',
    'x-nonce'
  ]
}

const isThere = (headers: ReadonlyMap<string, unknown>) => (name: string) =>
  /^[(@]/.test(name) || headers.has(name.toLowerCase())
