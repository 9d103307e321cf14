import { createHash } from 'node:crypto'
import { splitAbsoluteUrl } from '../core/http/uri.ts'
import type { EvidenceByCode } from '../core/result/evidence.ts'
import { type Made, openSignature, type SignatureForm } from './opened-signature.ts'
import { createSearchBudget } from './search-budget.ts'
import { escapeText } from './text.ts'

/** The changes that a line of the signing string may undergo on the way, and the mistakes of senders. */
export type LineChange = WayChange | SenderMistake

const MISTAKES = [
  'method-case',
  'absolute-url',
  'without-query',
  'date-moved',
  'names-case',
  'no-space',
  'line-ends',
  'last-newline',
  'literal-newlines',
  'joined',
  'line-order',
  'values-alone',
  'line-left-out',
  'hashed-twice',
  'http-version',
  'host-url',
  'digest-case',
  'no-target-label',
  'empty-query',
  'other-text',
  'values-case',
  'target-case',
  'decoded-target',
  'empty-host',
  'quotes'
] as const

/** Describes how a sender may write the signing string, or a line of it, against the standard. */
export type SenderMistake = (typeof MISTAKES)[number]

/** Of these, nothing was changed after it was signed. */
export const SENDER_MISTAKES: ReadonlySet<LineChange> = new Set(MISTAKES)

type WayChange =
  | 'prefix'
  | 'slash'
  | 'url'
  | 'added'
  | 'rewritten'
  | 'query'
  | 'encoding'
  | 'case'
  | 'host-case'
  | 'order'
  | 'method'
  | 'host'
  | 'port'
  | 'protocol'
  | 'length'
  | 'type'
  | 'list'
  | 'character'

/** The findings about a signature that did not verify. */
export interface Search {
  /** whether the key made it; undefined where that does not show */
  isByKey?: boolean | undefined
  /** how the key made it, where that is not how the named algorithm is made */
  made?: Made & { readonly isThisText: boolean }
  /** how the signature is written, where that is not base64 of its bytes */
  form?: SignatureForm
  /** how many bytes the signature has, where those of the key have another number */
  size?: { readonly received: number; readonly expected: number }
  /** a line of the signing string, counted from 1, as it was signed and as it was received: escaped and cut */
  changed?: { line: number; signed: string; received: string }
  change?: LineChange
  /** the prefix, or the header that has the original */
  detail?: string
}

/** Limits the cost of the search, in microseconds. */
export const SEARCH_COST = 2000

/** Limits the cost of the search where a person waits for the result. */
export const PATIENT_SEARCH_COST = 2_000_000

const MAX_LENGTH = 6000
const MAX_LINES = 64

/**
 * Finds the one line that was changed after the key made its signature: tries the changes that proxies, routers and
 * parsers make to lines, what senders write in another way and, where the signature shows its digest, other lengths and
 * single characters, as far as the cost allows. Says also whether the key made the signature at all, where that shows.
 */
export function findChangedLine(
  evidence: EvidenceByCode['signature-mismatch'],
  maxCost: number,
  opened = openSignature(evidence)
): Search {
  if (opened === undefined) return {}
  const { signingString } = evidence
  const { made, isOtherwiseMade, wasSigned, form, size } = opened
  const found = { isByKey: opened.isByKey, ...(form && { form }), ...(size && { size }) }
  if (made !== undefined && isOtherwiseMade)
    return { ...found, made: { ...made, isThisText: wasSigned(signingString) } }
  const isLong = signingString.length > MAX_LENGTH || signingString.split('\n').length > MAX_LINES
  if (found.isByKey === false || form !== undefined || size !== undefined || isLong) return found
  const budget = createSearchBudget(maxCost)
  const tries = (text: string): boolean | undefined => (budget.spend(opened.cost(text)) ? wasSigned(text) : undefined)

  const tried = new Set([signingString])
  for (const text of originals(evidence, found.isByKey === true)) {
    // Repeats are among the few first guesses, and looking up a long text costs as much as hashing it.
    if (tried.size < 100) {
      if (tried.has(text.signed)) continue
      tried.add(text.signed)
    }
    const isSigned = tries(text.signed)
    if (isSigned === undefined) return found
    if (!isSigned) continue
    const { change, detail, line } = text
    return {
      ...found,
      ...(opened.isRsa && { isByKey: true }),
      change,
      detail,
      ...(line !== undefined && { changed: lineOf(text.signed, signingString, line) })
    }
  }
  return found
}

