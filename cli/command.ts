import { accessSync, constants, createReadStream, existsSync, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { styleText } from 'node:util'
import { UsageError } from '../flags/usage-error.ts'
import type { Line, Tone } from '../src/internal/index.ts'

/** The input and output of the process. */
export interface Terminal {
  stdin: Readable
  /** a line, or several, to the output */
  print: (text: string) => void
  /** a line on stderr */
  note: (text: string) => void
  /** shows the current step to a person at a terminal */
  progress?: (text: string) => void
  /** whether the output may be coloured */
  color: boolean
  /** the environment variables */
  env: Readonly<Record<string, string | undefined>>
}

/** The part of the process that a command uses. */
export interface Io extends Omit<Terminal, 'print' | 'color'> {
  /** prints one line, or several */
  print: (lines: Line | readonly Line[]) => void
}

/** The exit codes of the process; `usage` is that of sysexits.h. */
export const EXIT = { ok: 0, refused: 1, unknown: 2, usage: 64 } as const

const STYLES = {
  good: 'green',
  bad: 'red',
  undecided: 'yellow',
  aside: 'dim',
  label: 'bold'
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>

/**
 * Replaces text that a command forgot to escape: only printable ASCII and line ends are printed, and the tones of lines
 * as colours where that is possible.
 */
export function guardOutput({ print, note, progress, color, ...io }: Terminal): Io {
  const safe = (text: string) => text.replace(/[^\n -~]/g, '?')
  const shown = (line: Line): string => {
    if (typeof line === 'string') return safe(line)
    const start = safe(line.start)
    return (color ? styleText(STYLES[line.tone], start, { validateStream: false }) : start) + shown(line.rest)
  }
  return {
    ...io,
    print: lines => print([lines].flat().map(shown).join('\n')),
    note: text => note(safe(text)),
    ...(progress && { progress: (text: string) => progress(safe(text)) })
  }
}

/** Larger than any webhook; a wrong file name, or an endless device, cannot fill the memory. */
export const MAX_BYTES = 16 * 2 ** 20

/** Limits the milliseconds that a named pipe may stay silent: it may have no writer. */
const PIPE_TIMEOUT = 3000

/**
 * Reads the bytes of a file, or of standard input for `-`.
 *
 * @param option where the name was given, such as `--key`; FILE or `--request` for a capture
 * @throws UsageError for what cannot be read, or is larger than 16 MB
 */
export const readBytes = (file: string, option: string, io: Io): Promise<Buffer> =>
  joinChunks(readChunks(file, option, io), file, option)

/** Joins the chunks of a file. @throws UsageError for more than 16 MB */
export async function joinChunks(chunks: AsyncIterable<Buffer>, file: string, option: string): Promise<Buffer> {
  const all: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    all.push(chunk)
    length += chunk.length
    if (length > MAX_BYTES) break
  }
  const hint = option === 'FILE' || option === '--request' ? ': save the one request in a file of its own' : ''
  if (length > MAX_BYTES) throw new UsageError(`${file} (${option}) is larger than 16 MB${hint}`)
  return Buffer.concat(all)
}

/** Reads a file, or standard input for `-`, chunk by chunk. @throws UsageError for what cannot be read */
export async function* readChunks(file: string, option: string, io: Io): AsyncGenerator<Buffer> {
  try {
    yield* file === '-' ? io.stdin : openFile(file)
  } catch (error) {
    throw cannotRead(file, option, error as Error)
  }
}

/** Throws for a file that cannot be read, before another program gets its name and prints it. */
export function assertReadable(file: string, option: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    throw cannotRead(file, option, error as Error)
  }
}

/** Makes the error of a file; the messages of Node.js end with the operation and the name. */
function cannotRead(file: string, option: string, { message }: Error): UsageError {
  if (isPath(file)) return new UsageError(`cannot read ${file} (${option}): ${message}`)
  const place = option === 'FILE' ? option : `the file of ${option}`
  return new UsageError(`cannot read ${place}: ${message.replace(/, \w+ '.*$/s, '')}`)
}

/**
 * Returns whether a text may be repeated: it is a file, or it looks like the path of a file. Any other text can be a
 * token in the wrong place.
 */
const isPath = (text: string): boolean =>
  existsSync(text) || /^(?:\.{0,2}\/)?(?:[\w.-]{1,40}\/)*(?:(?<=\/)[\w.-]{1,40}|[\w-]{1,40}\.[a-z]{2,5})$/.test(text)

/** Opens a file. For a named pipe this does not wait for a writer, which may never come. */
function openFile(file: string): Readable {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  if (!fstatSync(fd).isFIFO()) return createReadStream(file, { fd })
  const pipe = new Socket({ fd, readable: true, writable: false })
  const reason = 'this pipe sent nothing for 3 seconds; standard input (-) waits without limit'
  return pipe.setTimeout(PIPE_TIMEOUT, () => pipe.destroy(new Error(reason)))
}
