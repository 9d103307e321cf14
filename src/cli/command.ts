import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'

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

/** Far larger than any webhook; it keeps a wrong file name, or an endless device, from filling the memory. */
const MAX_BYTES = 32 * 2 ** 20

/** What a person calls the errors of the file system. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied'
}

/**
 * The bytes of a file, or of standard input for `-`: all of them, or the first 32 MiB.
 *
 * @param option where the name was given, such as `--key`
 */
export async function readStart(
  file: string,
  option: string,
  io: Io
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of file === '-' ? io.stdin : createReadStream(file)) {
      length += chunk.length
      chunks.push(Buffer.from(chunk))
      if (length > MAX_BYTES) break
    }
  } catch (error) {
    const { code = 'it broke off' } = error as NodeJS.ErrnoException
    throw new UsageError(`cannot read ${file} (${option}): ${FILE_ERRORS[code] ?? code}`)
  }
  return { bytes: Buffer.concat(chunks, Math.min(length, MAX_BYTES)), isCut: length > MAX_BYTES }
}

/** The same for a file that must be complete. */
export async function readBytes(file: string, option: string, io: Io): Promise<Buffer> {
  const { bytes, isCut } = await readStart(file, option, io)
  if (isCut) throw new UsageError(`${file} (${option}) is larger than ${MAX_BYTES} bytes`)
  return bytes
}
