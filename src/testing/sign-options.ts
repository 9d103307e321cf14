import { describe } from '../mistakes/describe.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import type { SchemeName } from '../verdict/verdict.ts'

/** What to send; everything has a default. */
export interface SignRequest {
  /** `POST` with a body, `GET` without one */
  method?: string
  /** `/` by default */
  target?: string
  /** the Host header; the one in the test service's `options.hosts` by default */
  host?: string
  /** none by default */
  body?: string | Uint8Array | null
  /** headers to add, or to replace the service's own of the same name; undefined leaves that one out */
  headers?: Readonly<Record<string, string | undefined>> | Iterable<readonly [name: string, value: string]>
  /** the Date header: a date, milliseconds since 1970, or its text; now by default */
  date?: Date | number | string
  /**
   * the covered names, in this order and case; by default what the service signs, if it is present. A component of RFC
   * 9421 is its name, or with parameters as in `@query-param;name="id"`
   */
  covered?: readonly string[]
  /** the standard to sign by; `draft-cavage` by default */
  scheme?: SchemeName
}

const OPTION_NAMES: readonly (keyof SignRequest)[] = [
  'method',
  'target',
  'host',
  'body',
  'headers',
  'date',
  'covered',
  'scheme'
]

/** What people write, and the option that it means. */
const OTHER_NAMES: ReadonlyMap<string, keyof SignRequest> = new Map([
  ['path', 'target'],
  ['url', 'target'],
  ['uri', 'target'],
  ['verb', 'method'],
  ['payload', 'body'],
  ['data', 'body'],
  ['json', 'body'],
  ['header', 'headers']
])

/** With the headers as pairs: an iterable may be read only once. */
export interface ValidSignRequest extends Omit<SignRequest, 'headers'> {
  headers: readonly (readonly [name: string, value: string | undefined])[]
}

/**
 * The options of `sign` as the caller wrote them: a misspelled one would sign another request than intended.
 *
 * @throws TypeError
 */
export function validateSignRequest(request: SignRequest): ValidSignRequest {
  for (const name of Object.keys(request ?? {})) {
    const own = OTHER_NAMES.get(name)
    if (own !== undefined) {
      throw new TypeError(`sign() has no option ${describe(name)}: write ${own}, such as ${EXAMPLES[own]}`)
    }
  }
  const own = ownOptions('sign', request, OPTION_NAMES)
  const { method, target, host, body, headers, date, covered, scheme } = own
  expect('method', method, 'a string', isText)
  expect('host', host, 'a string', isText)
  expect('date', date, 'a Date, milliseconds since 1970 or text', isDate)
  expect('covered', covered, 'an array of names', value => Array.isArray(value) && value.every(isText))
  expect('scheme', scheme, 'the name of a standard', isScheme)
  checkTarget(target)
  checkBody(body)
  return { ...own, headers: headerPairs(headers) }
}

const EXAMPLES: Readonly<Record<keyof SignRequest, string>> = {
  method: 'method: "POST"',
  target: 'target: "/hook?id=1"',
  host: 'host: "receiver.example"',
  body: 'body: JSON.stringify({ id: 1 })',
  headers: 'headers: { "Content-Type": "text/plain" }',
  date: 'date: new Date()',
  covered: 'covered: ["(request-target)", "host", "date"]',
  scheme: 'scheme: "rfc9421", or "draft-cavage"'
}

function expect(
  name: keyof SignRequest,
  value: unknown,
  expected: string,
  isRight: (value: unknown) => boolean
): void {
  if (value === undefined || isRight(value)) return
  throw new TypeError(`${name} is ${describe(value)}: pass ${expected}, such as ${EXAMPLES[name]}`)
}

const isText = (value: unknown): boolean => typeof value === 'string'

const isScheme = (value: unknown): boolean => value === 'draft-cavage' || value === 'rfc9421'

const isDate = (value: unknown): boolean =>
  typeof value === 'string' ||
  ((value instanceof Date || typeof value === 'number') && !Number.isNaN(new Date(value).getTime()))

function headerPairs(headers: SignRequest['headers']): ValidSignRequest['headers'] {
  if (headers === undefined) return []
  const isObject = typeof headers === 'object' && headers !== null
  const lines: unknown[] = !isObject
    ? []
    : Symbol.iterator in headers
      ? [...headers]
      : Object.entries(headers)
  const bad = isObject ? lines.find(line => !isPair(line)) : headers
  if (isObject && bad === undefined) return lines as unknown as ValidSignRequest['headers']
  throw new TypeError(
    `headers has ${describe(Array.isArray(bad) ? bad[1] : bad)}${Array.isArray(bad) ? ` for ${describe(bad[0])}` : ''}: ` +
      `pass an object of names and strings, or pairs, such as ${EXAMPLES.headers}`
  )
}

const isPair = (line: unknown): boolean =>
  Array.isArray(line) && line.length === 2 && isText(line[0]) && (line[1] === undefined || isText(line[1]))

/** RFC 9112 section 3.2: origin-form, or the asterisk of OPTIONS. */
function checkTarget(target: unknown): void {
  if (target === undefined || (typeof target === 'string' && /^(?:\/|\*$)/.test(target))) return
  const path =
    typeof target === 'string' ? `"/${target.replace(/^[a-z]+:\/\/[^/]*\/?/i, '')}"` : '"/hook?id=1"'
  throw new TypeError(
    `target is ${describe(target)}: pass the path and query as they are sent, with a slash at the start: write ` +
      `target: ${path}`
  )
}

function checkBody(body: unknown): void {
  if (body === undefined || body === null || typeof body === 'string' || body instanceof Uint8Array) return
  throw new TypeError(
    `body is ${describe(body)}: the digest is over bytes, so pass a string or a Uint8Array: write ` +
      'body: JSON.stringify(value)'
  )
}
