import { readFileSync } from 'node:fs'
import { gateway } from '../../gateway/src/cli/gateway.ts'
import { escapeText } from '../explain/text.ts'
import { account } from './account.ts'
import type { Command } from './command.ts'
import { explainCommand } from './explain.ts'
import { guardOutput } from './guard-output.ts'
import type { Io } from './io.ts'
import { key } from './key.ts'
import { send } from './send.ts'
import { EXIT, UsageError } from './usage.ts'

/** In the order in which --help lists them. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['explain', explainCommand],
  ['key', key],
  ['send', send],
  ['account', account],
  ['gateway', gateway]
])

const LIST = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`).join('\n')

export const HELP = `Usage: signed-requests <command> [options]

Verifies signed HTTP requests, and says why one is refused.

Commands:
${LIST}

Options:
  -h, --help   print this help; each command has its own
  --version    print the version

Examples:
  npx signed-requests explain request.http --domain service.example \\
    --host receiver.example --account 1234
  npx signed-requests send --help

Exit codes:
  0   yes: verified, usable, accepted
  1   no: rejected, unusable, refused
  2   it cannot be said now: DNS or a server did not answer
  64  a mistake on the command line, or in a file that it names

Colours are for terminals only, and not with NO_COLOR.`

/** Runs one command. Resolves to the exit code; a usage error is one line. */
export async function run(args: readonly string[], terminal: Io): Promise<number> {
  const io = guardOutput(terminal)
  const [name = '', ...rest] = args
  if (name === '--help' || name === '-h' || name === 'help') {
    io.print(HELP)
    return 0
  }
  if (name === '--version') {
    io.print(version())
    return 0
  }
  const command = COMMANDS.get(name)
  try {
    if (command === undefined) {
      throw new UsageError(
        name === ''
          ? 'a command is missing; see --help'
          : `there is no command ${JSON.stringify(name)}; see --help`
      )
    }
    if (asksForHelp(rest)) {
      io.print(command.help)
      return 0
    }
    return await command.run(rest, io)
  } catch (error) {
    io.note(`signed-requests: ${oneLine(error)}`)
    return error instanceof UsageError || error instanceof TypeError ? EXIT.usage : EXIT.unavailable
  }
}

/** Arguments after `--` belong to another program. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).some(arg => arg === '--help' || arg === '-h')
}

function version(): string {
  const about = new URL(import.meta.resolve('signed-requests/package.json'))
  return JSON.parse(readFileSync(about, 'utf8')).version
}

/** Node's own messages on arguments go on with advice after the first sentence. */
function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const isArguments = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS_') === true
  return escapeText(isArguments ? message.split('. ', 1)[0]! : message, 1000)
}
