import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { asciiJson } from '../explain/text.ts'
import { UsageError } from './usage.ts'

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

/** Far larger than any webhook; it keeps a wrong file name, or an endless device, from filling the memory. */
const MAX_BYTES = 32 * 2 ** 20

/** The bytes of a file, or of standard input for `-`: all of them, or the first 32 MiB. */
export async function readStart(file: string, io: Io): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of file === '-' ? io.stdin : createReadStream(file)) {
      length += chunk.length
      chunks.push(Buffer.from(chunk))
      if (length > MAX_BYTES) break
    }
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? 'it broke off'}`)
  }
  return { bytes: Buffer.concat(chunks, Math.min(length, MAX_BYTES)), isCut: length > MAX_BYTES }
}

/** The same for a file that must be complete. */
export async function readBytes(file: string, io: Io): Promise<Buffer> {
  const { bytes, isCut } = await readStart(file, io)
  if (isCut) throw new UsageError(`${file} is larger than ${MAX_BYTES} bytes`)
  return bytes
}

export const printJson = (value: unknown, io: Io): void => io.print(asciiJson(value))
