import type { HeaderLine } from '../../http/request.ts'
import { UsageError } from '../usage.ts'
import { type Entry, entryOf } from './capture.ts'
import { isObject, type JsonObject, own } from './json-object.ts'

const TARGETS = ['target', 'url', 'originalUrl', 'uri', 'path']
const BODIES = ['rawBody', 'bodyRaw', 'content', 'body', 'payload', 'data', 'text']

const isText = (value: unknown): value is string => typeof value === 'string'

/** `{ method, url, headers, body }`, as sites that inspect requests export it. */
export const isJsonRequest = (value: JsonObject): boolean =>
  isText(own(value, 'method')) &&
  TARGETS.some(name => isText(own(value, name))) &&
  typeof own(value, 'headers') === 'object' &&
  own(value, 'headers') !== null

export function parseJsonRequest(value: JsonObject): Entry {
  const url = TARGETS.map(name => own(value, name)).find(isText)!
  const { target, authority, https } = splitUrl(url, own(value, 'query') ?? own(value, 'queryString'))
  const headers = parseHeaders(own(value, 'headers'))
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  const { body, notes } = parseBody(value)
  return entryOf({
    method: own(value, 'method') as string,
    target,
    headers: hasHost || authority === undefined ? headers : [['Host', authority], ...headers],
    body,
    https: typeof own(value, 'https') === 'boolean' ? (own(value, 'https') as boolean) : https,
    notes
  })
}

/** An absolute URL is cut where its path begins, never rebuilt: the target was signed byte for byte. */
export function splitUrl(
  url: string,
  query?: unknown
): { target: string; authority: string | undefined; https: boolean } {
  const [, scheme, authority, rest] = /^(https?):\/\/([^/?#\s]*)([^#]*)/is.exec(url) ?? []
  const path = rest === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
  const hasQuery = path.includes('?') || !isText(query) || query === ''
  return {
    target: hasQuery ? path : `${path}?${query.replace(/^\?/, '')}`,
    authority: authority?.replace(/^.*@/s, ''),
    https: scheme?.toLowerCase() !== 'http'
  }
}

/** An object of names and values, an array of pairs, or an array of `{ name, value }`. */
export function parseHeaders(headers: unknown): HeaderLine[] {
  const lines = Array.isArray(headers) ? headers.map(pairOf) : Object.entries(headers as object)
  return lines.flatMap(([name, value]) =>
    [value].flat(1).map(line => {
      if (!isText(name) || !/^(?:string|number|boolean)$/.test(typeof line)) {
        throw new UsageError(`the header ${String(name).slice(0, 60)} has a value that is not text`)
      }
      return [name, String(line)] as const
    })
  )
}

function pairOf(line: unknown): [name: unknown, value: unknown] {
  if (Array.isArray(line) && line.length === 2) return [line[0], line[1]]
  if (isObject(line)) return [own(line, 'name') ?? own(line, 'key'), own(line, 'value')]
  throw new UsageError('headers is not an object, an array of pairs or an array of { name, value }')
}

const PARSED =
  'the export has a body that was parsed: its bytes as sent are lost, so the digest may not match'

function parseBody(value: JsonObject): { body: Uint8Array | undefined; notes: string[] } {
  const body = BODIES.map(name => own(value, name)).find(found => found !== undefined && found !== null)
  if (body === undefined) return { body: undefined, notes: [] }
  if (!isText(body)) return { body: Buffer.from(serialized(body)), notes: [PARSED] }
  const isBase64 =
    own(value, 'isBase64Encoded') === true ||
    ['encoding', 'bodyEncoding', 'contentEncoding'].some(name => own(value, name) === 'base64')
  return { body: Buffer.from(body, isBase64 ? 'base64' : 'utf8'), notes: [] }
}

function serialized(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch {
    throw new UsageError('the body is nested too deeply')
  }
}
