import type { VectorJson } from '../../fixture/form.ts'
import { optionsOfVector, requestOfVector } from '../../fixture/setup.ts'
import type { HeaderLine } from '../../http/request.ts'
import { UsageError } from '../command.ts'
import { type Entry, entryOf, isObject, isText, type JsonObject, objectOr } from './capture.ts'

/** Any of these makes an object with a request a vector: other formats that wrap one have none of them. */
const OF_VECTORS = ['dns', 'options', 'verdict', 'now']

/** Every vector of a fixture document, or a single vector, each with its own options. Undefined for another shape. */
export function parseFixture(value: JsonObject): Entry[] | undefined {
  const { vectors = [value], request } = value
  const isVector = isObject(request) && ('https' in request || OF_VECTORS.some(name => name in value))
  if (!isVector && !('vectors' in value)) return undefined
  if (!Array.isArray(vectors) || vectors.length === 0) throw new UsageError('the fixture has no vectors')
  return vectors.map(found => {
    assertVector(found)
    const { request, name, ...context } = found
    const lines = Array.isArray(request.headers) ? request.headers : Object.entries(request.headers)
    const headers = lines.flatMap(([name, values]) =>
      [values].flat(1).map((value): HeaderLine => [name, value])
    )
    const received = requestOfVector({ request: { ...request, body: request.body ?? null } })
    return entryOf({ ...received, headers }, { options: optionsOfVector(context), name })
  })
}

/** What decides must have its form. @throws UsageError */
function assertVector(vector: unknown): asserts vector is VectorJson {
  const { request, options = {}, dns = {}, now = '2000-01-01', replayStore = 'empty' } = objectOr(vector)
  const { headers, body = null } = objectOr(request)
  const lines = isObject(headers) ? Object.entries(headers) : [headers].flat(1)
  const kinds = ['utf8', 'base64', 'error'].filter(kind => isText(objectOr(body)[kind]))
  const isBody = body === null || kinds.length === 1
  const isDns = isObject(dns) && Object.values(dns).every(isDnsReply)
  const isStore = ['empty', 'claimed', 'error'].includes(String(replayStore))
  const rules: readonly (readonly [isRight: boolean, name: string, form: string])[] = [
    [isObject(request), 'request', '{ method, target, headers, body, https }'],
    [lines.every(isHeader), 'request.headers', 'pairs of a name and a value, or an object'],
    [isBody, 'request.body', 'null, { "utf8": text }, { "base64": text } or { "error": code }'],
    [isObject(options) && isListOf(isText)(options['schemes'] ?? []), 'options', 'an object'],
    [isDns, 'dns', 'TXT records by name, [["v=DKIM1; p=..."]], or an error by name'],
    [!Number.isNaN(Date.parse(String(now))), 'now', 'a time, "2026-11-20T12:00:00Z"'],
    [isStore, 'replayStore', '"empty", "claimed" or "error"']
  ]
  const [, name, form] = rules.find(([isRight]) => !isRight) ?? []
  if (name !== undefined) throw new UsageError(`the ${name} of the fixture must be ${form}`)
}

const isListOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem)

const isDnsReply = (reply: unknown): boolean =>
  isObject(reply) ? isText(reply['error']) || reply['error'] === null : isListOf(isListOf(isText))(reply)

const isHeader = (line: unknown): boolean =>
  Array.isArray(line) && line.length === 2 && isText(line[0]) && [line[1]].flat(1).every(isText)
