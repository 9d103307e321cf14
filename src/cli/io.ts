import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { UsageError } from './usage.ts'

/** What a command sees of the process. */
export interface Io {
  stdin: Readable
  /** a line, or several, to the output */
  print: (text: string) => void
  /** a line beside the output */
  note: (text: string) => void
  /** may the output be coloured */
  color: boolean
}

/** Far beyond any webhook; it keeps a wrong file name from filling the memory. */
const MAX_BYTES = 64 * 2 ** 20

/** The bytes of a file, or of standard input for `-`. */
export async function readBytes(file: string, io: Io): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of file === '-' ? io.stdin : createReadStream(file)) {
      length += chunk.length
      if (length > MAX_BYTES) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? 'it broke off'}`)
  }
  if (length > MAX_BYTES) throw new UsageError(`${file} is larger than ${MAX_BYTES} bytes`)
  return Buffer.concat(chunks)
}
