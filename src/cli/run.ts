import { readFileSync } from 'node:fs'
import { inFlags } from '../explain/settings.ts'
import { escapeText } from '../explain/text.ts'
import { account } from './account.ts'
import { EXIT, guardOutput, type Io, UsageError } from './command.ts'
import { demo } from './demo.ts'
import { explain } from './explain/explain.ts'
import { type Command, didYouMean, parseFlags } from './flags.ts'
import { key } from './key.ts'
import { probe } from './probe.ts'
import { send } from './send/send.ts'

export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>(
  Object.entries({ explain, key, send, account, demo, probe })
)

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
  if (isHelp(name) || name === 'help') io.print(helpOf('signed-requests'))
  else if (name === '--version') io.print(JSON.parse(readPackage('package.json')).version)
  else if (name === '') throw new UsageError('a command is missing; see --help')
  else if (command === undefined) {
    const meant = didYouMean(name, [...COMMANDS.keys()])
    throw new UsageError(`there is no command ${JSON.stringify(name)}${meant}; see --help`)
  } else if (args.some(isHelp)) io.print(helpOf(name))
  else {
    const { values, positionals } = parseFlags(args, command.options, io.env)
    const { argument = '' } = command
    const allowed = argument === '' ? [0] : argument.startsWith('[') ? [0, 1] : [1]
    if (!allowed.includes(positionals.length))
      throw new UsageError(`${name} takes ${argument ? `one ${argument.replace(/\W/g, '')}` : 'no argument'}`)
    return command.run(values, io, positionals[0] ?? '')
  }
  return EXIT.ok
}

const readPackage = (file: string): string =>
  readFileSync(new URL(file, import.meta.resolve('signed-requests/package.json')), 'utf8').replaceAll(
    '\r',
    ''
  )

/** The help of a command is written once, in the documentation. */
const helpOf = (name: string): string =>
  readPackage('docs/command-line.md').split(`<!-- help: ${name} -->\n\`\`\`text\n`)[1]!.split('\n```')[0]!
