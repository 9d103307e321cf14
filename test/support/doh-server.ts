import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { answerTo, type DnsOutcome, questionOf, type TxtRecords } from './dns-answer.ts'
import { listen } from './listen.ts'

/** A resolver with DNS over HTTPS, but without TLS, which is allowed on loopback. */
export interface DohServer {
  /** for `dohTxtLookup({ url })` */
  readonly url: string
  /** name -> what to answer instead of the name's records; may change at any time */
  readonly outcomes: Map<string, DnsOutcome>
  /** names whose answers have the AD bit */
  readonly authenticated: Set<string>
  /** the requests that have come in, and the DNS message in each */
  readonly seen: { method: string; url: string; headers: IncomingMessage['headers']; query: Buffer }[]
  /** answers about some names instead of the resolver, when it is set: says whether it did */
  intercept: ((name: string, response: ServerResponse) => boolean) | undefined
  /** answers instead of the resolver, when it is set */
  respond: ((request: IncomingMessage, response: ServerResponse, query: Buffer) => void) | undefined
  close(): Promise<void>
}

/** @param records name in lower case -> TXT records, each a list of strings; may change at any time */
export async function startDohServer(records: Readonly<Record<string, TxtRecords>>): Promise<DohServer> {
  const http = createServer(async (request, response) => {
    const get = new URL(request.url!, 'http://localhost').searchParams.get('dns')
    const query = get === null ? await buffer(request) : Buffer.from(get, 'base64url')
    server.seen.push({ method: request.method!, url: request.url!, headers: request.headers, query })
    if (server.respond !== undefined) return server.respond(request, response, query)

    const name = questionOf(query).name.toLowerCase()
    if (server.intercept?.(name, response)) return
    const found = Object.hasOwn(records, name) ? records[name] : undefined
    const octets = answerTo(query, 'https', found, server.outcomes.get(name))
    if (octets === undefined) return
    if (server.authenticated.has(name)) octets[3]! |= 0x20
    response.setHeader('Content-Type', 'application/dns-message').end(octets)
  })
  const server: DohServer = {
    url: `http://127.0.0.1:${await listen(http)}/dns-query`,
    outcomes: new Map(),
    authenticated: new Set(),
    seen: [],
    intercept: undefined,
    respond: undefined,
    async close() {
      http.closeAllConnections()
      await new Promise(resolve => http.close(resolve))
    }
  }
  return server
}
