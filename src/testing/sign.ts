import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign as signBytes } from 'node:crypto'
import { encodeBase64 } from '../core/http/base64.ts'
import { base64Digest } from '../core/http/digest.ts'
import type { Bytes, ReceivedRequest } from '../core/http/request.ts'
import { isObject, isText } from '../core/json-shape.ts'
import { describe, kindOf, mistake, ownOptions } from '../core/mistakes.ts'
import type { Result } from '../core/result/result.ts'
import type { SchemeName } from '../core/result/scheme-name.ts'
import { buildSigningString } from '../core/standards/draft-cavage/steps.ts'
import { buildSignatureBase } from '../core/standards/rfc9421/signature-base.ts'
import { parseSignatureInput } from '../core/standards/rfc9421/signature-input.ts'

/** The request to send; everything has a default. */
export interface SignRequest {
  /** `POST` with a body, `GET` without one */
  method?: string | undefined
  /** the request-target: path and query; `/` by default */
  target?: string | undefined
  /** the Host header; the one in the test service's `options.hosts` by default */
  host?: string | undefined
  /** the body, text as UTF-8; none by default */
  body?: string | Uint8Array | null | undefined
  /** headers to add, or to replace the service's own of the same name; undefined leaves that one out */
  headers?: Readonly<Record<string, string | undefined>> | Iterable<readonly [name: string, value: string]> | undefined
  /** the Date header: a date, milliseconds since 1970, or its text; now by default */
  date?: Date | number | string | undefined
  /**
   * the covered names, in this order and case; by default what the service signs, if it is present. A component of RFC
   * 9421 is its name, or with parameters as in `@query-param;name="id"`
   */
  covered?: readonly string[] | undefined
  /** the standard to sign by; `draft-cavage` by default */
  scheme?: SchemeName | undefined
}

/** A signed request, ready for `verify`; each header is a pair, and the body is bytes. */
export interface SignedTestRequest extends Omit<ReceivedRequest, 'signal'> {
  headers: [name: string, value: string][]
  body: Bytes | null
}

/** A private key, the DNS name of its public half, and the TXT record to serve there. */
export interface SigningKey {
  keyId: string
  /** the record's chunks of at most 255 characters */
  record: string[]
  sign(signingString: string): Uint8Array
}

/** Creates an RSA key, or takes the given private key (PEM). */
export function createSigningKey(keyId: string, rsaBits: number, privateKeyPem?: string): SigningKey {
  const privateKey =
    privateKeyPem === undefined
      ? generateKeyPairSync('rsa', { modulusLength: rsaBits }).privateKey
      : createPrivateKey(privateKeyPem)
  if (privateKey.asymmetricKeyType !== 'rsa')
    throw mistake('the private key is of the type', privateKey.asymmetricKeyType, 'pass an RSA key', describe)
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return {
    keyId,
    // A TXT character-string holds 255 octets (RFC 1035 section 3.3.14).
    record: `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`.match(/.{1,255}/g)!,
    // Header values are octets, one per character.
    sign: signingString => signBytes('sha256', Buffer.from(signingString, 'latin1'), privateKey)
  }
}

/** The values that the service fills in. */
interface SignContext {
  host: string
  account: readonly [header: string, value: string]
  /** names to cover besides those that the service covers, if they are present */
  alsoCovered?: readonly string[]
}

/**
 * Signs a request as the service does: RSA with SHA-256, over the list in its specification's sample; by RFC 9421, over
 * the components that correspond to it.
 *
 * @throws TypeError for a misspelled or malformed option: it would sign another request than intended
 */