/** A text that may have been signed, and how it was changed: in one line, or as a whole. */
interface Original {
  readonly signed: string
  readonly change: LineChange
  readonly detail: string
  readonly line?: number
}

/** Lists texts that may have been signed, the likely ones first. */
function* originals(evidence: EvidenceByCode['signature-mismatch'], showsDigest: boolean): Generator<Original> {
  const { signingString } = evidence
  const hints = hintsIn(evidence)
  const rules = [...SUGGESTED, ...COMMON, SENDERS, ...LIKELY, ...(showsDigest ? [RARE_SENDERS, ...EXHAUSTIVE] : [])]
  for (const rule of rules) {
    if (typeof rule === 'function') {
      for (const [change, signed, detail = ''] of rule(signingString))
        if (signed !== signingString) yield { signed, change, detail }
      continue
    }
    const [part, change, guess] = rule
    for (const { 1: head = '', 2: value = '', index } of signingString.matchAll(part)) {
      const start = index + head.length
      const [before, after] = [signingString.slice(0, start), signingString.slice(start + value.length)]
      const line = before.split('\n').length
      for (const found of guess(value, hints)) {
        const [original, detail] = typeof found === 'string' ? [found, ''] : found
        if (original !== value) yield { signed: before + original + after, change, detail, line }
      }
    }
  }
}

/** Returns a line of both texts, counted from 1, escaped and cut. */
function lineOf(signed: string, received: string, line: number): NonNullable<Search['changed']> {
  const [one, other] = [signed, received].map(text => escapeText(text.split('\n')[line - 1]!, 600))
  return { line, signed: one!, received: other! }
}

type Written = readonly [change: SenderMistake, signed: string, detail?: string]

/** Lists how senders write the whole signing string in another way than the standard says. */
function* SENDERS(text: string): Generator<Written> {
  yield ['last-newline', `${text}\n`]
  if (!text.includes('"@')) {
    yield ['names-case', text.replace(/^[a-z][a-z\d-]*(?=: )/gm, name => upper(name, /^[a-z]|-[a-z]/g))]
    yield ['names-case', text.replace(/^[a-z][a-z\d-]*(?=: )/gm, name => upper(upper(name, /^[a-z]|-[a-z]/g), /-id$/i))]
    yield ['no-space', text.replace(/^([^:\n]+): /gm, '$1:')]
    yield ['no-target-label', text.replace(/^\(request-target\): /m, '')]
  }
  yield ['line-ends', text.replaceAll('\n', '\r\n')]
}

/** Lines are tried in each order as long as these are few. */
const MAX_ORDERED = 5

/** Lists what few senders do, for a signature that shows its digest. */
function* RARE_SENDERS(text: string): Generator<Written> {
  const lines = text.split('\n')
  for (const [detail, write] of OTHER_TEXTS) yield ['other-text', write(text), detail]
  yield ['values-case', text.toLowerCase()]
  yield ['literal-newlines', lines.join('\\n')]
  for (const separator of ['', ' ', ', ', ',', '&', ';']) yield ['joined', lines.join(separator)]
  yield ['values-alone', text.replace(/^[^:\n]+: /gm, '')]
  for (const line of lines) yield ['line-left-out', lines.filter(each => each !== line).join('\n'), lineName(line)]
  for (const encoding of ['latin1', 'hex', 'base64'] as const)
    for (const hash of ['sha256', 'sha512'] as const)
      yield ['hashed-twice', createHash(hash).update(Buffer.from(text, 'latin1')).digest().toString(encoding)]
  const orders = lines.length > MAX_ORDERED ? [[...lines].sort(), [...lines].reverse()] : permutations(lines)
  for (const order of orders) yield ['line-order', order.join('\n')]
}

/** The forms in which programs hand on a text that they are to sign. */
const OTHER_TEXTS: readonly (readonly [form: string, write: (text: string) => string])[] = [
  ['UTF-16', text => Buffer.from(text, 'utf16le').toString('latin1')],
  ['UTF-16', text => Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('latin1')],
  ['UTF-8 with a byte order mark', text => `\xef\xbb\xbf${text}`],
  ['JSON, with quotes', text => JSON.stringify(text)],
  ['base64', text => Buffer.from(text, 'latin1').toString('base64')],
  ['hexadecimal', text => Buffer.from(text, 'latin1').toString('hex')]
]

