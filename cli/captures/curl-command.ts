import { isIPv4 } from 'node:net'
import { UsageError } from '../../flags/usage-error.ts'
import { type HeaderLine, lineValues } from '../../src/internal/index.ts'
import { digestsIn, type Entry, entryOf, hasDigest } from './capture.ts'
import { parseCommands, type Word } from './command-words.ts'
import { type CurlData, type CurlRequest, readCurlArguments } from './curl-options.ts'
import { parseHeader } from './http.ts'

/**
 * Matches a file that begins with such a command, perhaps behind comments, the prompt of a shell and variables for it.
 */
export const CURL_COMMAND =
  /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:[$%] |PS [^>\n]*> ?|[A-Z]:\\[^>\n]*>)?(?:\w+=\S* )*(?:\S*\/)?curl(?:\.exe)?\s/i

/**
 * Parses curl commands, as people write them, and as "copy as cURL" of browsers and of sites that inspect requests do.
 *
 * @param text one octet a character
 * @throws UsageError for a command of which it is not clear what curl sends
 */
export function parseCurlCommand(text: string): Entry[] {
  const commands = parseCommands(text.replace(PROMPT, '$1'))
  return commands.flatMap(command => {
    const start = command.findIndex(word => !BEFORE_CURL.test(word.text))
    return start >= 0 && CURL.test(command[start]!.text) ? entriesOf(command.slice(start + 1)) : []
  })
}

