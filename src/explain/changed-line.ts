import type { EvidenceByCode } from '../verdict/evidence.ts'
import { openSignature } from './opened-signature.ts'
import { escapeText } from './text.ts'

/** What a signature that did not verify shows. */
export interface Search {
  /** whether the key made it; undefined where that does not show */
  isByKey?: boolean | undefined
  /** a line of the signing string, counted from 1, as it was signed and as it was received: escaped and cut */
  changed?: { line: number; signed: string; received: string }
  /** what happened to that line on the way: `change=...` in the table of causes */
  change?: string
  /** the prefix, or the header that has the original */
  detail?: string
}

/** A value that the line may have had when it was signed. */
type Candidate = readonly [value: string, change: string, detail?: string]

/** What else is known of the request; names of headers are in lower case. */
interface Context {
  hosts: readonly string[]
  forwarded: readonly (readonly [name: string, value: string])[]
}

/**
 * How much a search may cost, in microseconds: an attacker who captured a signed head can trigger it as often as they
 * like.
 */
export const SEARCH_COST = 2000

/** For a person who waits for the answer. */
export const PATIENT_SEARCH_COST = 2_000_000

const MAX_LENGTH = 16_384
const MAX_LINES = 64

/**
 * Finds the one line that was changed after the key made its signature: tries what proxies, routers and parsers do to
 * lines and, where the signature shows its digest, other lengths and single characters, as far as the cost allows. Says
 * also whether the key made the signature at all, where that shows.
 */
export function findChangedLine(
  evidence: EvidenceByCode['signature-mismatch'],
  maxCost: number,
  opened = openSignature(evidence)
): Search {
  if (opened === undefined) return {}
  const { signingString, hosts = [], forwarded = [] } = evidence
  const { isByKey, wasSigned, cost } = opened
  const lines = signingString.split('\n', MAX_LINES + 1)
  if (isByKey === false || signingString.length > MAX_LENGTH || lines.length > MAX_LINES) return { isByKey }
  const context = { hosts, forwarded: forwarded.map(splitHeader) }
  const order = lines.map((received, i) => {
    const head = received.slice(0, received.indexOf(': ', 1) + 2)
    return { i, received, head, name: head.slice(0, -2).replace(/^"|"$/g, '') }
  })
  order.sort((a, b) => rank(a.name) - rank(b.name))
  let left = maxCost

  for (const guess of isByKey ? [likely, others, ports] : [likely]) {
    for (const { i, received, head, name } of order) {
      const before = lines.slice(0, i).join('\n') + (i > 0 ? '\n' : '') + head
      const after = (i + 1 < lines.length ? '\n' : '') + lines.slice(i + 1).join('\n')
      for (const [value, change, detail = ''] of guess(name, received.slice(head.length), context)) {
        const text = before + value + after
        left -= cost(text)
        if (left < 0) return { isByKey }
        if (!wasSigned(text)) continue
        const changed = { line: i + 1, signed: shown(head + value), received: shown(received) }
        return { isByKey, changed, change, detail }
      }
    }
  }
  return { isByKey }
}

const shown = (line: string): string => escapeText(line, 600)

const splitHeader = (line: string): [string, string] => {
  const colon = line.indexOf(': ')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
}

const TARGET = /^(?:\(request-target\)|@request-target|@target-uri|@path)$/

/** The target has the most candidates, so it is tried last; a length has the fewest. */
const rank = (name: string): number => (name === 'content-length' ? 0 : TARGET.test(name) ? 2 : 1)

const isHost = (name: string): boolean => name === 'host' || name === '@authority'

const upper = (text: string, letters: RegExp): string => text.replace(letters, found => found.toUpperCase())

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const CHARSETS = ['', '; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8']
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded',
  'text/plain'
]
const PORTS = ['', ':443', ':80', ':8443', ':8080', ':3000']

/** What stands before the path. */
const STARTS: Readonly<Record<string, RegExp>> = {
  '(request-target)': /^\S* /,
  '@target-uri': /^[a-z]+:\/\/[^/?]*/
}

/** What the value may have been before a proxy, a router or a parser: what the request suggests, then what is usual. */
function likely(name: string, value: string, context: Context): readonly Candidate[] {
  if (TARGET.test(name)) {
    const start = STARTS[name]?.exec(value)?.[0] ?? ''
    const path = value.slice(start.length)
    return [
      ...paths(path, context).map(([before, ...rest]): Candidate => [start + before, ...rest]),
      ...METHODS.map((method): Candidate => [`${method} ${path}`, 'method']),
      [value.replace(/^http:/, 'https:'), 'protocol']
    ]
  }
  if (name === '@method') return METHODS.map(method => [method.toUpperCase(), 'method'])
  if (name === '@scheme') return [['https', 'protocol']]
  if (isHost(name)) {
    const host = withoutPort(value)
    const original = context.forwarded
      .filter(([header]) => header.endsWith('-host'))
      .map(([, other]) => other)
    const others = [...original, ...context.hosts, value.toLowerCase(), ...PORTS.map(port => host + port)]
    const found = others.map((other): Candidate => [other, withoutPort(other) === host ? 'port' : 'host'])
    return [...found, [upper(value, /(?:^|\.)[a-z]/g), 'case']]
  }
  if (name === 'content-type')
    return [
      ...CHARSETS.map((charset): Candidate => [value.replace(/;.*/s, '') + charset, 'charset']),
      ...TYPES.map((type): Candidate => [type, 'type'])
    ]
  if (!value.includes(',')) return []
  const joined = [value.replace(/, /g, ','), value.replace(/,(?! )/g, ', ')]
  const parts = [value.slice(0, value.indexOf(',')), value.slice(value.lastIndexOf(',') + 1).trim()]
  return [...joined, ...parts].map(other => [other, 'list'])
}