export function signRequest(options: SignRequest, key: SigningKey, context: SignContext): SignedTestRequest {
  const request = validateSignRequest(options)
  const { host = context.host, date = new Date(), scheme = 'draft-cavage', target = '/' } = request
  const own = request.headers ?? {}
  const body = bytesOf(request.body)
  const method = request.method ?? (body === null ? 'GET' : 'POST')
  const [accountHeader, account] = context.account
  const digest = base64Digest('sha256', body ?? new Uint8Array(0))

  const headers = new Map<string, [name: string, value: string]>()
  const set = (name: string, value: string) => headers.set(name.toLowerCase(), [name, value])
  set('Host', host)
  set('Date', typeof date === 'string' ? date : new Date(date).toUTCString())
  if (body !== null) {
    set('Content-Length', String(body.length))
    set('Content-Type', 'application/json')
  }
  set(accountHeader, account)
  if (scheme === 'rfc9421') set('Content-Digest', `sha-256=:${digest}:`)
  else set('Digest', `SHA-256=${digest}`)
  set('X-Nonce', randomUUID())
  for (const [name, value] of Symbol.iterator in own ? own : Object.entries(own)) {
    if (value === undefined) headers.delete(name.toLowerCase())
    else set(name, value)
  }

  const isPresent = (name: string) => /^[(@]/.test(name) || headers.has(name.toLowerCase())
  const { alsoCovered = [] } = context
  const usual = COVERED[scheme](accountHeader).split(' ')
  const isUsual = (name: string) => usual.some(other => other.toLowerCase() === name.toLowerCase())
  const covered = request.covered ?? [...usual, ...alsoCovered.filter(name => !isUsual(name))].filter(isPresent)
  const head = { method, target, headers: [...headers.values()], https: true }
  const created = typeof date === 'string' ? new Date() : new Date(date)
  const signatureOver = (base: Result<string>): string => {
    if (!base.ok)
      throw mistake('sign() got', request, 'correct that', () => `a request that cannot be signed (${base.message})`)
    return encodeBase64(key.sign(base.value))
  }
  if (scheme === 'draft-cavage') {
    const params = `keyId="${key.keyId}",algorithm="rsa-sha256",headers="${covered.join(' ')}"`
    set('Signature', `${params},signature="${signatureOver(buildSigningString(head, covered))}"`)
  } else {
    // RFC 9421 section 4, with the parameters that the service would set. `@query-param;name="id"` keeps its own.
    const list = covered.map(component => component.replace(/^[^;]*/, '"$&"')).join(' ')
    const seconds = Math.floor(created.getTime() / 1000)
    const input = `sig1=(${list});created=${seconds};keyid="${key.keyId}";alg="rsa-v1_5-sha256"`
    const parsed = parseSignatureInput(input)
    set('Signature-Input', input)
    set('Signature', `sig1=:${signatureOver(parsed.ok ? buildSignatureBase(head, parsed.value[0]!) : parsed)}:`)
  }
  return { ...head, headers: [...headers.values()], body }
}

/** Copies the body: later changes to the given bytes do not change what was signed. */
function bytesOf(body: SignRequest['body']): Bytes | null {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  return body ? new Uint8Array(body) : null
}

/** The specification's own sample, in its mixed case; and the same by RFC 9421. */
const COVERED: Readonly<Record<SchemeName, (account: string) => string>> = {
  'draft-cavage': account => `(request-target) Host Date Content-length Content-type ${account} Digest X-nonce`,
  rfc9421: account =>
    '@method @request-target @authority date content-length content-type ' +
    `${account.toLowerCase()} content-digest x-nonce`
}

type Test = (value: unknown) => boolean
// RFC 9112 section 3.2: origin-form, or the asterisk of OPTIONS.
const isTarget: Test = value => isText(value) && /^(?:\/|\*$)/.test(value)
const isBody: Test = value => value === null || isText(value) || value instanceof Uint8Array
const isHeaders: Test = value => isObject(value) || Array.isArray(value)
const isDate: Test = value => isText(value) || Number.isFinite(value instanceof Date ? value.getTime() : value)
const isTexts: Test = value => Array.isArray(value) && value.every(isText)
const isScheme: Test = value => Object.hasOwn(COVERED, value as string)

/** The rule of each option, and what to write. */
const RULES: Readonly<Record<keyof SignRequest, [Test, rule: string]>> = {
  method: [isText, 'a string, such as method: "POST"'],
  target: [isTarget, 'path and query as they are sent, such as target: "/hook?id=1"'],
  host: [isText, 'a string, such as host: "receiver.example"'],
  body: [isBody, 'the bytes or the text to send, such as body: JSON.stringify(value)'],
  headers: [isHeaders, 'an object of names and strings, or pairs of them'],
  date: [isDate, 'a Date, milliseconds since 1970 or text, such as date: new Date()'],
  covered: [isTexts, 'an array of names, such as covered: ["(request-target)", "host", "date"]'],
  scheme: [isScheme, '"draft-cavage" or "rfc9421"']
}

function validateSignRequest(request: SignRequest): SignRequest {
  const names = Object.keys(RULES) as (keyof SignRequest)[]
  const own = ownOptions('sign', request, names)
  for (const name of names) {
    const [isRight, rule] = RULES[name]
    if (own[name] !== undefined && !isRight(own[name]))
      throw mistake(`${name} is`, own[name], `pass ${rule}`, name === 'target' || name === 'scheme' ? describe : kindOf)
  }
  return own
}
