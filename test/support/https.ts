import { generateKeyPair, randomBytes, sign } from 'node:crypto'
import { type Agent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import type { ReceivedRequest } from '../../src/index.ts'

export interface Certificate {
  /** PEM */
  key: string
  cert: string
}

/** Sets the validity period; by default it includes now. */
export interface Validity {
  from?: Date
  until?: Date
}

const DAY = 86_400_000

/** Makes a self-signed certificate for one host name or address (RFC 5280 section 4.1). */
export async function makeCertificate(host: string, validity: Validity = {}): Promise<Certificate> {
  const { from = new Date(Date.now() - DAY), until = new Date(Date.now() + DAY) } = validity
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(COMMON_NAME, der(UTF8_STRING, Buffer.from(host)))))
  const signed = sequence(
    der(0xa0, der(INTEGER, Buffer.of(2))),
    // The first bit is not set: the number is positive.
    der(INTEGER, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(IS_AUTHORITY, sequence(SUBJECT_ALT_NAME, der(OCTET_STRING, sequence(altName(host))))))
  )
  const signature = Buffer.concat([Buffer.of(0), sign('sha256', signed, privateKey)])
  const certificate = sequence(signed, ECDSA_WITH_SHA256, der(BIT_STRING, signature)).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
  }
}

const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const UTF8_STRING = 0x0c

/** Writes a value of DER (X.690 section 8.1): its tag, its length and its content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length: size } = content
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.of(tag, ...length), content])
}
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const set = (...parts: readonly Uint8Array[]) => der(0x31, ...parts)

/** Writes a date until 2049 with two digits of the year (RFC 5280 section 4.1.2.5): 210101000000Z. */
const time = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`))

/** Writes a name of DNS (tag 2) or an IPv4 address (tag 7). */
const altName = (host: string) =>
  isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host))

const COMMON_NAME = Buffer.from('0603550403', 'hex')
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex')
const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex')
/** basicConstraints, critical: a client that trusts it treats it as its own authority. */
const IS_AUTHORITY = Buffer.from('300f0603551d130101ff040530030101ff', 'hex')

/** A server on loopback, and the certificate that it must show. */
export interface Recipient {
  host: string
  port: number
  cert: string
  agent?: Agent
}

/** Opens the client's side of a request: the head byte for byte as signed; the caller sends the body. */
export function open(request: ReceivedRequest, to: Recipient) {
  const { host: servername, port, cert: ca, agent = false } = to
  const server = { host: '127.0.0.1', port, servername, ca, agent, signal: AbortSignal.timeout(50_000) }
  const { method, target: path, headers } = request
  return httpsRequest({ ...server, method, path, headers: [...(headers as Iterable<readonly string[]>)].flat() })
}

/** Sends a request over HTTPS. Resolves to the status of the answer, rejects when there is none. */
export function send(request: ReceivedRequest, to: Recipient): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = open(request, to)
    outgoing.on('error', reject).on('response', response => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    outgoing.end(request.body)
  })
}
