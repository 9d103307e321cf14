import { existsSync } from 'node:fs'
import { lookupOf } from '../../flags/lookup.ts'
import type { Code } from '../../src/index.ts'
import { asciiJson, explainDiagnosis } from '../../src/internal/index.ts'
import { FORMATS, readCapture } from '../captures/read-capture.ts'
import { EXIT, type Io, readBytes } from '../command.ts'
import type { Command } from '../flags.ts'
import { codeLines, explainCode, explainGatewayCode, gatewayCodeLines, isCode, misspelledCode } from './code.ts'
import { explainCapture } from './explain-capture.ts'
import { FLAGS, type Flags } from './flags.ts'

/** The command `signed-requests explain`. */
export const explain: Command<typeof FLAGS> = {
  about: [
    `Says for every check whether a captured request passes, and why not. FILE is any of these: ${FORMATS}; in ` +
      'UTF-8, or in UTF-16 with a byte order mark. Without FILE, or for -, standard input is read, at most 16 MB.',
    '--domain, --host and --account are required; a fixture brings its own.',
    "For a code instead of FILE, such as key-not-found of a verdict or one of the gateway's log, says what it " +
      'means, its causes and fixes.'
  ],
  argument: '[FILE]',
  flags: FLAGS,
  examples: [
    'npx signed-requests explain request.http --domain service.example \\\n--host receiver.example --account 1234',
    'npx signed-requests explain calls.har --entry 3 --now date \\\n' +
      '--domain service.example --host receiver.example --account 1234',
    'npx signed-requests explain fixture.json',
    'npx signed-requests explain date-too-old'
  ],
  exits: {
    0: 'verified, or a code',
    1: 'rejected',
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
  const entries = readCapture(await readBytes(file || '-', 'FILE', io))
  const body = flags.body === undefined ? undefined : await readBytes(flags.body, '--body', io)
  const explained = await explainCapture(entries, flags, { body, lookupTxt: lookupOf(flags) })
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
