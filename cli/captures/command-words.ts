import { createCommandReader } from './command-reader.ts'

/** A word of a command, one octet a character. */
export interface Word {
  readonly text: string
  /** the reason why the program gets another or an unknown text */
  readonly problem?: string
}

const EXPANDED = 'has a variable or a command in it, which the shell replaces: write its value instead'
const BRACES = 'has braces without quotes, which the shell expands: put it into single quotes'
const ENDED = 'has & without quotes, which ends it in a shell: put the URL into single quotes'
const CUT_OFF = 'ends inside quotes: is the command cut off?'
const HERE_DOCUMENT = 'is followed by a here-document: save the request as raw HTTP'

/** Splits a text into the commands and words of a POSIX shell, or of cmd.exe, whichever it is written for. */
export const parseCommands = (text: string): Word[][] => (isForCmd(text) ? commandsOfCmd(text) : commandsOfShell(text))

/** Decides by the first quote: a shell has single quotes, cmd.exe has `^"`, or `^` at the end of a continued line. */
function isForCmd(text: string): boolean {
  const quote = /\^"|["']/.exec(text)?.[0]
  return quote === '^"' || (quote === '"' && /\^\r?\n/.test(text))
}

/** Splits by POSIX.1-2017, Shell Command Language, section 2, and by the additions of bash: browsers write `$'...'`. */
function commandsOfShell(text: string): Word[][] {
  const reader = createCommandReader(text)
  const words = createWords()
  while (!reader.isAtEnd()) {
    // A continued line does not end a word; a space behind the backslash is a mistake of copying.
    if (reader.take(/\\[ \t]*\r?\n/y)) continue
    // An option at the start of a line shows that the line before is continued, although its backslash was lost.
    if (reader.take(/[ \t\r]+|\n(?=[ \t]*-)/y)) words.end()
    else if (!words.isOpen() && reader.take(/#[^\n]*/y)) continue
    else if (reader.take(/<<[^\n]*/y)) words.addProblem(HERE_DOCUMENT)
    else if (reader.take(/&?>[>|&]?|</y)) words.redirect()
    else if (words.isOpen() && reader.take(/&(?=[^\s&|;>])/y)) words.addProblem(ENDED)
    else if (reader.take(/[\n;|&()]/y)) words.endCommand()
    else if (!takeQuoted(reader, words) && !takeExpansion(reader, words)) {
      const [all, escaped] = reader.take(/\\([\s\S])|[^ \t\r\n'"\\$`;|&<>()]+|[\\$]/y)!
      words.add(escaped ?? all, escaped === undefined)
    }
  }
  return words.all()
}

type Reader = ReturnType<typeof createCommandReader>
type Words = ReturnType<typeof createWords>

/** Takes a string in any of the quotes of bash. */
function takeQuoted(reader: Reader, words: Words): boolean {
  const exact = reader.take(/'([^']*)('?)/y)
  if (exact !== undefined) {
    words.add(exact[1]!)
    if (exact[2] === '') words.addProblem(CUT_OFF)
  } else if (reader.take(/\$'/y)) {
    words.add('')
    while (!reader.take(/'/y)) {
      if (reader.isAtEnd()) return words.addProblem(CUT_OFF)
      words.add(reader.take(/[^'\\]+/y)?.[0] ?? takeEscape(reader))
    }
  } else if (reader.take(/\$?"/y)) {
    words.add('')
    while (!reader.take(/"/y)) {
      if (reader.isAtEnd()) return words.addProblem(CUT_OFF)
      if (reader.take(/\\\r?\n/y) || takeExpansion(reader, words)) continue
      const [all, escaped] = reader.take(/\\(["\\$`])|[^"\\$`]+|[\\$]/y)!
      words.add(escaped ?? all)
    }
  } else return false
  return true
}

const takeExpansion = (reader: Reader, words: Words): boolean =>
  reader.take(/\$(?=[A-Za-z_0-9{(*@#?$!-])|`/y) !== undefined && words.addProblem(EXPANDED)

const CONTROLS: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' }
}

/** Takes an escape of `$'...'`. Browsers write a character beyond the first 65,536 as two `\u`. */
function takeEscape(reader: Reader): string {
  const units = reader.take(/(?:\\u[0-9a-fA-F]{1,4})+/y)
  if (units !== undefined) {
    const codes = units[0].slice(2).split('\\u')
    return octetsOf(String.fromCharCode(...codes.map(code => Number.parseInt(code, 16))))
  }
  const [all, wide, octet, octal, control, other] = reader.take(
    /\\(?:U([0-9a-fA-F]{1,8})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|c([\s\S])|(.?))/y
  )!
  if (wide !== undefined) return octetsOf(codePoint(Number.parseInt(wide, 16)))
  if (octet !== undefined) return String.fromCharCode(Number.parseInt(octet, 16))
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f)
  return CONTROLS[other!] ?? all
}

const octetsOf = (text: string): string => Buffer.from(text).toString('latin1')
const codePoint = (code: number): string => (code > 0x10_ffff ? '\ufffd' : String.fromCodePoint(code))

/**
 * Splits the commands of a text for cmd.exe. Chrome, Edge and Firefox write `^"..."`: a caret before every character
 * that cmd.exe may know, a backslash before quotes and backslashes, and a line break as a caret and two line breaks.
 * Older versions write `"..."`: quotes are doubled, and a caret is text, except before a line break.
 */
function commandsOfCmd(text: string): Word[][] {
  const reader = createCommandReader(text)
  const words = createWords()
  // In between, they wrote carets inside "..." as well; doubled backslashes are never between two carets.
  const isEscaped = /\^"|"/.exec(text)![0] === '^"' || text.includes('^\\^"')
  let isQuoted = false
  while (!reader.isAtEnd()) {
    if (reader.take(/\^\r?\n/y)) {
      // The second line break is text, and begins no word of its own.
      if (reader.take(/\r?\n/y)) words.add('\n')
    } else if (!isQuoted && reader.take(/[ \t\r]+|\n(?=[ \t]*-)/y)) words.end()
    else if (!isQuoted && words.isOpen() && reader.take(/&(?=[^\s&|;>])/y)) words.addProblem(ENDED)
    else if (!isQuoted && reader.take(/[\n&|]/y)) words.endCommand()
    else if (reader.take(isEscaped ? /\^?\\\^?"/y : /\\"/y)) words.add('"')
    else if (reader.take(isEscaped ? /\^?\\\^?\\/y : /\\\\/y)) words.add('\\')
    else if (!isEscaped && isQuoted && reader.take(/""/y)) words.add('"')
    else if (reader.take(isEscaped ? /\^?"/y : /"/y)) {
      isQuoted = !isQuoted
      words.add('')
    } else {
      const isCaret = (isEscaped || !isQuoted) && reader.take(/\^(?=[\s\S])/y) !== undefined
      const [found] = reader.take(isCaret ? /[\s\S]/y : /[^ \t\r\n^"\\&|]+|[\s\S]/y)!
      words.add(found)
    }
  }
  if (isQuoted) words.addProblem(CUT_OFF)
  return words.all()
}

/** Collects commands from their words, and words from their parts. */
function createWords() {
  const commands: Word[][] = []
  let words: Word[] = []
  let parts: string[] | undefined
  // The text outside quotes, in which the shell looks for braces.
  let bare: string[] = []
  let problem: string | undefined
  let isRedirected = false
  const end = (): void => {
    if (parts === undefined) return
    problem ??= hasBraces(bare.join('')) ? BRACES : undefined
    if (!isRedirected) words.push({ text: parts.join(''), ...(problem !== undefined && { problem }) })
    isRedirected = false
    parts = undefined
    problem = undefined
    bare = []
  }
  const endCommand = (): void => {
    end()
    isRedirected = false
    if (words.length > 0) commands.push(words)
    words = []
  }
  return {
    add(part: string, isBare = false): void {
      parts ??= []
      parts.push(part)
      if (isBare) bare.push(part)
    },
    addProblem(found: string): true {
      parts ??= []
      problem ??= found
      return true
    },
    isOpen: () => parts !== undefined,
    /** The next word is a file for the output or input; digits before it are its number. */
    redirect(): void {
      if (parts !== undefined && /^\d+$/.test(parts.join(''))) parts = undefined
      end()
      isRedirected = true
    },
    end,
    endCommand,
    all(): Word[][] {
      endCommand()
      return commands
    }
  }
}

/** Returns whether bash makes several words of this, as of `{a,b}` and `{1..9}`. */
function hasBraces(bare: string): boolean {
  const inside = bare.slice(bare.indexOf('{') + 1, Math.max(bare.lastIndexOf('}'), 0))
  return bare.includes('{') && /,|\.\./.test(inside)
}
