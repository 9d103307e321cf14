import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Recent } from './recent.ts'
import { rowOf } from './view.ts'

/** Milliseconds: often enough to be live, seldom enough for a flood to cost little. */
const BATCH = 100
const HEARTBEAT = 5000
const MAX_STREAMS = 20

/**
 * Server-sent events for the open pages: sends each what is kept, and then new requests in batches. One number says what a page has received, so a
 * slow page costs no memory; it never gets requests dropped meanwhile.
 *
 * @param setup what a page is told first
 * @param counts what every batch says in addition to its rows
 */
export function createEventStreams(recent: Recent, setup: object, counts: object) {
  const streams = new Map<ServerResponse, number>()
  const batches = setInterval(() => {
    for (const [res, has] of streams) {
      const rows = res.writableNeedDrain ? [] : recent.after(has)
      if (rows.length > 0) send(res, rows)
    }
  }, BATCH).unref()
  const heartbeat = setInterval(() => {
    for (const res of streams.keys()) if (!res.writableNeedDrain) res.write(':\n\n')
  }, HEARTBEAT).unref()

  function send(res: ServerResponse, rows: ReturnType<Recent['after']>): void {
    streams.set(res, rows.at(-1)?.number ?? 0)
    res.write(`event: requests\ndata: ${JSON.stringify({ counts, rows: rows.map(rowOf) })}\n\n`)
  }

  return {
    open(req: IncomingMessage, res: ServerResponse): void {
      if (streams.size >= MAX_STREAMS) {
        res.writeHead(503, { 'Retry-After': '5' }).end('Too many pages are open.\n')
        return
      }
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      if (req.method === 'HEAD') {
        res.end()
        return
      }
      res.on('close', () => streams.delete(res))
      res.write(`retry: 1000\nevent: setup\ndata: ${JSON.stringify(setup)}\n\n`)
      send(res, recent.after(0))
    },
    close(): void {
      clearInterval(batches)
      clearInterval(heartbeat)
      for (const res of streams.keys()) res.destroy()
    }
  }
}
