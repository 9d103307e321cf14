import type { HeaderLine } from '../../src/internal/index.ts'
import { type Entry, entryOf, splitUrl } from './capture.ts'
import { type CommandReader, createCommandReader } from './command-reader.ts'
import { withLength } from './curl-command.ts'

/** Matches the commands, and their aliases in PowerShell. */
export const POWERSHELL =
  /^(?:\$\w+ = .*\n)?(?:\$session\..*\n)*\s*(?:\$\w+ = )?(?:Invoke-(?:WebRequest|RestMethod)|i[wr][rm])\s/im

/** A string, or the text between strings. */
interface Token {
  kind: 'string' | 'word' | 'mark'
  text: string
}

/** Parses commands of PowerShell, as "copy as PowerShell" of browsers writes them. */
export function parsePowerShell(text: string): Entry[] {
  const tokens = tokensOf(createCommandReader(text))
  const starts = tokens.flatMap(({ kind, text }, i) => (kind === 'word' && COMMAND.test(text) ? [i] : []))
  // The session, with User-Agent and cookies, is made before the first command.
  const session = sessionHeaders(tokens.slice(0, starts[0]))
  return starts.flatMap((start, i) => entriesOf(tokens.slice(start, starts[i + 1]), i === 0 ? session : []))
}

const COMMAND = /^(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)$/i

function entriesOf(tokens: readonly Token[], session: readonly HeaderLine[]): Entry[] {
  const uri = argumentOf(tokens, /^-Uri$/i)
  if (uri === undefined) return []
  const [body, type] = [argumentOf(tokens, /^-Body$/i), argumentOf(tokens, /^-ContentType$/i)]
  const bytes = body === undefined ? null : Buffer.from(body)
  const method = argumentOf(tokens, /^-Method$/i) ?? 'GET'
  const headers = [
    ...headersIn(tokens),
    ...session,
    ...(type === undefined ? [] : [['Content-Type', type] as const])
  ].map(([name, value]): HeaderLine => [latin1(name), latin1(value)])
  return [entryOf({ method, ...splitUrl(uri), headers: withLength(headers, bytes), body: bytes })]
}

/** Header values are octets, one per character. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

/**
 * Returns the argument of a parameter: a string, perhaps in `([System.Text.Encoding]::UTF8.GetBytes("..."))`, or a
 * word.
 */
function argumentOf(tokens: readonly Token[], parameter: RegExp): string | undefined {
  const at = tokens.findIndex(({ kind, text }) => kind === 'word' && parameter.test(text))
  if (at < 0) return undefined
  const next = tokens.slice(at + 1, at + 12)
  const found = next[0]?.text === '(' ? next.find(({ kind }) => kind === 'string') : next[0]
  return found?.text
}

/** Parses `-Headers @{ "name"="value" ... }`. */
function headersIn(tokens: readonly Token[]): HeaderLine[] {
  const at = tokens.findIndex(({ text }) => /^-Headers$/i.test(text))
  const open = at < 0 ? -1 : tokens.findIndex(({ text }, i) => i > at && text === '{')
  if (open < 0) return []
  const close = tokens.findIndex(({ kind, text }, i) => i > open && kind === 'mark' && text === '}')
  const inside = tokens.slice(open + 1, close < 0 ? undefined : close)
  return inside.flatMap(({ kind, text }, i) => {
    const [name, value] = [inside[i - 1], inside[i + 1]]
    return kind === 'mark' && text === '=' && name && value ? [[name.text, value.text] as const] : []
  })
}

/** Parses `$session.UserAgent = "..."`, and cookies as `System.Net.Cookie("name", "value", "/", "domain")`. */
function sessionHeaders(tokens: readonly Token[]): HeaderLine[] {
  const agent = tokens.findIndex(({ text }) => /^\$session\.UserAgent$/i.test(text))
  const cookies = tokens.flatMap(({ text }, i) => {
    const [name, value] = tokens.slice(i + 1, i + 5).filter(({ kind }) => kind === 'string')
    return /^System\.Net\.Cookie$/i.test(text) && name && value ? [`${name.text}=${value.text}`] : []
  })
  return [
    ...(agent < 0 ? [] : [['User-Agent', tokens[agent + 2]?.text ?? ''] as const]),
    ...(cookies.length === 0 ? [] : [['Cookie', cookies.join('; ')] as const])
  ]
}

function tokensOf(reader: CommandReader): Token[] {
  const tokens: Token[] = []
  while (!reader.isAtEnd()) {
    // A backtick before a line break continues the line.
    if (reader.take(/\s+|`\r?\n/y)) continue
    if (reader.take(/'/y)) tokens.push({ kind: 'string', text: verbatim(reader) })
    else if (reader.take(/"/y)) tokens.push({ kind: 'string', text: expandable(reader) })
    else {
      const word = reader.take(/[^\s"'`@{}()=;,]+/y)
      if (word !== undefined) tokens.push({ kind: 'word', text: word[0] })
      else tokens.push({ kind: 'mark', text: reader.take(/[`@{}()=;,]/y)![0] })
    }
  }
  return tokens
}

/** Takes a string in single quotes, after the first: all of it is text, and a single quote is doubled. */
function verbatim(reader: CommandReader): string {
  const parts: string[] = []
  for (;;) {
    if (reader.take(/''/y)) parts.push("'")
    else if (reader.take(/'|$/y)) return parts.join('')
    else parts.push(reader.take(/[^']+/y)![0])
  }
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0' }

/**
 * Takes a string in double quotes, after the first: escapes have a backtick, and browsers write other characters by
 * number.
 */
function expandable(reader: CommandReader): string {
  const parts: string[] = []
  for (;;) {
    if (reader.take(/""/y)) parts.push('"')
    else if (reader.take(/"|$/y)) return parts.join('')
    else {
      const [all, code, escaped] = reader.take(/\$\(\[char\](\d{1,5})\)|`([\s\S])|[^"`$]+|[`$]/y)!
      if (code !== undefined) parts.push(String.fromCharCode(Number(code)))
      else parts.push(escaped === undefined ? all : (CONTROLS[escaped] ?? escaped))
    }
  }
}
