import type { IncomingMessage, ServerResponse } from 'node:http'
import { mainFailure, type Verdict, type VerifierOptions } from 'signed-requests'
import { createRecorder, type Recorder } from 'signed-requests/recorder'
import { captureFixture } from 'signed-requests/testing'
import { createStore, isSignedUnderDomain, type RefusedRequest } from '../../../src/internal/index.ts'
import { type Exchange, MAX_SHOWN_BYTES } from '../exchange.ts'
import { overviewOf, type RecentExchange } from './view.ts'

const MAX_RECENT = 200

/** A refused request, which is shown only when it is over. */
interface Item {
  readonly isSigned: boolean
  /** the code of `mainFailure` */
  readonly code: string
  readonly verdict: Verdict
  /** keeps this request alone */
  readonly recorder: Recorder
  exchange?: RecentExchange
}

export type Recent = ReturnType<typeof createRecent>

/**
 * Keeps `MAX_RECENT` refused requests as a recorder does, half of them signed under the domain, and as many verified
 * ones. Neither scanners nor genuine requests evict a signed request that was refused. Everything is in memory. The
 * verifier records each refused request here before it is answered, and `keep` adds the outcome.
 *
 * @param redact keep no body at all
 */
export function createRecent(redact: boolean, options: VerifierOptions) {
  const maxBodyBytes = redact ? 0 : MAX_SHOWN_BYTES
  const refused = createStore<Item>(MAX_RECENT)
  /** the oldest first */
  const verified: RecentExchange[] = []
  /** the refused ones that are kept */
  const items = new Map<Verdict, Item>()
  const all = (): RecentExchange[] => [
    ...refused.newestFirst().flatMap(({ exchange }) => (exchange === undefined ? [] : [exchange])),
    ...verified
  ]
  /** of the request that was pushed out: making one for each request of a flood would cost more than refusing it */
  let spare: Recorder | undefined
  let number = Date.now() * 1000

  function keepVerified(exchange: Exchange): void {
    const { verdict, bodyLength } = exchange
    // A copy: a view would keep all of the buffer behind it.
    const body = new Uint8Array(exchange.body?.subarray(0, maxBodyBytes) ?? [])
    // Emptied in place: a copy of the verdict would not know what DNS answered.
    if (verdict.status === 'verified') verdict.body = new Uint8Array()
    const fixture = () => {
      const document = captureFixture({ ...exchange, body: null }, verdict, { options, redact, body })
      const captured = document.vectors[0]!.request.body
      if (captured !== null && bodyLength !== body.length) Object.assign(captured, { length: bodyLength })
      return document
    }
    verified.push({ ...exchange, body, number, fixture })
    if (verified.length > MAX_RECENT) verified.shift()
  }

  return {
    /** Keeps a request that was not verified, with what was read of its body. */
    record(request: object): void {
      const { verdict } = request as RefusedRequest
      const recorder = spare ?? createRecorder({ keep: 1, maxBodyBytes, redact })
      recorder.record(request)
      const item: Item = {
        isSigned: isSignedUnderDomain(verdict),
        code: mainFailure(verdict)?.code ?? '',
        verdict,
        recorder
      }
      items.set(verdict, item)
      const surplus = refused.add(item)
      spare = surplus?.recorder
      if (surplus !== undefined) items.delete(surplus.verdict)
    },
    /** Adds how a request ended. A flood may have pushed it out meanwhile. */
    keep(exchange: Exchange): void {
      number += 1
      const { verdict } = exchange
      const item = items.get(verdict)
      if (verdict.status === 'verified') keepVerified(exchange)
      else if (item !== undefined) {
        const fixture = () => item.recorder.fixtures()[0]!
        item.exchange = { ...exchange, body: undefined, number, fixture }
      }
    },
    /** Returns the requests with a higher number, the oldest first. */
    after: (than: number): readonly RecentExchange[] =>
      all()
        .filter(exchange => exchange.number > than)
        .sort((a, b) => a.number - b.number),
    get: (wanted: number): RecentExchange | undefined => all().find(exchange => exchange.number === wanted)
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
 * @param summary what every batch says in addition to its rows
 */
export function createEventStreams(recent: Recent, setup: () => object, summary: () => object) {
  let open = 0
  return (req: IncomingMessage, res: ServerResponse): void => {
    if (open >= MAX_STREAMS) {
      return void res.writeHead(503, { 'Retry-After': '5' }).end('Too many pages are open.\n')
    }
    res.writeHead(200, { 'Content-Type': 'text/event-stream' })
    if (req.method === 'HEAD') return void res.end()
    let last = 0
    const send = (rows: readonly RecentExchange[]) => {
      last = rows.at(-1)?.number ?? last
      res.write(`event: requests\ndata: ${JSON.stringify({ ...summary(), rows: rows.map(overviewOf) })}\n\n`)
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
    res.write(`retry: 1000\nevent: setup\ndata: ${JSON.stringify(setup())}\n\n`)
    send(recent.after(last))
  }
}
