import { type Agent, request as httpsRequest } from 'node:https'
import { generate } from 'selfsigned'
import type { ReceivedRequest } from '../../src/index.ts'

export interface Certificate {
  /** PEM */
  key: string
  cert: string
}

/** A certificate for one host name, made on the spot. */
export async function makeCertificate(host: string): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }]
  })
  return { key: made.private, cert: made.cert }
}

/** A server on loopback, and the certificate it must show. */
export interface Recipient {
  host: string
  port: number
  cert: string
  agent?: Agent
}

/** The client's side of a request: the head byte for byte as signed; the body is left to the caller. */
export function open(request: ReceivedRequest, to: Recipient) {
  return httpsRequest({
    host: '127.0.0.1',
    port: to.port,
    servername: to.host,
    ca: to.cert,
    agent: to.agent ?? false,
    signal: AbortSignal.timeout(10_000),
    method: request.method,
    path: request.target,
    headers: [...(request.headers as Iterable<readonly [string, string]>)].flat()
  })
}

/** Sends a request over HTTPS. Resolves to the status of the answer, rejects when there is none. */
export function send(request: ReceivedRequest, to: Recipient): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = open(request, to)
    outgoing.on('response', response => {
      response.on('error', reject)
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    outgoing.on('error', reject)
    outgoing.end(request.body)
  })
}
