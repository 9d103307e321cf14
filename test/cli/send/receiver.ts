import { createServer, type RequestListener } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { createVerifier, dnsTxtLookup, fromNodeRequest, httpStatus, type VerifierOptions } from '../../../src/index.ts'
import { freePort } from '../../support/free-port.ts'
import { listen } from '../../support/listen.ts'
import { runInside } from '../../support/run-cli.ts'

/** `send` serves its key at this address. */
export const DNS = `127.0.0.1:${await freePort()}`
export const SERVE_DNS = ['--serve-dns', DNS]
const KEY = ['--key', 'fixtures/source/keys/one.pem']

/** Sends a request; `text` is what is printed, without the line breaks that fit it to a terminal. */
export async function send(url: string, flags: readonly string[] = [], input?: string | Uint8Array) {
  const finished = await runInside(['send', url, ...KEY, ...flags], input)
  return { ...finished, text: finished.stdout.replace(/\n(?=\S)/g, ' ') }
}

/** Does the same with a DNS server that has the key. */
export const sendServed = (url: string, ...flags: readonly string[]) => send(url, [...SERVE_DNS, ...flags])

/** Starts a server that closes with its test; returns the port. */
export function listenHere(server: Server): Promise<number> {
  onTestFinished(() => void server.close())
  return listen(server)
}

/** Starts an HTTP server that closes with its test; returns the URL. */
export const serve = async (listener: RequestListener = () => {}): Promise<string> =>
  `http://127.0.0.1:${await listenHere(createServer(listener))}`

/** A receiver as its developer would write it; its answer shows what it verified. */
export const receiver =
  (options: Partial<VerifierOptions> = {}): RequestListener =>
  async (request, response) => {
    const verify = createVerifier({
      serviceDomain: 'service.example',
      hosts: [`127.0.0.1:${request.socket.localPort}`, `localhost:${request.socket.localPort}`],
      accounts: '1234',
      lookupTxt: dnsTxtLookup({ servers: [DNS] }),
      requireHttps: false,
      ...options
    })
    const verdict = await verify(fromNodeRequest(request))
    response.statusCode = httpStatus(verdict)
    if (verdict.status === 'rejected') response.setHeader('WWW-Authenticate', 'Signature')
    if (verdict.status === 'unavailable') response.setHeader('Retry-After', '60')
    if (verdict.status !== 'verified') return response.end(verdict.failures.map(({ code }) => code).join())
    const { accountId: account, keyId, body } = verdict
    response.end(JSON.stringify({ account, keyId, body: String(Buffer.from(body)) }))
  }

export const startReceiver = (options?: Partial<VerifierOptions>): Promise<string> => serve(receiver(options))
