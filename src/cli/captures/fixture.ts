import type { HeaderLine } from '../../http/request.ts'
import type { VectorBody, VectorJson } from '../../testing/vector-form.ts'
import { optionsOfVector, requestOfVector } from '../../testing/vector-setup.ts'
import { UsageError } from '../usage.ts'
import type { Entry } from './capture.ts'
import { isObject, type JsonObject, own } from './json-object.ts'

/** A fixture document, or a single vector. Other formats that wrap a request have none of these properties. */
export function isFixture(value: JsonObject): boolean {
  if (Object.hasOwn(value, 'vectors')) return true
  const request = own(value, 'request')
  const names = ['dns', 'options', 'verdict', 'now']
  return (
    isObject(request) && (names.some(name => Object.hasOwn(value, name)) || Object.hasOwn(request, 'https'))
  )
}

/** Every vector of the document, each with its own options. */
export function parseFixture(value: JsonObject): Entry[] {
  const vectors = own(value, 'vectors') ?? [value]
  if (!Array.isArray(vectors) || !vectors.every(isObject)) {
    throw new UsageError('vectors must be an array of objects')
  }
  if (vectors.length === 0) throw new UsageError('the fixture has no vectors')
  return vectors.map(entryOfVector)
}

/** The vector of that name; without one, the only vector. */
export function chooseVector(entries: readonly Entry[], name: string | undefined): Entry {
  const [chosen, ...others] = name === undefined ? entries : entries.filter(entry => entry.name === name)
  if (chosen !== undefined && others.length === 0) return chosen
  const names = entries.map(entry => entry.name).join(', ')
  throw new UsageError(
    name === undefined ? `--vector is missing: one of ${names}` : `there is no vector ${name} among ${names}`
  )
}

function entryOfVector(vector: JsonObject): Entry {
  const { request, options, dns, now, accountsError, replayStore, name } = {
    ...vector
  } as unknown as Partial<VectorJson>
  if (!isObject(request)) throw new UsageError('the fixture has a vector without a request')
  if (options !== undefined && !isObject(options))
    throw new UsageError('the options of the fixture are not an object')
  if (dns !== undefined && !isDns(dns)) {
    throw new UsageError(
      'the dns of the fixture must have TXT records, [["v=DKIM1; p=..."]], or an error by name'
    )
  }
  if (now !== undefined && Number.isNaN(Date.parse(now)))
    throw new UsageError('the now of the fixture is not a time')
  if (replayStore !== undefined && !isStore(replayStore))
    throw new UsageError('the replayStore of the fixture is not "empty", "claimed" or "error"')
  return {
    request: {
      ...requestOfVector({
        request: { ...request, body: validateBody(request['body']) } as VectorJson['request']
      }),
      headers: headerLines(request['headers'])
    },
    isBodyMissing: false,
    options: optionsOfVector({
      ...(options !== undefined && { options }),
      ...(dns !== undefined && { dns }),
      ...(now !== undefined && { now }),
      ...(accountsError === true && { accountsError }),
      ...(replayStore !== undefined && { replayStore })
    }),
    notes: [],
    ...(typeof name === 'string' && { name })
  }
}

const isStore = (value: unknown): boolean => value === 'empty' || value === 'claimed' || value === 'error'

const isDns = (dns: unknown): boolean =>
  isObject(dns) &&
  Object.values(dns).every(
    answer =>
      (isObject(answer) && (typeof answer['error'] === 'string' || answer['error'] === null)) ||
      (Array.isArray(answer) &&
        answer.every(record => Array.isArray(record) && record.every(chunk => typeof chunk === 'string')))
  )

function validateBody(body: unknown): VectorBody | null {
  if (body === undefined || body === null) return null
  const kinds = isObject(body)
    ? ['utf8', 'base64', 'error'].filter(name => typeof own(body, name) === 'string')
    : []
  if (kinds.length === 1) return body as VectorBody
  throw new UsageError(
    'the body of the fixture must be null, { "utf8": text }, { "base64": text } or { "error": code }'
  )
}

/** Pairs, or a record as `node:http` returns it. */
function headerLines(headers: unknown): HeaderLine[] {
  const lines = Array.isArray(headers) ? headers : isObject(headers) ? Object.entries(headers) : undefined
  const pairs = lines?.flatMap(line =>
    Array.isArray(line) && line.length === 2 ? [line[1]].flat(1).map(value => [line[0], value]) : [undefined]
  )
  if (pairs?.every(pair => pair?.every(text => typeof text === 'string')))
    return pairs as unknown as HeaderLine[]
  throw new UsageError('the headers of the fixture must be pairs of a name and a value, or an object')
}
