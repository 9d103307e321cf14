import { UsageError } from '../../flags/usage-error.ts'
import type { HeaderLine } from '../../src/internal/index.ts'
import { type Entry, entryOf, MAX_ENTRIES, splitUrl } from './capture.ts'
import { withLength } from './curl-command.ts'
import { parseHeaders } from './json.ts'
import { measureJson } from './measure-json.ts'

/** Matches a line that begins such a call; in the strings of a call, line breaks are escaped. */
export const FETCH_CALL = /^\s*(?:(?:const|let|var) \w+ = )?(?:await )?fetch\(/

const NEXT_CALL = /^(?=(?:await )?fetch\()/m

const LEFT_OUT =
  'a fetch() call of a browser leaves out Host, Date, Content-Length and cookies: save a HAR, or copy as cURL, ' +
  'for those'

/** Parses calls of `fetch()`, as "copy as fetch" and "copy as fetch (Node.js)" of browsers write them: in JSON. */
export function parseFetchCalls(text: string): Entry[] {
  const calls = text.split(NEXT_CALL, MAX_ENTRIES).filter(call => FETCH_CALL.test(call))
  return calls.map(call => {
    const end = call.lastIndexOf(')')
    const json = `[${call.slice(call.indexOf('(') + 1, end < 0 ? undefined : end)}]`
    measureJson(Buffer.from(json))
    const { url, options } = parseArguments(json)
    const { method, headers, body } = options
    const bytes = typeof body === 'string' ? Buffer.from(body) : null
    const lines = parseHeaders(headers ?? {}).map(
      ([name, value]): HeaderLine => [name, Buffer.from(value).toString('latin1')]
    )
    return entryOf({
      method: typeof method === 'string' ? method : 'GET',
      ...splitUrl(url),
      headers: withLength(lines, bytes),
      body: bytes,
      notes: lines.some(([name]) => name.toLowerCase() === 'date') ? [] : [LEFT_OUT]
    })
  })
}

function parseArguments(json: string): { url: string; options: Record<string, unknown> } {
  const [url, options = {}] = parse(json)
  if (typeof url === 'string' && typeof options === 'object' && options !== null)
    return { url, options: options as Record<string, unknown> }
  throw notCopied()
}

function parse(json: string): unknown[] {
  try {
    return JSON.parse(json)
  } catch {
    throw notCopied()
  }
}

const notCopied = () =>
  new UsageError(
    'this is a fetch() call, but not as a browser copies it: its URL and options must be JSON, with double quotes'
  )
