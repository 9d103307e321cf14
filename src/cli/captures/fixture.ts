import type { VectorJson } from '../../fixture/form.ts'
import { optionsOfVector, requestOfVector } from '../../fixture/setup.ts'
import type { HeaderLine } from '../../http/request.ts'
import { UsageError } from '../command.ts'
import { type Entry, entryOf, isObject, type JsonObject } from './capture.ts'

/** A fixture document, or a single vector. Other formats that wrap a request have none of these properties. */
export const isFixture = (value: JsonObject): boolean =>
  Object.hasOwn(value, 'vectors') ||
  (isObject(value['request']) &&
    (['dns', 'options', 'verdict', 'now'].some(name => Object.hasOwn(value, name)) ||
      Object.hasOwn(value['request'], 'https')))

/** Every vector of the document, each with its own options. */
export function parseFixture(value: JsonObject): Entry[] {
  const vectors = Object.hasOwn(value, 'vectors') ? value['vectors'] : [value]
  if (!Array.isArray(vectors) || vectors.length === 0) throw new UsageError('the fixture has no vectors')
  return vectors.map(vector => {
    const wrong = FORM.find(([name, , isRight]) => !isRight(isObject(vector) ? read(vector, name) : vector))
    if (wrong !== undefined) throw new UsageError(`the ${wrong[0]} of the fixture must be ${wrong[1]}`)
    const { request, name, ...context } = { ...vector } as VectorJson
    const lines = Array.isArray(request.headers) ? request.headers : Object.entries(request.headers)
    return entryOf({
      ...requestOfVector({ request: { ...request, body: request.body ?? null } }),
      headers: lines.flatMap(([name, values]) => [values].flat(1).map((value): HeaderLine => [name, value])),
      options: optionsOfVector(context),
      ...(isText(name) && { name }),
      ...(context.now !== undefined && { time: Date.parse(context.now) })
    })
  })
}

/** The member of a vector, or of its request. */
const read = (vector: JsonObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), vector)

const isText = (value: unknown): value is string => typeof value === 'string'

const isListOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem)

const isDnsReply = (reply: unknown): boolean =>
  isObject(reply) ? isText(reply['error']) || reply['error'] === null : isListOf(isListOf(isText))(reply)

const isHeader = (line: unknown): boolean =>
  Array.isArray(line) && line.length === 2 && isText(line[0]) && [line[1]].flat(1).every(isText)

/** What decides, and what it must be. */
const FORM: readonly (readonly [path: string, form: string, isRight: (value: unknown) => boolean])[] = [
  ['request', '{ method, target, headers, body, https }', isObject],
  [
    'request.headers',
    'pairs of a name and a value, or an object',
    value => (isObject(value) ? Object.entries(value) : [value].flat(1)).every(isHeader)
  ],
  [
    'request.body',
    'null, { "utf8": text }, { "base64": text } or { "error": code }',
    (body = null) =>
      body === null ||
      (isObject(body) && ['utf8', 'base64', 'error'].filter(name => isText(body[name])).length === 1)
  ],
  ['options', 'an object', (value = {}) => isObject(value) && isListOf(isText)(value['schemes'] ?? [])],
  [
    'dns',
    'TXT records by name, [["v=DKIM1; p=..."]], or an error by name',
    (dns = {}) => isObject(dns) && Object.values(dns).every(isDnsReply)
  ],
  ['now', 'a time, "2026-11-20T12:00:00Z"', (now = '2000-01-01') => !Number.isNaN(Date.parse(String(now)))],
  [
    'replayStore',
    '"empty", "claimed" or "error"',
    (store = 'empty') => ['empty', 'claimed', 'error'].includes(String(store))
  ]
]
