import { styleText } from 'node:util'
import type { Io } from './io.ts'

type Style = Parameters<typeof styleText>[0]

/** How `explain` and the other commands begin the lines that mean something. */
const STYLES: readonly (readonly [beginning: RegExp, style: Style])[] = [
  [/^(?:ok|verified|usable)\b/, 'green'],
  [/^(?:FAIL|rejected|unusable|changed: line \d+)\b/, 'red'],
  [/^(?:\?\?|unavailable\b)/, 'yellow'],
  [/^-- .*/, 'dim'],
  [/^ {2}(?:likely cause|fix):/, 'bold'],
  [/^ {2,3}\d+\*.*/, 'yellow']
]

/** Colours the beginnings of lines. */
const paint = (text: string): string =>
  text
    .split('\n')
    .map(line =>
      STYLES.reduce(
        (painted, [beginning, style]) =>
          painted.replace(beginning, found => styleText(style, found, { validateStream: false })),
        line
      )
    )
    .join('\n')

/** Prints a report, in colour where that is possible. */
export const printText = (text: string, io: Io): void => io.print(io.color ? paint(text) : text)
