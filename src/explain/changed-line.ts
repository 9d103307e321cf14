import type { EvidenceByCode } from '../verdict/evidence.ts'
import type { OpenedSignature } from './opened-signature.ts'

/** A line of the signing string as it was signed, and as it was received. */
export interface ChangedLine {
  /** from 1 */
  line: number
  signed: string
  received: string
  change: Change
  /** the prefix, or the header that has the original */
  detail?: string
}

/** What happened to a line on the way. */
export type Change =
  | 'prefix-stripped'
  | 'prefix-added'
  | 'rewritten'
  | 'query-dropped'
  | 'query-added'
  | 'slash'
  | 're-encoded'
  | 'method'
  | 'absolute'
  | 'host'
  | 'port'
  | 'protocol'
  | 'length'
  | 'charset'
  | 'list'
  | 'character'

/** A value that the line may have had when it was signed. */
type Candidate = readonly [value: string, change: Change, detail?: string]

/** What else is known of the request. */
interface Context {
  hosts: readonly string[]
  /** names in lower case */
  forwarded: readonly (readonly [name: string, value: string])[]
}

/** Candidates for the value of a line of this name, which is in lower case. */
type Guess = (name: string, value: string, context: Context) => Iterable<Candidate>

/**
 * How much a search may cost, in microseconds: an attacker who captured a signed head can trigger it as often as they
 * like.
 */
export const SEARCH_COST = 2500

/** For a person who waits for the answer. */
export const PATIENT_SEARCH_COST = 2_000_000

const MAX_LENGTH = 16_384
const MAX_LINES = 64

/**
 * Finds the one line that was changed after the key made its signature: tries what proxies, routers and parsers do to
 * lines, the likely first, and then other single characters, as far as the cost allows.
 *
 * @param onTry is called with each text that is tried
 */
