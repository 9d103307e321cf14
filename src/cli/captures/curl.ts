import type { HeaderLine } from '../../http/request.ts'
import { type Entry, entryOf, MAX_ENTRIES } from './capture.ts'
import { headerOf, REQUEST_LINE } from './http1.ts'

/** What curl sent, as `curl -v` marks it; `--trace-time` puts a time before it. */
const SENT = /^(?:\d\d:\d\d:\d\d\.\d{1,9} )?>(?: (.*))?$/s

/**
 * Parses the heads that `curl -v` prints with `> ` before each line, over HTTP/1.1 and HTTP/2. It does not print the
 * body. Undefined when the text has no such head.
 */
export function parseCurl(text: string): Entry[] | undefined {
  const entries: Entry[] = []
  let head: { method: string; target: string; headers: HeaderLine[] } | undefined
  const finish = () => {
    if (head !== undefined) entries.push(entryOf({ ...head, body: undefined }))
    head = undefined
  }

  for (const line of linesOf(text)) {
    const sent = SENT.exec(line)
    if (sent === null) continue
    const content = sent[1] ?? ''
    const [, method, target] = REQUEST_LINE.exec(content) ?? []
    if (method !== undefined && target !== undefined) {
      finish()
      if (entries.length === MAX_ENTRIES) break
      head = { method, target, headers: [] }
    } else if (content === '') finish()
    else head?.headers.push(headerOf(content))
  }
  finish()
  return entries.length === 0 ? undefined : entries
}

/** A bare CR stays in its line. */
export const linesOf = (text: string): string[] =>
  text.split('\n').map(line => (line.endsWith('\r') ? line.slice(0, -1) : line))
