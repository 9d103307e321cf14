/** The meaning of the start of a line. A terminal shows it in a colour. */
export type Tone = 'good' | 'bad' | 'undecided' | 'aside' | 'label'

/** A line of output, or several, with or without a start that has a tone; the rest may have such a start, too. */
export type Line = string | { readonly tone: Tone; readonly start: string; readonly rest: Line }

/** Gives a line that begins with `start` a tone for that start. */
export const withTone = (tone: Tone, start: string, line: string): Line => ({
  tone,
  start,
  rest: line.slice(start.length)
})

/** Marks lines that matter less. */
export const aside = (text: string): Line => ({ tone: 'aside', start: text, rest: '' })

export const withoutTones = (lines: readonly Line[]): string => lines.map(withoutTone).join('\n')

const withoutTone = (line: Line): string => (typeof line === 'string' ? line : line.start + withoutTone(line.rest))

/** The tone of a verdict, of a check and of a key. */
export const TONES = {
  verified: 'good',
  pass: 'good',
  usable: 'good',
  rejected: 'bad',
  fail: 'bad',
  unusable: 'bad',
  unavailable: 'undecided',
  'not-run': 'aside'
} as const satisfies Record<string, Tone>

/** Columns of a terminal. */
const WIDTH = 80

/**
 * Escapes text from the sender or from DNS as printable ASCII on one line, and cuts it: it cannot forge a line of a
 * log, control a terminal, or look like something else.
 */
export function escapeText(text: string, longest = 240): string {
  const more = text.length - longest
  const shown = text.slice(0, longest).replace(/[^ -~]|\\| $/g, escaped)
  return more > 0 ? `${shown}... (${more} more)` : shown
}

function escaped(character: string): string {
  if (character === '\\') return '\\\\'
  const hex = character.charCodeAt(0).toString(16)
  return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`
}

/** Wraps the text at spaces, after `first`; later lines are indented by its width. */
export const wrapWords = (first: string, text: string): string =>
  hangingIndent(
    first,
    text.match(new RegExp(`\\S.{0,${WIDTH - 1 - first.length}}(?= |$)|\\S{${WIDTH - first.length}}`, 'g'))
  )

/** Wraps text in which every space matters at any character. */
export const wrapExact = (first: string, text: string): string =>
  hangingIndent(first, text.match(new RegExp(`.{1,${WIDTH - first.length}}`, 'g')))

const hangingIndent = (first: string, lines: readonly string[] | null): string =>
  first + (lines ?? []).join(`\n${' '.repeat(first.length)}`)

/** Counts a unit: `1 byte`, `2 bytes`. */
export const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`

/** Writes a duration in the largest unit that gives at least two: `47 minutes`. */
export function duration(seconds: number): string {
  if (seconds < 120) return plural(Math.round(seconds), 'second')
  if (seconds < 7200) return plural(Math.round(seconds / 60), 'minute')
  if (seconds < 172_800) return plural(Math.round(seconds / 3600), 'hour')
  return plural(Math.round(seconds / 86_400), 'day')
}

/** Writes JSON of printable ASCII: text from outside cannot control a terminal, and the value stays the same. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /[^\n -~]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