const lineName = (line: string): string => line.split(':', 1)[0]!

/** Collects the hints of the request and the settings. */
function hintsIn({ hosts = [], forwarded = [], signingString }: EvidenceByCode['signature-mismatch']) {
  const lines = forwarded.map(line => line.split(/: (.*)/s) as [name: string, value: string])
  const linesNamed = (names: RegExp) => lines.filter(([name]) => names.test(name))
  return {
    host: /^host: (.*)$/m.exec(signingString)?.[1] ?? '',
    hosts: [...linesNamed(/-host$/i).map(([, host]) => host), ...hosts],
    ports: linesNamed(/-port$/i).map(([, port]) => port),
    targets: linesNamed(/-(?:ur[il]|path)$/i).map(([name, url]): Detailed => [withoutOrigin(url), name.toLowerCase()]),
    prefixes: linesNamed(/-prefix$/i).map(([, prefix]) => prefix.replace(/\/$/, ''))
  }
}

const withoutOrigin = (url: string): string => splitAbsoluteUrl(url)?.target ?? url
export const withoutPort = (host: string): string => host.replace(/:\d+$/, '')
const upper = (text: string, letters: RegExp): string => text.replace(letters, found => found.toUpperCase())

/** Prefixes that proxies strip. */
const PREFIXES = ['/', '/api/'].flatMap(root =>
  ['hooks', 'hook', 'webhook', 'webhooks', 'api', 'v1', 'v2', 'v3', 'v4', 'callback'].map(name => root + name)
)
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const PORTS = ['', ':443', ':80', ':8443', ':8080', ':3000']
const CHARSETS = ['', '; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8']
const JSON_TYPE = 'application/json'
const TYPES = [JSON_TYPE, `${JSON_TYPE}; charset=utf-8`, 'application/x-www-form-urlencoded', 'text/plain']

