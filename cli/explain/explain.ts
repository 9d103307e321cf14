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
    `Says for every check whether a captured request passes, and why not. FILE is any of these: ${formatNames()}; in ` +
      'UTF-8, or in UTF-16 with a byte order mark. Without FILE, or for -, standard input is read, at most 16 MB.',
    '--domain, --host and --account are required; a fixture brings its own.',
    "For a recorder's directory, or a log with lines of logRecord (the gateway's JSON log, or what pino, winston, " +
      'CloudWatch, Docker, journald and others make of them), prints what was refused, since when and how often, and ' +
      'explains the largest group that the service signed. A log may have any size.',
    "For a code instead of FILE, such as key-not-found of a verdict or one of the gateway's log, says what it " +
      'means, its causes and fixes.'
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
    0: 'verified, or a code; of a log or directory: nothing that claims to be from the service was refused',
    1: 'rejected; of a log or directory: something was refused',
    2: 'unavailable: it cannot be decided now, or without the body, or the key is from the file',
    64: 'a mistake on the command line, or a file that cannot be read'
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
