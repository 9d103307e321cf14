import type { IncomingMessage, ServerResponse } from 'node:http'
import { createShelf } from '../../../src/tools/index.ts'
import { type Exchange, type HeaderLine, isUnderDomain, otherDomainOf } from '../exchange.ts'
import { claimedSignature } from './signing.ts'
import { type KeptExchange, rowOf } from './view.ts'

const MAX_KEPT = 200

/** Bytes of a body that are kept. */
const MAX_BODY = 64 * 1024

/**
 * The last 200 requests of each list, in memory only: nothing unsigned can push a signed one out.
 *
 * @param redact keep no body at all
 * @param accountHeader the one that carries the account
 */
export function createRecent(
  redact: boolean,
  domain: string,
  dns: ReadonlyMap<string, string[][]>,
  accountHeader = 'X-Service-ID'
) {
  const isAccount = ([name]: HeaderLine) => name.toLowerCase() === accountHeader.toLowerCase()
  const lists = { signed: createShelf<KeptExchange>(MAX_KEPT), other: createShelf<KeptExchange>(MAX_KEPT) }
  const all = () => [...lists.signed.newestFirst(), ...lists.other.newestFirst()]
  let number = Date.now() * 1000
  return {
    keep(exchange: Exchange): void {
      number += 1
      const { verdict, body, bodyLength = body?.length } = exchange
      const isSigned = isUnderDomain(verdict) || otherDomainOf(verdict) !== undefined
      const list = isSigned ? 'signed' : 'other'
      const { keyId = '' } = claimedSignature(exchange, domain) ?? {}
      const answer = dns.get(keyId)
      lists[list].add({
        ...exchange,
        number,
        list,
        isSigned,
        bodyLength,
        claimedAccount: exchange.headers.find(isAccount)?.[1] ?? '',
        dns: answer && { [keyId]: answer },
        verdict: verdict.status === 'verified' ? { ...verdict, body: new Uint8Array() } : verdict,
        // A copy: a view would keep all of the buffer behind it.
        body: redact ? undefined : body && new Uint8Array(body.subarray(0, MAX_BODY))
      })
    },
    /** Returns the requests with a higher number, the oldest first. */
    after: (than: number): readonly KeptExchange[] =>
      all()
        .filter(kept => kept.number > than)
        .sort((a, b) => a.number - b.number),
    get: (wanted: number): KeptExchange | undefined => all().find(kept => kept.number === wanted)
  }
}

/** Milliseconds: often enough to be live, seldom enough for a flood to cost little. */
const BATCH = 100
const HEARTBEAT = 5000
const MAX_STREAMS = 20

/**
 * Server-sent events for an open page: what is kept, and then new requests in batches. One number says what a page has
 * received, so a slow page costs no memory; it never gets requests dropped meanwhile.
 *
 * @param setup what a page is told first
 * @param news what every batch says in addition to its rows
 */
export function createEventStreams(recent: ReturnType<typeof createRecent>, setup: object, news: () => object) {
  let open = 0
  return (req: IncomingMessage, res: ServerResponse): void => {
    if (open >= MAX_STREAMS) {
      return void res.writeHead(503, { 'Retry-After': '5' }).end('Too many pages are open.\n')
    }
    res.writeHead(200, { 'Content-Type': 'text/event-stream' })
    if (req.method === 'HEAD') return void res.end()
    let last = 0
    const send = (rows: readonly KeptExchange[]) => {
      last = rows.at(-1)?.number ?? last
      res.write(`event: requests\ndata: ${JSON.stringify({ ...news(), rows: rows.map(rowOf) })}\n\n`)
    }
    const sendNew = () => {
      const rows = res.writableNeedDrain ? [] : recent.after(last)
      if (rows.length > 0) send(rows)
    }
    const beat = () => !res.writableNeedDrain && res.write(':\n\n')
    open += 1
    const timers = [setInterval(sendNew, BATCH), setInterval(beat, HEARTBEAT)]
    res.on('close', () => {
      open -= 1
      for (const timer of timers) clearInterval(timer)
    })
    res.write(`retry: 1000\nevent: setup\ndata: ${JSON.stringify(setup)}\n\n`)
    send(recent.after(last))
  }
}
