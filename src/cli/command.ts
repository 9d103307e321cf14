import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { styleText } from 'node:util'

/** What a command sees of the process. */
export interface Io {
  stdin: Readable
  /** a line, or several, to the output */
  print: (text: string) => void
  /** a line on stderr */
  note: (text: string) => void
  /** may the output be coloured */
  color: boolean
  /** the environment variables */
  env: Readonly<Record<string, string | undefined>>
}

/** A mistake on the command line or in what it points to: one line on stderr, exit code 64 (EX_USAGE of sysexits.h). */
export class UsageError extends Error {}

/** What the process ends with; `usage` is that of sysexits.h. */
export const EXIT = { ok: 0, refused: 1, unknown: 2, usage: 64 } as const

/** How lines begin that mean something. */
const STYLES: readonly (readonly [beginning: RegExp, style: Parameters<typeof styleText>[0]])[] = [
  [/^(?:ok|verified|usable)\b/gm, 'green'],
  [/^(?:FAIL|rejected|unusable|changed: line \d+)\b/gm, 'red'],
  [/^(?:\?\?|unavailable\b)/gm, 'yellow'],
  [/^-- .*/gm, 'dim'],
  [/^ {2}(?:likely cause|fix):/gm, 'bold']
]

/**
 * The last line of defence: every command escapes text from outside, and this catches what one forgets. Only printable
 * ASCII and line ends are printed, with the beginnings of lines in colour where that is possible.
 */
export function guardOutput({ print, note, ...io }: Io): Io {
  const safe = (text: string) => text.replace(/[^\n -~]/g, '?')
  const paint = (text: string) => {
    let painted = text
    for (const [beginning, style] of STYLES)
      painted = painted.replace(beginning, found => styleText(style, found, { validateStream: false }))
    return painted
  }
  return {
    ...io,
    print: text => print(io.color ? paint(safe(text)) : safe(text)),
    note: text => note(safe(text))
  }
}

/** Far larger than any webhook; it keeps a wrong file name, or an endless device, from filling the memory. */
const MAX_BYTES = 32 * 2 ** 20

/**
 * The bytes of a file, or of standard input for `-`; of a capture that is larger, the first 32 MiB with a note.
 *
 * @param option where the name was given, such as `--key`; FILE for a capture
 */
export async function readBytes(file: string, option: string, io: Io): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = MAX_BYTES
  try {
    for await (const chunk of file === '-' ? io.stdin : createReadStream(file)) {
      chunks.push(Buffer.from(chunk).subarray(0, left))
      left -= chunk.length
      if (left < 0) break
    }
  } catch (error) {
    throw new UsageError(`cannot read ${file} (${option}): ${(error as Error).message}`)
  }
  if (left < 0 && option !== 'FILE') throw new UsageError(`${file} (${option}) is larger than 32 MiB`)
  if (left < 0) io.note('note: only the first 32 MiB of the file are read')
  return Buffer.concat(chunks)
}
