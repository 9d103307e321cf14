import { type HeaderLine, lineValues } from '../../src/tools/index.ts'
import { type Entry, entryOf, splitUrl } from './capture.ts'
import { createCommandReader } from './command-reader.ts'
import { parseHeader } from './http.ts'

/** Parses curl commands, as "copy as cURL" of browsers and of sites that inspect requests writes them. */
export function parseCurlCommand(text: string): Entry[] {
  const words = isForCmd(text) ? wordsOfCmd(text) : wordsOfShell(text)
  const starts = words.flatMap((word, i) => (i > 0 && isStart(word) && ENDS.has(words[i - 1]!) ? [i] : []))
  return [0, ...starts].flatMap((start, i) => entriesOf(words.slice(start, starts[i])))
}

const isStart = (word: string): boolean => word === 'curl' || word === 'curl.exe'

/** What stands between two commands: ";" in a shell, "&" in cmd.exe. */
const ENDS: ReadonlySet<string> = new Set([';', '&'])

function entriesOf(words: readonly string[]): Entry[] {
  const after = (pattern: RegExp): string[] =>
    words.flatMap((word, i) => (i > 0 && pattern.test(words[i - 1]!) ? [word] : []))
  const url = words.find(word => /^https?:\/\//i.test(word))
  if (url === undefined) return []
  const data = after(/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/)
  const [method = data.length > 0 ? 'POST' : 'GET'] = after(/^(?:-X|--request)$/)
  const lines = after(/^(?:-H|--header)$/).map(headerOf)
  const cookies = after(/^(?:-b|--cookie)$/).map((value): HeaderLine => ['Cookie', value])
  // What stands in a file is not in the command.
  const isGiven = data.length > 0 && !data.some(part => part.startsWith('@'))
  const body = isGiven ? Buffer.from(data.join('&')) : null
  // A backslash keeps curl from reading brackets and braces as a pattern.
  const place = splitUrl(url.replace(/\\([[\]{}])/g, '$1'))
  return [entryOf({ method, ...place, headers: withLength([...lines, ...cookies], body), body })]
}

/** `Name;` is a header without a value: curl leaves `Name:` out. */
const headerOf = (line: string): HeaderLine =>
  parseHeader(Buffer.from(/^[^:;]+;$/.test(line) ? `${line.slice(0, -1)}:` : line).toString('latin1'))

/** What the program adds itself, of what may be signed; and without what browsers write of the fields of HTTP/2. */
export function withLength(headers: readonly HeaderLine[], body: Buffer | null): HeaderLine[] {
  const isHttp2 = lineValues(headers, 'authority').length > 0
  const kept = headers.filter(([name]) => !isHttp2 || !/^(?:authority|method|path|scheme)$/i.test(name))
  const isMissing = body !== null && lineValues(headers, 'content-length').length === 0
  return isMissing ? [...kept, ['Content-Length', String(body.length)]] : kept
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** The words of a POSIX shell; browsers write `$'...'` where a text has more than printable ASCII. */
function wordsOfShell(text: string): string[] {
  const reader = createCommandReader(text)
  const words = createWords()
  while (!reader.isAtEnd()) {
    // A line that goes on ends no word.
    if (reader.take(/\\\r?\n/y)) continue
    if (reader.take(/\s+/y)) {
      words.end()
      continue
    }
    const exact = reader.take(/'([^']*)'?/y)
    if (exact !== undefined) words.add(exact[1]!)
    else if (reader.take(/\$'/y)) {
      // Up to the quote, or to the end of a command that is cut off.
      while (!reader.take(/'|$/y)) {
        const [, run, unit, octet = unit, char = ''] = reader.take(ANSI)!
        const escaped = octet === undefined ? (CONTROLS[char] ?? char) : String.fromCharCode(Number.parseInt(octet, 16))
        words.add(run ?? escaped)
      }
    } else if (reader.take(/"/y)) {
      while (!reader.take(/"|$/y)) {
        const [all, escaped] = reader.take(/\\(["\\$`])|[^"\\]+|\\/y)!
        words.add(escaped ?? all)
      }
      words.add('')
    } else {
      const [all, escaped] = reader.take(/\\([\s\S])|[^\s'"\\$;]+|[\s\S]/y)!
      words.add(escaped ?? all)
    }
  }
  return words.all()
}

const ANSI = /([^'\\]+)|\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([\s\S]?))/iy

/** The first thing that is quoted tells: a shell has single quotes, cmd.exe `^"` or lines that go on with `^`. */
function isForCmd(text: string): boolean {
  const [quote = ''] = /\^"|["']/.exec(text) ?? []
  return quote === '^"' || (quote === '"' && /\^\r?\n|\s\^\s*$/.test(text))
}

/**
 * The words of a command for cmd.exe. Chrome, Edge and Firefox write `^"..."`: a caret before every character that
 * cmd.exe may know, a backslash before quotes and backslashes, and a line break as a caret and two line breaks. Older
 * versions write `"..."`: quotes are doubled, and a caret is text, except before a line break.
 */
function wordsOfCmd(text: string): string[] {
  const reader = createCommandReader(text)
  const words = createWords()
  // In between, they wrote carets inside "..." as well; doubled backslashes are never between two carets.
  const isEscaped = /\^"|"/.exec(text)?.[0] === '^"' || text.includes('^\\^"')
  let isQuoted = false
  while (!reader.isAtEnd()) {
    if (reader.take(/\^\r?\n/y)) {
      // The second line break is text, and begins no word of its own.
      if (reader.take(/\r?\n/y)) words.add('\n')
    } else if (!isQuoted && reader.take(/\s+/y)) words.end()
    else if (reader.take(isEscaped ? /\^?\\\^?"/y : /\\"/y)) words.add('"')
    else if (reader.take(isEscaped ? /\^?\\\^?\\/y : /\\\\/y)) words.add('\\')
    else if (!isEscaped && isQuoted && reader.take(/""/y)) words.add('"')
    else if (reader.take(isEscaped ? /\^?"/y : /"/y)) {
      isQuoted = !isQuoted
      words.add('')
    } else {
      const isCaret = (isEscaped || !isQuoted) && reader.take(/\^(?=[\s\S])/y) !== undefined
      const [found] = reader.take(isCaret ? /[\s\S]/y : /[^\s^"\\]+|[\s\S]/y)!
      words.add(found)
    }
  }
  return words.all()
}

/** Collects words from their parts. */
function createWords() {
  const words: string[] = []
  let parts: string[] | undefined
  const end = (): void => {
    if (parts !== undefined) words.push(parts.join(''))
    parts = undefined
  }
  return {
    add(part: string): void {
      parts ??= []
      parts.push(part)
    },
    end,
    all(): string[] {
      end()
      return words
    }
  }
}
