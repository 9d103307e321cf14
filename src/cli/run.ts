import { readFileSync } from 'node:fs'
import { visible } from '../explain/text.ts'
import { conformanceCommand } from './conformance.ts'
import { explainCommand } from './explain.ts'
import type { Io } from './io.ts'
import { keyCommand } from './key.ts'
import { sendCommand } from './send.ts'
import { EXIT, UsageError } from './usage.ts'

const HELP = `Usage: signed-requests <command> [options]

  explain FILE   why was this captured request refused?
  conformance    run the vectors against a verifier in any language
  key NAME       look a key record up and describe it
  send URL       sign a request and send it to a receiver under development

Each has --help; --version says which version this is.
Exit codes: 0 verified, 1 rejected, 2 unavailable, 64 usage.
Colours only in a terminal, and not with NO_COLOR.`

const COMMANDS: Readonly<Record<string, (args: string[], io: Io) => Promise<number>>> = {
  conformance: conformanceCommand,
  explain: explainCommand,
  key: keyCommand,
  send: sendCommand
}

/** Runs one command. Resolves to the exit code; what is wrong with the usage is one line. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const [name = '', ...rest] = args
  if (name === '--help' || name === '-h') {
    io.print(HELP)
    return 0
  }
  if (name === '--version') {
    io.print(version())
    return 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  try {
    if (command === undefined) {
      throw new UsageError(
        name === ''
          ? 'a command is missing; see --help'
          : `there is no command ${JSON.stringify(name)}; see --help`
      )
    }
    return await command(rest, io)
  } catch (error) {
    io.note(`signed-requests: ${oneLine(error)}`)
    return error instanceof UsageError || error instanceof TypeError ? EXIT.usage : EXIT.internal
  }
}

function version(): string {
  const about = new URL(import.meta.resolve('signed-requests/package.json'))
  return JSON.parse(readFileSync(about, 'utf8')).version
}

/** Node's own messages on arguments go on with advice after the first sentence. */
function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const isArguments = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS_') === true
  return visible(isArguments ? message.split('. ', 1)[0]! : message, 1000)
}