export function findChangedLine(
  { signingString, hosts = [], forwarded = [] }: EvidenceByCode['signature-mismatch'],
  { isByKey, wasSigned, cost }: OpenedSignature,
  maxCost = SEARCH_COST,
  onTry: (text: string) => void = () => {}
): ChangedLine | undefined {
  const lines = signingString.split('\n', MAX_LINES + 1)
  if (isByKey === false || signingString.length > MAX_LENGTH || lines.length > MAX_LINES) return undefined
  const context = { hosts, forwarded: forwarded.map(splitHeader) }
  let left = maxCost

  for (const guess of isByKey ? [suggested, usual, lengths, characters, moreLengths] : [suggested, usual]) {
    for (const [i, received] of lines.entries()) {
      const start = received.indexOf(': ', 1) + 2
      const head = received.slice(0, start)
      const before =
        lines
          .slice(0, i)
          .map(line => `${line}\n`)
          .join('') + head
      const after = lines
        .slice(i + 1)
        .map(line => `\n${line}`)
        .join('')
      const name = head.slice(0, -2).replace(/^"|"$/g, '')
      for (const [value, change, detail] of guess(name, received.slice(start), context)) {
        const text = before + value + after
        left -= cost(text)
        if (left < 0) return undefined
        onTry(text)
        if (value !== received.slice(start) && wasSigned(text))
          return {
            line: i + 1,
            signed: head + value,
            received,
            change,
            ...(detail !== undefined && { detail })
          }
      }
    }
  }
  return undefined
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(': ')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const CHARSETS = ['', '; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8']

/** What the request itself suggests: originals in forwarding headers, configured hosts, other encodings. */
function* suggested(name: string, value: string, context: Context): Generator<Candidate> {
  const { hosts, forwarded } = context
  const target = splitTarget(name, value)
  if (target !== undefined) yield* within(target, originals(target.path, context), encodings(target.path))
  if (name === '(request-target)') {
    for (const method of METHODS) yield [value.replace(/^[^ ]*/, method), 'method']
  } else if (name === '@method') {
    for (const method of METHODS) yield [method.toUpperCase(), 'method']
  } else if (name === '@scheme') {
    yield [value === 'http' ? 'https' : 'http', 'protocol']
  } else if (name === '@target-uri') {
    yield [value.replace(/^https?/, found => (found === 'http' ? 'https' : 'http')), 'protocol']
  } else if (name === 'host' || name === '@authority') {
    const names = forwarded.filter(([header]) => /^x-(?:forwarded|original)-host$/.test(header))
    for (const host of [...names.map(([, original]) => original), ...hosts]) {
      yield [host, withoutPort(host) === withoutPort(value) ? 'port' : 'host']
    }
  } else if (name === 'content-type') {
    for (const charset of CHARSETS) yield [value.replace(/;.*/s, '') + charset, 'charset']
  }
}

/** Prefixes that proxies strip. */
const PREFIXES = ['hooks', 'hook', 'webhook', 'webhooks', 'api', 'v1', 'v2', 'v3', 'v4', 'callback']
const PORTS = ['', ':443', ':80', ':8443', ':8080', ':3000']

/** What proxies often do, without a sign of it in the request. */
function* usual(name: string, value: string): Generator<Candidate> {
  const target = splitTarget(name, value)
  if (target !== undefined) yield* within(target, prefixes(target.path), slashes(target.path))
  else if (name === 'host' || name === '@authority') {
    for (const port of PORTS) yield [withoutPort(value) + port, 'port']
  } else if (value.includes(',')) {
    yield [value.replace(/, /g, ','), 'list']
    yield [value.replace(/,(?! )/g, ', '), 'list']
    yield [value.slice(0, value.indexOf(',')), 'list']
    yield [value.slice(value.lastIndexOf(',') + 1).trim(), 'list']
    yield [value.slice(0, Math.floor(value.length / 2) - 1), 'list']
  }
}

interface Target {
  /** what stands before the target in the line's value */
  before: string
  path: string
}

function splitTarget(name: string, value: string): Target | undefined {
  const length =
    name === '(request-target)'
      ? value.indexOf(' ') + 1
      : name === '@request-target' || name === '@path'
        ? 0
        : name === '@target-uri'
          ? (/^[a-z]+:\/\/[^/?]*/.exec(value)?.[0].length ?? 0)
          : undefined
  return length === undefined ? undefined : { before: value.slice(0, length), path: value.slice(length) }
}

function* within({ before }: Target, ...lists: Iterable<Candidate>[]): Generator<Candidate> {
  for (const list of lists) for (const [path, ...rest] of list) yield [before + path, ...rest]
}

function* originals(path: string, { forwarded, hosts }: Context): Generator<Candidate> {
  for (const [header, value] of forwarded) {
    if (header === 'x-forwarded-prefix') {
      const prefix = value.replace(/\/$/, '')
      yield [prefix + path, 'prefix-stripped', prefix]
      if (path === '/') yield [prefix, 'prefix-stripped', prefix]
    } else if (/-(?:ur[il]|path)$/.test(header)) {
      const original = value.replace(/^https?:\/\/[^/?]*/, '')
      const isQuery = original.startsWith(`${path}?`)
      yield [original, isQuery ? 'query-dropped' : 'rewritten', header]
    }
  }
  yield [`${path}?`, 'query-dropped']
  if (path.includes('?')) yield [path.slice(0, path.indexOf('?')), 'query-added']
  for (const host of hosts) yield [`https://${host}${path}`, 'absolute']
}

/** What is written in one way or in another in a query. */
const RESERVED = /[:/@,;!'()*[\]|~]/g
const ENCODED_RESERVED = /%(?:3A|2F|40|2C|3B|21|27|28|29|2A|5B|5D|7C|7E)/gi

/** The path decoded, or encoded, once too often; its escapes in the other case; its query in another form. */
function* encodings(path: string): Generator<Candidate> {
  const [, start = '', query = ''] = /^([^?]*\??)(.*)$/s.exec(path) ?? []
  const escapeChar = (text: string) => `%${text.charCodeAt(0).toString(16).toUpperCase()}`
  const forms = [
    () => encodeURI(utf8(path)),
    () => encodeURI(path).replace(/%25/g, '%'),
    () => decodeURI(path),
    () => latin1(decodeURIComponent(path)),
    () => path.replace(/%[0-9a-f]{2}/gi, found => found.toUpperCase()),
    () => path.replace(/%[0-9a-f]{2}/gi, found => found.toLowerCase()),
    () => start + query.replace(/\+/g, '%20'),
    () => start + query.replace(/%20/g, '+'),
    () => start + query.replace(RESERVED, escapeChar),
    () => start + query.replace(ENCODED_RESERVED, decodeURIComponent),
    () => path.replace(/[^/?=&]+/g, part => encodeURIComponent(utf8(part)))
  ]
  for (const form of forms) {
    try {
      yield [form(), 're-encoded']
    } catch {
      // It has escapes that are not of UTF-8.
    }
  }
}

const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString()
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

function* prefixes(path: string): Generator<Candidate> {
  const roots = path === '/' ? ['/', ''] : [path]
  for (const outer of PREFIXES) {
    for (const prefix of [`/${outer}`, ...PREFIXES.map(inner => `/${outer}/${inner}`)]) {
      for (const root of roots) yield [prefix + root, 'prefix-stripped', prefix]
    }
  }
  let rest = path
  for (let n = 0; n < 3 && rest.indexOf('/', 1) > 0; n++) {
    rest = rest.slice(rest.indexOf('/', 1))
    yield [rest, 'prefix-added', path.slice(0, -rest.length)]
  }
}

/** A slash at the end of the path, or two in a row. */
function* slashes(path: string): Generator<Candidate> {
  const [, start = '', rest = ''] = /^([^?]*)(.*)$/s.exec(path) ?? []
  yield [start.endsWith('/') ? start.slice(0, -1) + rest : `${start}/${rest}`, 'slash']
  let at = -1
  for (let n = 0; n < 10; n++) {
    at = start.indexOf('/', at + 1)
    if (at === -1) return
    yield [`${path.slice(0, at)}/${path.slice(at)}`, 'slash']
  }
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

/** A Content-Length that something rewrote, together with the body. */
const lengthsUpTo = (near: number, highest: number): Guess =>
  function* (name, value) {
    const received = Number(value)
    if (name !== 'content-length' || !Number.isSafeInteger(received)) return
    for (let n = 1; n <= near; n++) {
      yield [String(received - n), 'length']
      yield [String(received + n), 'length']
    }
    for (let n = 0; n <= highest; n++) yield [String(n), 'length']
  }

const lengths = lengthsUpTo(200, 800)
const moreLengths = lengthsUpTo(0, 200_000)

/** Every value that one changed, removed or added printable character makes. */
function* characters(_: string, value: string): Generator<Candidate> {
  for (let at = 0; at <= value.length; at++) {
    const before = value.slice(0, at)
    const after = value.slice(at + 1)
    yield [before + after, 'character']
    for (let code = 0x20; code < 0x7f; code++) {
      const character = String.fromCharCode(code)
      yield [before + character + after, 'character']
      yield [before + character + value.slice(at), 'character']
    }
  }
}
