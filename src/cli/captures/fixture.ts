import type { VectorJson } from '../../fixture/form.ts'
import { optionsOfVector, requestOfVector } from '../../fixture/setup.ts'
import type { HeaderLine } from '../../http/request.ts'
import { UsageError } from '../command.ts'
import { type Entry, entryOf, isObject, type JsonObject } from './capture.ts'

const isText = (value: unknown): boolean => typeof value === 'string'

/** A fixture document, or a single vector. Other formats that wrap a request have none of these properties. */
export const isFixture = (value: JsonObject): boolean =>
  Object.hasOwn(value, 'vectors') ||
  (isObject(value['request']) &&
    (['dns', 'options', 'verdict', 'now'].some(name => Object.hasOwn(value, name)) ||
      Object.hasOwn(value['request'], 'https')))

/** Every vector of the document, each with its own options. */
export function parseFixture(value: JsonObject): Entry[] {
  const vectors = Object.hasOwn(value, 'vectors') ? value['vectors'] : [value]
  if (!Array.isArray(vectors) || !vectors.every(isObject))
    throw new UsageError('vectors must be an array of objects')
  if (vectors.length === 0) throw new UsageError('the fixture has no vectors')
  return vectors.map(entryOfVector)
}

/** The members of a vector that decide, and what each must be. */
const FORM: readonly (readonly [name: string, isRight: (value: unknown) => boolean, form: string])[] = [
  ['request', isObject, '{ method, target, headers, body, https }'],
  ['options', value => value === undefined || isObject(value), 'an object'],
  ['dns', isDns, 'TXT records by name, [["v=DKIM1; p=..."]], or an error by name'],
  [
    'now',
    value => value === undefined || !Number.isNaN(Date.parse(String(value))),
    'a time, "2026-11-20T12:00:00Z"'
  ],
  [
    'replayStore',
    value => [undefined, 'empty', 'claimed', 'error'].includes(value as undefined),
    '"empty", "claimed" or "error"'
  ]
]

function entryOfVector(vector: JsonObject): Entry {
  for (const [name, isRight, form] of FORM) {
    const value = Object.hasOwn(vector, name) ? vector[name] : undefined
    if (!isRight(value)) throw new UsageError(`the ${name} of the fixture must be ${form}`)
  }
  const json = { ...vector } as unknown as VectorJson
  const body = validateBody(json.request.body)
  const { name, now } = json
  return entryOf({
    ...requestOfVector({ request: { ...json.request, body } }),
    headers: headerLines(json.request.headers),
    options: optionsOfVector(json),
    ...(isText(name) && { name }),
    ...(now !== undefined && { time: Date.parse(now) })
  })
}

function isDns(dns: unknown): boolean {
  if (dns === undefined) return true
  const isRecord = (record: unknown) => Array.isArray(record) && record.every(isText)
  const isReply = (reply: unknown) =>
    isObject(reply)
      ? isText(reply['error']) || reply['error'] === null
      : Array.isArray(reply) && reply.every(isRecord)
  return isObject(dns) && Object.values(dns).every(isReply)
}

function validateBody(body: unknown = null): VectorJson['request']['body'] {
  const isRight =
    isObject(body) && ['utf8', 'base64', 'error'].filter(name => isText(body[name])).length === 1
  if (body === null || isRight) return body as VectorJson['request']['body']
  throw new UsageError(
    'the body of the fixture must be null, { "utf8": text }, { "base64": text } or { "error": code }'
  )
}

/** Pairs, or a record as `node:http` returns it. */
function headerLines(headers: unknown): HeaderLine[] {
  const lines = Array.isArray(headers) ? headers : isObject(headers) ? Object.entries(headers) : [undefined]
  return lines.flatMap(line => {
    const values: unknown[] = Array.isArray(line) && line.length === 2 ? [line[1]].flat(1) : [undefined]
    if (!values.every(isText) || !isText(line[0]))
      throw new UsageError('the headers of the fixture must be pairs of a name and a value, or an object')
    return values.map((value): HeaderLine => [line[0], value as string])
  })
}