const PROMPT = /^((?:[ \t]*(?:#[^\n]*)?\r?\n)*)[ \t]*(?:PS [^>\n]*> ?|[A-Z]:\\[^>\n]*>)/i
const BEFORE_CURL = /^(?:[$%]|\w+=.*|sudo|env|time|command|exec)$/s
const CURL = /^(?:.*[/\\])?curl(?:\.exe)?$/i

function entriesOf(words: readonly Word[]): Entry[] {
  for (const { problem } of words) if (problem !== undefined) throw new UsageError(`the curl command ${problem}`)
  const request = readCurlArguments(words.map(({ text }) => text))
  const [url, ...others] = request.urls
  if (url === undefined) return []
  if (others.length > 0)
    throw new UsageError(`the curl command has ${request.urls.length} URLs: leave only the one that you mean`)
  const body = bodyOf(request)
  const { protocol, authority, user, rest, target } = placeOf(url, request)
  const headers = headersOf(request, authority, user)
  const bodies = body?.texts?.map(text => Buffer.from(text, 'latin1')) ?? []
  const digests = digestsIn(headers)
  const matching = bodies.find(bytes => hasDigest(digests, bytes))
  const bytes = matching ?? bodies[0] ?? null
  const isChunked = lineValues(headers, 'transfer-encoding').some(value => /\bchunked\b/i.test(value))
  const isCounted = !isChunked && !isWritten(request, 'content-length')
  const isInFile = body !== undefined && body.texts === undefined
  const addsLength = isInFile && isCounted && lineValues(headers, 'transfer-encoding').length === 0
  return [
    entryOf({
      method: methodOf(request),
      target,
      protocol,
      headers: [...withLength(headers, isCounted ? bytes : null), ...typeOf(request)],
      body: bytes,
      lostBody: isInFile ? IN_FILE : undefined,
      // No digest decides how the query was written; --url-query is younger than the change.
      notes: [
        ...(bytes !== null && bytes !== bodies[0] ? [OLD_SPACES] : []),
        ...(request.isGet && request.data.some(({ before }) => before !== undefined) ? [SPACES] : []),
        ...(addsLength ? [COUNTED] : []),
        ...(request.target === undefined && !request.isPathAsIs && withoutDots(rest) !== rest ? [DOTS] : [])
      ]
    })
  ].map(entry => ({ ...entry, addsLength }))
}

const IN_FILE = 'the body is in a file that curl reads'
const COUNTED = 'curl adds the Content-Length of the file with the body'
const OLD_SPACES = 'the digest fits curl before 7.77, which writes a space of --data-urlencode as %20'
const DOTS = 'curl takes . and .. out of the path; --path-as-is in the command keeps them'
const SPACES = 'curl before 7.77 writes the spaces of --data-urlencode as %20; here they are +'

function methodOf({ method, isHead, isGet, upload, data }: CurlRequest): string {
  if (method !== undefined) return method
  if (isHead) return 'HEAD'
  if (upload !== undefined) return 'PUT'
  return data.length > 0 && !isGet ? 'POST' : 'GET'
}

/**
 * Returns the body in each form that a version of curl gives it, the newest first; no form of a body that is in a file.
 */
function bodyOf({ isHead, isGet, upload, data, range }: CurlRequest): { texts?: string[] } | undefined {
  const hasData = data.length > 0
  const isSent = hasData && !isGet
  if ((isSent && (isHead || upload !== undefined)) || (upload !== undefined && (isHead || isGet)))
    throw new UsageError('curl refuses this: use only one of --data, --head and --upload-file')
  if (!isSent && upload === undefined) return undefined
  if (range !== undefined)
    throw new UsageError('--range with a body is not supported: what curl sends depends on its version')
  const texts = [joined(data), joined(data.map(part => ({ ...part, text: part.before ?? part.text })))]
  return texts[0] === undefined || upload !== undefined ? {} : { texts: texts as string[] }
}

/** Joins the parts; undefined if one of them is in a file. */
function joined(parts: readonly CurlData[]): string | undefined {
  if (parts.some(({ text }) => text === undefined)) return undefined
  return parts.map(({ text, separator }, i) => (i === 0 ? text : separator + text)).join('')
}

/** Returns the URL that the request goes to, and the target on the wire. */
function placeOf(url: string, request: CurlRequest) {
  const { defaultProtocol = 'http' } = request
  const text = request.isGlobOff ? url : withoutGlobs(url)
  const [, scheme, authority = '', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/{1,3})?([^/?#]*)([^#]*)/is.exec(text)!
  const [, userInfo, host = '', digits] =
    /^(?:([^@]*)@)?(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{0,5}))?$/i.exec(authority) ?? []
  const protocol = (scheme ?? defaultProtocol).toLowerCase()
  if (host === '' || !/^https?$/.test(protocol) || (scheme === undefined && OTHER_PROTOCOL.test(host)))
    throw new UsageError('the URL of the curl command is not an HTTP URL: write it with https://')
  if (NUMBER.test(host) && !isIPv4(host))
    throw new UsageError('the URL of the curl command has an IP address in a form that curl rewrites: write it in full')
  const port = Number(digits || DEFAULT_PORTS[protocol])
  const target = request.target ?? withQuery(request.isPathAsIs ? rest : withoutDots(rest), request)
  if (!/^[!-~]+$/.test(target) && request.target === undefined)
    throw new UsageError(
      'the URL of the curl command has a space or a character beyond ASCII, which curl refuses or changes: write it ' +
        'percent-encoded'
    )
  return {
    protocol,
    authority: port === DEFAULT_PORTS[protocol] ? host : `${host}:${port}`,
    rest: rest.startsWith('/') ? rest : `/${rest}`,
    user: userInfo === undefined ? undefined : percentDecoded(userInfo.includes(':') ? userInfo : `${userInfo}:`),
    target
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

/** Matches the number at the end of an address such as 127.1; no name ends with a number. */
const NUMBER = /(?:^|\.)(?:\d+|0x[\da-f]*)$/i

/** Matches a name that means another protocol to curl, when the URL has no scheme. */
const OTHER_PROTOCOL = /^(?:ftp|dict|ldap|imap|smtp|pop3)\./i

const percentDecoded = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/**
 * Refuses a pattern for several URLs, which has brackets or braces. Those of an IPv6 address, `[]`, and those behind a
 * backslash are text.
 */
function withoutGlobs(url: string): string {
  const [, start = '', rest = ''] = /^((?:[a-z]+:\/\/)?(?:[^/?#[]*\[[0-9a-f:.]+\])?)(.*)$/is.exec(url)!
  if (/[[\]{}]/.test(rest.replace(/\\[[\]{}]|\[\]/g, '')))
    throw new UsageError('the URL of the curl command is a pattern for several URLs: write only the one that you mean')
  return start + rest.replace(/\\([[\]{}])/g, '$1')
}

/** Removes dot segments from the path alone (RFC 3986 section 5.2.4). */
function withoutDots(rest: string): string {
  const query = rest.indexOf('?')
  const path = (query < 0 ? rest : rest.slice(0, query)) || '/'
  const segments: string[] = []
  const all = path.split('/').slice(1)
  if (all.some(segment => segment.includes('%') && /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new UsageError('%2e segments in a path are not supported: whether curl removes them depends on its version')
  for (const [i, segment] of all.entries()) {
    const isLast = i === all.length - 1
    if (segment === '..') segments.pop()
    if (segment !== '.' && segment !== '..') segments.push(segment)
    else if (isLast) segments.push('')
  }
  return `/${segments.join('/')}${query < 0 ? '' : rest.slice(query)}`
}

/** Adds the parts of --get, --url-query and --upload-file to the target. */
function withQuery(target: string, { isGet, data, queries, upload }: CurlRequest): string {
  const parts = isGet ? data : []
  if (parts.length > 0 && queries.length > 0)
    throw new UsageError('--url-query with --get is not supported: what curl does depends on its version')
  const added = joined([...parts, ...queries])
  if (added === undefined) throw new UsageError('the query of the curl command is in a file: write it out')
  const at = target.indexOf('?')
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)]
  // A URL that ends with a slash gets the name of the file that is sent.
  const isFolder = upload !== undefined && !/^[-.]$/.test(upload) && (path === '' || path.endsWith('/'))
  const name = isFolder ? upload.replace(/^.*[/\\]/s, '') : ''
  if (!/^[\w.~-]*$/.test(name))
    throw new UsageError('curl adds the name of the file to this URL, percent-encoded: write the URL with it')
  const separator = added === '' || /^$|[?&]$/.test(query) ? '' : '&'
  return `${path || '/'}${name}${query === '' && added !== '' ? '?' : query}${separator}${added}`
}

/**
 * Lists the header lines that the command has or that its options make, except Content-Length and Content-Type of a
 * body.
 */
function headersOf(request: CurlRequest, authority: string, urlUser: string | undefined): HeaderLine[] {
  const { bearer, user = urlUser, agent, range, referer, cookies, upload } = request
  const basic = user === undefined ? undefined : `Basic ${Buffer.from(user, 'latin1').toString('base64')}`
  const made: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Host', authority],
    ['Authorization', bearer === undefined ? basic : `Bearer ${bearer}`],
    ['User-Agent', agent || undefined],
    ['Range', range && `bytes=${range}`],
    ['Referer', referer || undefined],
    ['Cookie', cookies.length > 0 ? cookies.join(';') : undefined],
    ['Accept', request.isJson ? 'application/json' : undefined],
    // Standard input has no length.
    ['Transfer-Encoding', upload === '-' || upload === '.' ? 'chunked' : undefined]
  ]
  const added = made.filter(([name, value]) => value !== undefined && !isWritten(request, name)) as HeaderLine[]
  const written = request.lines.flatMap(parseLine)
  // curl sends one Host, the first.
  const isSecondHost = ([name]: HeaderLine, i: number) =>
    name.toLowerCase() === 'host' && written.findIndex(([other]) => other.toLowerCase() === 'host') !== i
  const [host, others] = [added.filter(([name]) => name === 'Host'), added.filter(([name]) => name !== 'Host')]
  return [...host, ...written.filter((line, i) => !isSecondHost(line, i)), ...others]
}

/** Returns whether a line of --header replaces the one that curl would send; `Name:` does, too. */
const isWritten = ({ lines }: CurlRequest, name: string): boolean =>
  lines.some(line => new RegExp(`^${name}[:;]`, 'i').test(line))

/** Parses a line of --header. `Name;` is a header without a value; `Name:` and any other text are not sent. */
function parseLine(line: string): HeaderLine[] {
  const [, empty] = /^([^:;]*);$/.exec(line) ?? []
  if (empty !== undefined) return [[empty, '']]
  const [name, value] = parseHeader(line)
  const isSent = line.includes(':') && (value !== '' || /^host:[ \t]+$/i.test(line))
  return isSent ? [[name, value]] : []
}

/** Returns the type that curl gives to a body of --data. */
function typeOf(request: CurlRequest): HeaderLine[] {
  const { data, isGet, isJson } = request
  if (isWritten(request, 'content-type') || ((data.length === 0 || isGet) && !isJson)) return []
  return [['Content-Type', isJson ? 'application/json' : 'application/x-www-form-urlencoded']]
}

/**
 * Adds the Content-Length, which the program itself adds; drops pseudo-headers that browsers write among the headers.
 */
function withLength(headers: readonly HeaderLine[], body: Buffer | null): HeaderLine[] {
  const isHttp2 = lineValues(headers, 'authority').length > 0
  const sent = headers.filter(([name]) => !isHttp2 || !/^(?:authority|method|path|scheme)$/i.test(name))
  const isMissing = body !== null && lineValues(headers, 'content-length').length === 0
  return isMissing ? [...sent, ['Content-Length', String(body.length)]] : sent
}
