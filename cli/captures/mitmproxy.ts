import type { HeaderLine } from '../../src/internal/index.ts'
import { assertWithin, type Entry, entryOf, MAX_ENTRIES } from './capture.ts'

/** Matches the start of a file that `mitmdump -w` has written: a dictionary as a tnetstring. */
export const MITMPROXY = /^\d{1,9}:\d{1,9}:[a-z_]+[;,]/

type Value = Buffer | number | boolean | null | undefined | Value[] | Map<string, Value>

/** Parses the flows of `mitmdump -w`, which have every byte of a request. */
export function parseMitmproxy(file: Buffer): Entry[] {
  const entries: Entry[] = []
  const reader = createReader()
  for (let at = 0; at < file.length && entries.length < MAX_ENTRIES; ) {
    const flow = reader(file, at, 0)
    if (flow === undefined) break
    at = flow.end
    const request = flow.value instanceof Map ? flow.value.get('request') : undefined
    if (request instanceof Map) entries.push(...entryIn(request))
  }
  return entries
}

function entryIn(request: ReadonlyMap<string, Value>): Entry[] {
  const text = (name: string): string => {
    const value = request.get(name)
    return Buffer.isBuffer(value) ? value.toString('latin1') : ''
  }
  const headers = request.get('headers')
  const lines = (Array.isArray(headers) ? headers : []).flatMap((line): HeaderLine[] => {
    const [name, value] = Array.isArray(line) ? line : []
    return Buffer.isBuffer(name) && Buffer.isBuffer(value) ? [[name.toString('latin1'), value.toString('latin1')]] : []
  })
  const content = request.get('content')
  const [method, target] = [text('method'), text('path')]
  if (method === '' || target === '') return []
  const time = request.get('timestamp_start')
  const entry = entryOf({
    method,
    target,
    headers: lines,
    protocol: text('scheme'),
    authority: text('authority') || undefined,
    body: Buffer.isBuffer(content) ? content : null
  })
  return [typeof time === 'number' && time > 0 ? { ...entry, time: Math.round(time * 1000) } : entry]
}

/** Reads tnetstrings: `LENGTH:DATA` and a letter for the type. Bounded in depth and in the number of values. */
function createReader() {
  let count = 0
  return function read(file: Buffer, at: number, depth: number): { value: Value; end: number } | undefined {
    assertWithin('JSON values', ++count)
    assertWithin('levels of nested JSON', depth)
    const [head, length] = /^(\d{1,9}):/.exec(file.toString('latin1', at, at + 10)) ?? []
    if (head === undefined) return undefined
    const start = at + head.length
    const end = start + Number(length)
    if (end >= file.length) return undefined
    const data = file.subarray(start, end)
    const done = (value: Value) => ({ value, end: end + 1 })
    const listIn = (): Value[] | undefined => {
      const values: Value[] = []
      for (let next = 0; next < data.length; ) {
        const found = read(data, next, depth + 1)
        if (found === undefined) return undefined
        values.push(found.value)
        next = found.end
      }
      return values
    }
    switch (String.fromCharCode(file[end]!)) {
      case ',':
      case ';':
        return done(data)
      case '#':
      case '^':
        return done(Number(data.toString('latin1')))
      case '!':
        return done(data.toString('latin1') === 'true')
      case '~':
        return done(null)
      case ']': {
        const list = listIn()
        return list && done(list)
      }
      case '}': {
        const list = listIn()
        if (list === undefined) return undefined
        const map = new Map<string, Value>()
        for (let i = 0; i + 1 < list.length; i += 2) map.set(String(list[i]), list[i + 1])
        return done(map)
      }
      default:
        return undefined
    }
  }
}