/** Prefixes that proxies strip. */
const PREFIXES = ['hooks', 'hook', 'webhook', 'webhooks', 'api', 'v1', 'v2', 'v3', 'v4', 'callback']

/** What a path with its query may have been. */
function paths(path: string, { forwarded }: Context): readonly Candidate[] {
  const [, start = '', query = ''] = /^([^?]*)(.*)$/s.exec(path) ?? []
  const given = forwarded.filter(([name]) => name === 'x-forwarded-prefix').map(([, prefix]) => prefix)
  const prefixes = [...given, ...['', '/api'].flatMap(root => PREFIXES.map(prefix => `${root}/${prefix}`))]
  return [
    ...forwarded
      .filter(([name]) => /-(?:ur[il]|path)$/.test(name))
      .map(([name, value]): Candidate => {
        const original = value.replace(/^https?:\/\/[^/?]*/, '')
        return [original, original.startsWith(`${path}?`) ? 'query' : 'rewritten', name]
      }),
    ...prefixes.map((prefix): Candidate => [prefix.replace(/\/$/, '') + path, 'prefix', prefix]),
    // nginx and Apache make //in of /hooks/in when only one of their two paths ends in a slash; /hooks becomes /.
    ...(/^\/(?:[/?]|$)/.test(path)
      ? prefixes.map((prefix): Candidate => [prefix + path.slice(1), 'slash', prefix])
      : []),
    [path.replace(/^https?:\/\/[^/?]*/, ''), 'url'],
    [start, 'query'],
    [`${path}?`, 'query'],
    ...encodings(path, start, query).map((other): Candidate => [other, 'encoding']),
    ...orders(query).map((other): Candidate => [`${start}?${other.join('&')}`, 'order']),
    [upper(start, /\/[a-z]/g) + query, 'case'],
    [path.slice(Math.max(path.indexOf('/', 1), 0)), 'added']
  ]
}

/** A query is sorted by some proxies and caches: all orders of up to four parameters. */
function orders(query: string): readonly string[][] {
  const parts = query.slice(1).split('&')
  const permute = (left: string[]): string[][] =>
    left.length < 2
      ? [left]
      : left.flatMap((part, at) => permute(left.filter((_, i) => i !== at)).map(rest => [part, ...rest]))
  return parts.length > 1 && parts.length <= 4 ? permute(parts) : []
}

/** What one writer of URLs escapes and another does not. */
const RESERVED = /[:/@,;!'()*[\]|~]/g
const ESCAPED = /%(?:3A|2F|40|2C|3B|21|27|28|29|2A|5B|5D|7C|7E)/gi

/** Decoded or encoded once too often, escapes in the other case, a query in another form, a slash at the end. */
function encodings(path: string, start: string, query: string): string[] {
  const utf8 = Buffer.from(path, 'latin1').toString()
  const forms = [
    () => encodeURI(utf8),
    () => encodeURI(path).replace(/%25/g, '%'),
    () => Buffer.from(decodeURI(path)).toString('latin1'),
    () => Buffer.from(decodeURIComponent(path)).toString('latin1'),
    () => utf8.replace(/[^/?=&]+/g, encodeURIComponent),
    () => path.replace(/%[0-9a-f]{2}/gi, found => found.toUpperCase()),
    () => path.replace(/%[0-9a-f]{2}/gi, found => found.toLowerCase()),
    () => start + query.replace(/\+/g, '%20'),
    () => start + query.replace(/%20/g, '+'),
    () => start + query.replace(RESERVED, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    () => start + query.replace(ESCAPED, decodeURIComponent),
    () => (start.endsWith('/') ? start.slice(0, -1) : `${start}/`) + query,
    () => start.replace(/~/g, '%7E') + query
  ]
  const slashes = [...start.matchAll(/\//g)].slice(0, 8)
  const doubled = slashes.map(({ index }) => `${path.slice(0, index)}/${path.slice(index)}`)
  const converted = forms.flatMap(form => {
    try {
      return [form()]
    } catch {
      return []
    }
  })
  return [...converted, ...doubled]
}

/** Every other length that is near or small, and every value that one changed, removed or added character makes. */
function* others(name: string, value: string): Generator<Candidate> {
  if (name === 'content-length') {
    for (let n = 1; n <= 200; n++)
      for (const near of [Number(value) - n, Number(value) + n]) yield [`${near}`, 'length']
    for (let n = 0; n <= 20_000; n++) yield [`${n}`, 'length']
  }
  for (let at = 0; at <= value.length; at++) {
    const before = value.slice(0, at)
    yield [before + value.slice(at + 1), 'character']
    for (let code = 0x20; code < 0x7f; code++) {
      const char = String.fromCharCode(code)
      yield [before + char + value.slice(at + 1), 'character']
      yield [before + char + value.slice(at), 'character']
    }
  }
}

function* ports(name: string, value: string): Generator<Candidate> {
  for (let port = 1; isHost(name) && port < 65_536; port++) yield [`${withoutPort(value)}:${port}`, 'port']
}
