import { type Entry, entryOf, MAX_ENTRIES } from './capture.ts'
import { isObject, type JsonObject, own } from './json-object.ts'
import { parseHeaders, splitUrl } from './json-request.ts'

/** HTTP Archive 1.2: `log.entries`. */
export function isHar(value: JsonObject): boolean {
  const log = own(value, 'log')
  return isObject(log) && Array.isArray(own(log, 'entries'))
}

/** One of its entries. A fixture also has a `request`, with a target instead of a URL. */
export function isHarEntry(value: JsonObject): boolean {
  const request = own(value, 'request')
  return (
    isObject(request) &&
    typeof own(request, 'method') === 'string' &&
    typeof own(request, 'url') === 'string' &&
    Array.isArray(own(request, 'headers'))
  )
}

export function parseHar(value: JsonObject): Entry[] {
  const entries = own(value['log'] as JsonObject, 'entries') as readonly unknown[]
  return entries
    .slice(0, MAX_ENTRIES)
    .filter(isObject)
    .filter(isHarEntry)
    .map(entry => parseHarEntry(entry))
}

export function parseHarEntry(value: JsonObject): Entry {
  const request = value['request'] as JsonObject
  const { target, authority, https } = splitUrl(request['url'] as string)
  // Browsers write the pseudo-headers of HTTP/2 among the others.
  const all = parseHeaders(request['headers'])
  const headers = all.filter(([name]) => !name.startsWith(':'))
  const [, path = target] = all.find(([name]) => name === ':path') ?? []
  const host = all.find(([name]) => name === ':authority')?.[1] ?? authority
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  return entryOf({
    method: request['method'] as string,
    target: path,
    headers: hasHost || host === undefined ? headers : [['Host', host], ...headers],
    body: postData(own(request, 'postData')),
    https
  })
}

function postData(data: unknown): Buffer | undefined {
  if (!isObject(data)) return undefined
  const text = own(data, 'text')
  if (typeof text !== 'string') return undefined
  return Buffer.from(text, own(data, 'encoding') === 'base64' ? 'base64' : 'utf8')
}
