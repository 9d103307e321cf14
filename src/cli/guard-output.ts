import type { Io } from './io.ts'

/** A colour that `paint` set, or a character that must not reach a terminal. */
const STYLE_OR_OTHER = /(\x1b\[\d{1,2}m)|[^\n -~]/g

/**
 * The last line of defence: every command escapes text from outside, and this catches what one forgets. Only printable
 * ASCII, line ends and, where there are colours, their codes are printed.
 */
export function guardOutput(io: Io): Io {
  const safe = (text: string) => text.replace(STYLE_OR_OTHER, (_, style) => (io.color && style) || '?')
  return { ...io, print: text => io.print(safe(text)), note: text => io.note(safe(text)) }
}
