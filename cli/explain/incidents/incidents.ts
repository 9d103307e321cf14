import { lookupFromFlags } from '../../../flags/lookup.ts'
import { UsageError } from '../../../flags/usage-error.ts'
import { explainDiagnosis } from '../../../src/internal/index.ts'
import { readCapture } from '../../captures/read-capture.ts'
import { EXIT, type Io, MAX_BYTES, readBytes } from '../../command.ts'
import { explainCode, explainGatewayCode, isCode } from '../code.ts'
import { explainCapture } from '../explain-capture.ts'
import type { Flags } from '../flags.ts'
import { createCollection, type Incidents } from './groups.ts'
import { droppedLinesIn, incidentsIn } from './log-lines.ts'
import { incidentOfFile, listRecordedFiles } from './recorder-directory.ts'
import { groupCodeLines, incidentJson, incidentLines } from './report.ts'

/** Limits the characters of a line: longer ones are counted, and not read. */
const MAX_LINE = 1_048_576

/**
 * Finds out whether a file is a log: it has a record of `logRecord` in its first 16 MB, or is longer, and so no
 * capture. `chunks` gives all of the file all the same.
 */
export async function detectLog(
  source: AsyncGenerator<Buffer>
): Promise<{ isLog: boolean; chunks: AsyncGenerator<Buffer> }> {
  const read: Buffer[] = []
  let length = 0
  /** Leaves the source open when nobody reads on. */
  async function* beginning(): AsyncGenerator<Buffer> {
    while (length <= MAX_BYTES) {
      const { done, value } = await source.next()
      if (done) return
      read.push(value)
      length += value.length
      yield value
    }
  }
  let isLog = false
  for await (const line of linesOf(beginning())) {
    isLog = line !== TOO_LONG && incidentsIn(line).length > 0
    if (isLog) break
  }
  // A device may never end; an application logs no NUL.
  isLog ||= length > MAX_BYTES && !read.some(chunk => chunk.includes(0))
  async function* chunks(): AsyncGenerator<Buffer> {
    yield* read
    yield* source
  }
  return { isLog, chunks: chunks() }
}

/** Prints what was refused by a log, and explains the code of the largest group that the service signed. */
export async function explainLog(chunks: AsyncIterable<Buffer>, flags: Flags, io: Io): Promise<number> {
  const collection = createCollection(sinceOf(flags.since))
  let found = 0
  let dropped = 0
  let tooLong = 0
  for await (const line of linesOf(chunks)) {
    if (line === TOO_LONG) {
      tooLong += 1
      continue
    }
    for (const incident of incidentsIn(line)) {
      found += 1
      collection.add(incident)
    }
    dropped += droppedLinesIn(line)
  }
  if (found === 0) throw new UsageError('this is larger than 16 MB, and no log: it has no line of logRecord')
  const incidents = {
    ...collection.result(),
    ...(dropped > 0 && { dropped }),
    ...(tooLong > 0 && { tooLong })
  }
  const [largest] = incidents.groups
  if (flags.json) {
    const code = largest?.code ?? ''
    const explained = isCode(code) ? explainCode(code) : explainGatewayCode(code)
    io.print(incidentJson(incidents, explained))
  } else {
    io.print(incidentLines(incidents))
    if (largest !== undefined) io.print(['', ...groupCodeLines(largest)])
  }
  return exitOf(incidents)
}

/** Prints what was refused by a recorder's directory, and explains a request of the largest group. */
export async function explainDirectory(directory: string, flags: Flags, io: Io): Promise<number> {
  const collection = createCollection(sinceOf(flags.since))
  let unreadable = 0
  const { names, older } = listRecordedFiles(directory)
  for (const name of names) {
    const { incident, isReadable } = await incidentOfFile(directory, name, io)
    collection.add(incident, isReadable ? name : undefined)
    if (!isReadable) unreadable += 1
  }
  const incidents = {
    ...collection.result(),
    ...(unreadable > 0 && { unreadable }),
    ...(older > 0 && { older })
  }
  const example = incidents.groups.find(group => group.example !== undefined)?.example
  const explained = example === undefined ? undefined : await explainExample(directory, example, flags, io)
  if (flags.json) io.print(incidentJson(incidents, explained?.data))
  else {
    io.print(incidentLines(incidents))
    if (explained !== undefined) {
      io.print(['', `${directory.replace(/\/$/, '')}/${example}:`])
      for (const note of explained.notes) io.note(`note: ${note}`)
      io.print(explainDiagnosis(explained.diagnosis))
    }
  }
  return exitOf(incidents)
}

async function explainExample(directory: string, example: string, flags: Flags, io: Io) {
  const entries = readCapture(await readBytes(`${directory}/${example}`, 'FILE', io))
  return explainCapture(entries, flags, { lookupTxt: lookupFromFlags(flags) })
}

const exitOf = ({ groups }: Incidents): number => (groups.length === 0 ? EXIT.ok : EXIT.refused)

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Parses a time, or how long ago it was. @throws UsageError */
function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (unit !== undefined) return Date.now() - Number(count) * UNITS[unit as keyof typeof UNITS]
  // Date.parse takes a number for a month.
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new UsageError('--since takes a time such as 2026-11-24T03:00:00Z, or a duration such as 90s, 10m, 12h or 7d')
}

/** Stands for a line that is longer than `MAX_LINE`. */
const TOO_LONG = Symbol('a line that is too long')

/** Splits a file into its lines, as one character for each octet: records are ASCII. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | typeof TOO_LONG> {
  let decode: ((chunk: Buffer) => string) | undefined
  let rest = ''
  let isSkipped = false
  for await (const chunk of chunks) {
    decode ??= decoderFor(chunk)
    const lines = (rest + decode(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      yield isSkipped || line.length > MAX_LINE ? TOO_LONG : line
      isSkipped = false
    }
    if (rest.length <= MAX_LINE) continue
    rest = ''
    isSkipped = true
  }
  yield isSkipped ? TOO_LONG : rest
}

/** Chooses a decoder by the byte order mark: PowerShell writes UTF-16, or UTF-8 with a mark, with `>`. */
function decoderFor(start: Buffer): (chunk: Buffer) => string {
  const mark = start.toString('hex', 0, 3)
  const utf16 = mark.startsWith('fffe') ? 'utf-16le' : mark.startsWith('feff') ? 'utf-16be' : undefined
  if (utf16 !== undefined) {
    const decoder = new TextDecoder(utf16)
    return chunk => decoder.decode(chunk, { stream: true })
  }
  let isFirst = mark === 'efbbbf'
  return chunk => {
    const text = chunk.toString('latin1', isFirst ? 3 : 0)
    isFirst = false
    return text
  }
}
