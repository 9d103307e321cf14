import { readFileSync } from 'node:fs'
import { inFlags } from '../explain/settings.ts'
import { escapeText } from '../explain/text.ts'
import { account } from './account.ts'
import { EXIT, guardOutput, type Io, UsageError } from './command.ts'
import { demo } from './demo.ts'
import { explain } from './explain/explain.ts'
import { type Command, didYouMean, helpText, parseFlags } from './flags.ts'
import { key } from './key.ts'
import { probe } from './probe.ts'
import { send } from './send/send.ts'

/** In the order in which --help lists them. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>(
  Object.entries({ explain, key, send, account, demo, probe })
)

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

/** Runs one command. Resolves to the exit code; a mistake is one line. */
export async function run(args: readonly string[], terminal: Io): Promise<number> {
  const io = guardOutput(terminal)
  try {
    return await runCommand(args, io)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const text = error instanceof TypeError ? inFlags(message) : message
    io.note(`signed-requests: ${escapeText(text, 1000)}`)
    return error instanceof UsageError || error instanceof TypeError ? EXIT.usage : EXIT.unknown
  }
}

async function runCommand([name = '', ...args]: readonly string[], io: Io): Promise<number> {
  const command = COMMANDS.get(name)
  const isHelp = (arg: string) => arg === '--help' || arg === '-h'
  if (isHelp(name) || name === 'help') io.print(HELP)
  else if (name === '--version') io.print(aboutPackage().version)
  else if (name === '') throw new UsageError('a command is missing; see --help')
  else if (command === undefined) {
    const meant = didYouMean(name, [...COMMANDS.keys()])
    throw new UsageError(`there is no command ${JSON.stringify(name)}${meant}; see --help`)
  } else if (args.some(isHelp)) io.print(helpText(name, command))
  else {
    const { values, positionals } = parseFlags(args, command.options, io.env)
    const [, bracket, argument] = /^(\[?)([A-Z]+)/.exec(command.usage) ?? []
    const isRight = positionals.length === (argument ? 1 : 0) || (bracket && positionals.length === 0)
    if (!isRight) throw new UsageError(`${name} takes ${argument ? `one ${argument}` : 'no argument'}`)
    return command.run(values, io, positionals[0] ?? '')
  }
  return EXIT.ok
}

const aboutPackage = () =>
  JSON.parse(readFileSync(new URL(import.meta.resolve('signed-requests/package.json')), 'utf8'))
