import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Recent } from './recent.ts'
import { rowOf } from './view.ts'

/** Milliseconds: often enough to be live, seldom enough for a flood to cost little. */
const BATCH = 100
const HEARTBEAT = 15_000
const MAX_STREAMS = 20

/** Server-sent events for the open pages. */
export interface EventStreams {
  open(req: IncomingMessage, res: ServerResponse): void
  /** There is something new. */
  notify(): void
  close(): void
}

/**
 * Sends every open page the requests that it does not have, in batches. One number says what a page has received, so a
 * slow page costs no memory; it never gets requests dropped meanwhile.
 *
 * @param run a name unique to this process: another one counts from 1 again
 * @param about what every batch says in addition to its rows
 */
export function createEventStreams(recent: Recent, run: string, about: () => object): EventStreams {
  const streams = new Map<ServerResponse, number>()
  let batch: NodeJS.Timeout | undefined
  const heartbeat = setInterval(() => {
    for (const res of streams.keys()) if (!res.writableNeedDrain) res.write(':\n\n')
  }, HEARTBEAT).unref()

  function send(res: ServerResponse, isFirst: boolean): void {
    const has = streams.get(res) ?? 0
    const rows = recent.after(has)
    if (res.writableNeedDrain || (rows.length === 0 && !isFirst)) return
    const last = rows.at(-1)?.number ?? has
    streams.set(res, last)
    const data = JSON.stringify({ run, isWhole: isFirst && has === 0, ...about(), rows: rows.map(rowOf) })
    res.write(`id: ${run}-${last}\nevent: requests\ndata: ${data}\n\n`)
  }

  function notify(): void {
    if (batch !== undefined || streams.size === 0) return
    batch = setTimeout(() => {
      batch = undefined
      for (const res of streams.keys()) send(res, false)
    }, BATCH)
  }

  return {
    notify,
    open(req, res) {
      if (streams.size >= MAX_STREAMS) {
        res.writeHead(503, { 'Retry-After': '5' }).end('Too many pages are open.\n')
        return
      }
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      if (req.method === 'HEAD') {
        res.end()
        return
      }
      streams.set(res, numberIn(req.headers['last-event-id'], run))
      res.on('close', () => streams.delete(res))
      res.on('drain', notify)
      res.write('retry: 1000\n\n')
      send(res, true)
    },
    close() {
      clearInterval(heartbeat)
      clearTimeout(batch)
      for (const res of streams.keys()) res.destroy()
    }
  }
}

/** The number up to which the page has everything, if it has it from this process. */
function numberIn(lastEventId: unknown, run: string): number {
  const [, name, number] = /^(\w{1,32})-(\d{1,15})$/.exec(String(lastEventId)) ?? []
  return name === run ? Number(number) : 0
}
