import type { HeaderLine } from '../../http/request.ts'
import { type Entry, entryOf, withHost } from './capture.ts'
import { headerOf } from './http.ts'
import { splitUrl } from './json.ts'

/** A word of a POSIX shell; browsers write `$'...'` where a text has more than printable ASCII. */
const WORD = /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gs
const QUOTED = /\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

const unescapeAnsi = (text: string): string =>
  text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gis, (_, unit?: string, octet = unit, char = '') =>
    octet === undefined ? (CONTROLS[char] ?? char) : String.fromCharCode(Number.parseInt(octet, 16))
  )

const wordsIn = (text: string): string[] =>
  (text.replace(/\\\r?\n/g, ' ').match(WORD) ?? []).map(word =>
    word.replace(QUOTED, (_, ansi?: string, exact?: string, double?: string, char = '') =>
      ansi === undefined ? (exact ?? double?.replace(/\\(["\\$`])/g, '$1') ?? char) : unescapeAnsi(ansi)
    )
  )

/** Parses a curl command, as "copy as cURL" of browsers and of sites that inspect requests writes it. */
export function parseCurlCommand(text: string): Entry[] {
  const words = wordsIn(text)
  const after = (pattern: RegExp): string[] =>
    words.flatMap((word, i) => (i > 0 && pattern.test(words[i - 1]!) ? [word] : []))
  const url = words.find(word => /^https?:\/\//i.test(word))
  const data = after(/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/)
  // What stands in a file is not in the command.
  const isFile = data.some(part => part.startsWith('@'))
  const body = data.length === 0 || isFile ? undefined : Buffer.from(data.join('&'))
  if (url === undefined) return []
  const [method = data.length > 0 ? 'POST' : 'GET'] = after(/^(?:-X|--request)$/)
  const { target, authority, https } = splitUrl(url)
  const given = after(/^(?:-H|--header)$/).map(line => headerOf(Buffer.from(line).toString('latin1')))
  // curl writes it itself.
  const isCounted = body !== undefined && !given.some(([name]) => /^content-length$/i.test(name))
  const added: HeaderLine[] = isCounted ? [['Content-Length', `${body.length}`]] : []
  return [entryOf({ method, target, headers: withHost(authority, [...given, ...added]), body, https })]
}
