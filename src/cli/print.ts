import { styleText } from 'node:util'
import { asciiJson } from '../explain/text.ts'
import type { Io } from './command.ts'

type Style = Parameters<typeof styleText>[0]

/** How `explain` and the other commands begin the lines that mean something. */
const STYLES: readonly (readonly [beginning: RegExp, style: Style])[] = [
  [/^(?:ok|verified|usable)\b/, 'green'],
  [/^(?:FAIL|rejected|unusable|no|changed: line \d+)\b/, 'red'],
  [/^(?:\?\?|unavailable\b)/, 'yellow'],
  [/^-- .*/, 'dim'],
  [/^ {2}(?:likely cause|fix):/, 'bold'],
  [/^ {2,3}\d+\*.*/, 'yellow']
]

/** Prints a report, with the beginnings of its lines in colour where that is possible. */
export function printText(text: string, io: Io): void {
  const paint = (line: string) =>
    STYLES.reduce(
      (painted, [beginning, style]) =>
        painted.replace(beginning, found => styleText(style, found, { validateStream: false })),
      line
    )
  io.print(io.color ? text.split('\n').map(paint).join('\n') : text)
}

export const printJson = (value: unknown, io: Io): void => io.print(asciiJson(value))

/** A colour that `printText` set, or a character that must not reach a terminal. */
const STYLE_OR_OTHER = /(\x1b\[\d{1,2}m)|[^\n -~]/g

/**
 * The last line of defence: every command escapes text from outside, and this catches what one forgets. Only printable
 * ASCII, line ends and, where there are colours, their codes are printed.
 */
export function guardOutput(io: Io): Io {
  const safe = (text: string) => text.replace(STYLE_OR_OTHER, (_, style) => (io.color && style) || '?')
  return { ...io, print: text => io.print(safe(text)), note: text => io.note(safe(text)) }
}