// Each matches a part of a line of either standard, after the text before that part.
const LOWER_METHOD = /^(\(request-target\): )(\S*)/gm
const METHOD = /^("@method": )(\S*)/gm
const PROTOCOL = /^("@scheme": |"@target-uri": )(https?)/gm
const PATH = /^(\(request-target\): \S* |"@target-uri": [a-z]+:\/\/[^/?\n]*|"@(?:path|request-target)": )([^\n]*)/gm
const HOST = /^("?host"?: |"@authority": |"@target-uri": [a-z]+:\/\/)([^/?\n]*)/gm
const TYPE = /^("?content-type"?: )([^\n]*)/gm
const LENGTH = /^("?content-length"?: )([^\n]*)/gm
// A Date has a comma and is not a list.
const DATE = /^("?date"?: )([^\n]*)/gm
const LIST = /^(?!\(|"@|"?date"?: )([^\n]+?: )([^\n]*)/gm
const DIGEST = /^("?digest"?: )([^\n=]*)/gm
const QUOTED = /^(?!"@)([^\n]+?: )("[^\n]*")$/gm
const LINE = /^([^\n]+?: )([^\n]*)/gm

type Detailed = readonly [value: string, detail: string]
type Guess = (received: string, hints: ReturnType<typeof hintsIn>) => Iterable<string | Detailed>

/** A part of a line, the change to it, and its possible values before that change, with the detail. */
type Rule = readonly [part: RegExp, change: LineChange, guess: Guess]

/** Undoes a proxy that took the prefix off the path. */
const stripped = (path: string, prefixes: readonly string[]): Detailed[] =>
  prefixes.map(prefix => [prefix + path, prefix])

/**
 * Rules that use the hints of the request and the settings. These guesses are few and come first: of a signature that
 * takes a whole verification for each guess, the cost allows about twenty.
 */
const SUGGESTED: readonly Rule[] = [
  [PATH, 'query', (path, { targets }) => targets.flat().filter(target => target.startsWith(`${path}?`))],
  [PATH, 'rewritten', (_, { targets }) => targets],
  [PATH, 'prefix', (path, { prefixes }) => stripped(path, prefixes)],
  // nginx and Apache make //in of /hooks/in when only one of their two paths ends in a slash; /hooks becomes /.
  [PATH, 'slash', (path, { prefixes }) => stripped(path.slice(1), prefixes)],
  [PATH, 'url', path => [withoutOrigin(path)]],
  [PROTOCOL, 'protocol', () => ['https']],
  [HOST, 'port', (host, { ports }) => ports.map(port => `${withoutPort(host)}:${port}`)],
  [HOST, 'host-case', (host, { hosts }) => hosts.filter(other => isSameName(other, host))],
  [HOST, 'host', (host, { hosts }) => hosts.filter(other => withoutPort(other) !== withoutPort(host))],
  [HOST, 'port', (host, { hosts }) => hosts.filter(other => withoutPort(other) === withoutPort(host))]
]

/**
 * Rules for what changes most often, with few guesses: what describes the body, Host, and then the target. Of an
 * Ed25519 signature, the cost allows about twenty guesses.
 */
const COMMON: readonly Rule[] = [
  [TYPE, 'type', type => [type.replace(/;.*/s, ''), `${type.replace(/;.*/s, '')}; charset=utf-8`]],
  [HOST, 'host-case', host => [upper(host, /^[a-z]|(?<=[.-])[a-z]/g), upper(host, /^[a-z]/)]],
  [HOST, 'port', host => [withoutPort(host) === host ? `${host}:443` : withoutPort(host)]],
  [LENGTH, 'length', length => [`${Number(length) + 1}`, `${Number(length) - 1}`]],
  // One guess, because a redirect makes GET of POST: the other methods are rare.
  [LOWER_METHOD, 'method', () => ['post']],
  [METHOD, 'method', () => ['POST']],
  [PATH, 'without-query', path => [path.replace(/\?.*/s, '')]],
  // A short path without escapes gives few guesses.
  [PATH, 'decoded-target', path => encodings(path).filter(other => /[^\x21-\x7e]/.test(other))],
  [PATH, 'encoding', encodings],
  [PATH, 'empty-query', path => [`${path}?`]],
  [PATH, 'added', path => [path.replace(/^\/[^/?]*(?=\/)/, '')]],
  [PATH, 'case', path => [path.replace(/^[^?]*/, start => upper(start, /\/[a-z]/g))]],
  [LOWER_METHOD, 'method-case', method => [method.toUpperCase()]],
  [PATH, 'absolute-url', (path, { host }) => (host === '' ? [] : [`https://${host}${path}`, `http://${host}${path}`])]
]

/** Rules for the changes that proxies, routers and parsers make: those with many guesses are last. */
const LIKELY: readonly Rule[] = [
  // A value without a comma gives no guess.
  [LIST, 'list', list => [list.replace(/, /g, ','), list.replace(/,(?! )/g, ', ')]],
  [LIST, 'list', list => [list.replace(/,.*/s, ''), list.replace(/^.*, */s, '')]],
  [HOST, 'port', host => PORTS.map(port => withoutPort(host) + port)],
  [TYPE, 'type', type => [...CHARSETS.map(charset => type.replace(/;.*/s, '') + charset), ...TYPES]],
  [PATH, 'prefix', path => stripped(path, PREFIXES)],
  [HOST, 'host-case', cases],
  [PATH, 'order', orders],
  [LOWER_METHOD, 'method', () => METHODS],
  [METHOD, 'method', () => METHODS.map(method => method.toUpperCase())],
  [PATH, 'slash', path => stripped(path.slice(1), PREFIXES)]
]

/**
 * Rules for a signature that shows its digest: they try all lengths and ports, and any one character. Those with few
 * guesses are first: all lengths take more than `SEARCH_COST`.
 */
const EXHAUSTIVE: readonly Rule[] = [
  [PATH, 'http-version', path => [`${path} HTTP/1.1`, `${path} HTTP/2`, `${path} HTTP/1.0`]],
  [HOST, 'empty-host', () => ['']],
  [PATH, 'target-case', path => [path.toLowerCase()]],
  [QUOTED, 'quotes', text => [text.replaceAll('"', '')]],
  [HOST, 'host-url', host => [`https://${host}`, `http://${host}`, `https://${host}/`]],
  [DIGEST, 'digest-case', name => [name.toLowerCase(), name.toUpperCase()]],
  [PATH, 'character', path => withoutOne(path, 64)],
  [HOST, 'host-case', otherLetters],
  [DATE, 'date-moved', dates],
  [LENGTH, 'length', otherLengths],
  [LINE, 'character', characters],
  [HOST, 'port', ports]
]

/** Lists the times up to two minutes before and after. */
function* dates(date: string): Generator<string> {
  const time = Date.parse(date)
  if (Number.isNaN(time)) return
  for (let n = 1; n <= 120; n++) for (const by of [n, -n]) yield new Date(time + by * 1000).toUTCString()
}

export const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/**
 * Writes each word of a host in lower case, with a capital or in capitals; of a host with many words, all words alike.
 */
function cases(host: string): string[] {
  const words = host.toLowerCase().split(/(?<=[.-])/)
  const forms = words.map(word => [upper(word, /^[a-z]/), word, word.toUpperCase()])
  if (words.length > 4) return [0, 1, 2].map(form => forms.map(all => all[form]!).join(''))
  return forms.reduce((starts, ends) => starts.flatMap(start => ends.map(end => start + end)), [''])
}

/** Writes one letter in the other case. */
function* otherLetters(host: string): Generator<string> {
  for (const { 0: letter, index } of host.matchAll(/[a-z]/gi)) {
    const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    yield host.slice(0, index) + other + host.slice(index + 1)
  }
}

/** Lists all orders of up to four parameters: some proxies and caches sort a query. */
function orders(path: string): string[] {
  const [start = '', query = ''] = path.split(/\?(.*)/s)
  const parts = query.split('&', 5)
  return parts.length > 4 ? [] : permutations(parts).map(order => `${start}?${order.join('&')}`)
}

const permutations = (parts: readonly string[]): (readonly string[])[] =>
  parts.length < 2
    ? [parts]
    : parts.flatMap((part, at) => permutations(parts.filter((_, i) => i !== at)).map(rest => [part, ...rest]))

const ESCAPES = /%[\da-f]{2}/gi

const decode = (text: string, escapes: RegExp): string =>
  text.replace(escapes, found => String.fromCharCode(Number.parseInt(found.slice(1), 16)))

/** Decodes or encodes once too often, with escapes in the other case, a query in another form, or another slash. */
function encodings(path: string): string[] {
  const [start = '', ...rest] = path.split(/(?=\?)/)
  const query = rest.join('')
  const utf8 = Buffer.from(path, 'latin1').toString()
  const slashes = [...start.matchAll(/\//g)].slice(0, 8)
  return [
    encodeURI(utf8),
    // This is what encodeURI does, for text that has escapes.
    encodeURI(Buffer.from(path).toString()).replace(/%25/g, '%'),
    // This is what decodeURI does, and what decodeURIComponent does.
    decode(path, /%(?!2[346bcf]|3[abdf]|40)[\da-f]{2}/gi),
    decode(path, ESCAPES),
    utf8.replace(/[^/?=&]+/g, encodeURIComponent),
    upper(path, ESCAPES),
    path.replace(ESCAPES, found => found.toLowerCase()),
    start + query.replace(/\+/g, '%20'),
    start + query.replace(/%20/g, '+'),
    // Escapes that one writer of URLs makes and another does not.
    start + query.replace(/[:/@,;!'()*[\]|~]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    start + decode(query, /%(?:3A|2F|40|2C|3B|21|27|28|29|2A|5B|5D|7C|7E)/gi),
    start.replace(/~/g, '%7E') + query,
    start.replace(/\/$/, '') + query,
    `${start}/${query}`,
    ...['//', '%2F', '%2f'].flatMap(was =>
      slashes.map(({ index }) => path.slice(0, index) + was + path.slice(index + 1))
    )
  ]
}

/** Lists lengths that are near, and small ones. */
function* otherLengths(received: string): Generator<string> {
  for (let n = 1; n <= 200; n++) yield* [`${Number(received) - n}`, `${Number(received) + n}`]
  for (let n = 0; n <= 20_000; n++) yield `${n}`
}

/** Lists every text that removing one character makes, up to a limit. */
const withoutOne = (text: string, most: number): string[] =>
  Array.from({ length: Math.min(text.length, most) }, (_, at) => text.slice(0, at) + text.slice(at + 1))

const PRINTABLE = /* @__PURE__ */ Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i))

/** Lists every text that one changed, removed or added character makes. */
function* characters(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)]
    for (const char of ['', ...PRINTABLE]) yield* [before + char + after.slice(1), before + char + after]
  }
}

function* ports(host: string): Generator<string> {
  for (let port = 1; port < 65_536; port++) yield `${withoutPort(host)}:${port}`
}
