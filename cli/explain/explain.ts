import { existsSync, statSync } from 'node:fs'
import { lookupFromFlags } from '../../flags/lookup.ts'
import { UsageError } from '../../flags/usage-error.ts'
import type { Code } from '../../src/index.ts'
import { asciiJson, explainDiagnosis } from '../../src/internal/index.ts'
import type { Entry } from '../captures/capture.ts'
import { formatNames } from '../captures/formats.ts'
import { fetchInspector, isAddress } from '../captures/inspector.ts'
import { readCapture } from '../captures/read-capture.ts'
import { EXIT, type Io, joinChunks, readBytes, readChunks } from '../command.ts'
import type { Command } from '../flags.ts'
import { codeLines, explainCode, explainGatewayCode, gatewayCodeLines, isCode, misspelledCode } from './code.ts'
import { explainCapture } from './explain-capture.ts'
import { FLAGS, type Flags } from './flags.ts'
import { detectLog, explainDirectory, explainLog } from './incidents/incidents.ts'

/** The command `signed-requests explain`. */
export const explain: Command<typeof FLAGS> = {
  about: [
    `Explains why a captured request was refused. FILE is any of these: ${formatNames()}; in UTF-8, or in UTF-16 ` +
      'with a byte order mark, at most 16 MB. Without FILE, or with -, reads standard input.',
    'Requires --domain, --host and --account, unless a fixture brings its own.',
    "DIR is a recorder's directory, and LOG a log with lines of logRecord, such as the gateway's or what pino, " +
      'Docker or CloudWatch make of them, of any size: prints what was refused, since when and how often, and ' +
      'explains the largest group that the service signed.',
    "CODE is a code of a verdict or of the gateway's log: prints its meaning, causes and fixes."
  ],
  argument: '[FILE|DIR|LOG|CODE]',
  flags: FLAGS,
  examples: [
    'npx signed-requests explain request.http --domain service.example \\\n--host receiver.example --account 1234',
    'npx signed-requests explain calls.har --entry 3 --now date \\\n' +
      '--domain service.example --host receiver.example --account 1234',
    'npx signed-requests explain fixture.json',
    'npx signed-requests explain refused/ --since 12h',
    'npx signed-requests explain date-too-old'
  ],
  exits: {
    0: 'verified; CODE is known; LOG or DIR: nothing that claims to be from the service was refused',
    1: 'rejected; LOG or DIR: something was refused',
    2: 'unavailable: DNS failed, the body is missing, or the key is from the file',
    64: 'usage error, or a file that cannot be read'
  },
  run
}

async function run(flags: Flags, io: Io, file: string): Promise<number> {
  if (isCode(file)) return runCode(file, flags, io)
  if (!existsSync(file)) {
    const ofGateway = explainGatewayCode(file)
    if (ofGateway !== undefined) {
      io.print(flags.json ? asciiJson(ofGateway) : gatewayCodeLines(ofGateway))
      return EXIT.ok
    }
    const misspelled = misspelledCode(file)
    if (misspelled !== undefined) throw misspelled
  }
  if (isAddress(file)) return explainEntries(readCapture(await fetchInspector(file)), flags, io)
  if (existsSync(file) && statSync(file).isDirectory()) return explainDirectory(file, flags, io)
  const { isLog, chunks } = await detectLog(readChunks(file || '-', 'FILE', io))
  if (isLog) return explainLog(chunks, flags, io)
  if (flags.since !== undefined)
    throw new UsageError('--since is for a log with lines of logRecord, or for a directory of a recorder')
  return explainEntries(readCapture(await joinChunks(chunks, file || '-', 'FILE')), flags, io)
}

async function explainEntries(entries: readonly Entry[], flags: Flags, io: Io): Promise<number> {
  const body = flags.body === undefined ? undefined : await readBytes(flags.body, '--body', io)
  const explained = await explainCapture(entries, flags, { body, lookupTxt: lookupFromFlags(flags) })
  const { status, keySource, notes, diagnosis, data } = explained
  if (keySource !== undefined && !flags.json) io.print(keySource)
  for (const note of notes) io.note(`note: ${note}`)
  io.print(flags.json ? asciiJson(data) : explainDiagnosis(diagnosis))
  return { verified: EXIT.ok, rejected: EXIT.refused, unavailable: EXIT.unknown }[status]
}

/** `explain CODE`; a file of that name is `./CODE`. */
function runCode(code: Code, { json }: Flags, io: Io): number {
  const explanation = explainCode(code)
  io.print(json ? asciiJson(explanation) : codeLines(explanation))
  return EXIT.ok
}
