import { readFileSync } from 'node:fs'
import { inFlags } from '../flags/table.ts'
import { escapeText, messageIn } from '../src/tools/index.ts'
import { account } from './account.ts'
import { EXIT, guardOutput, type Io, type Terminal, UsageError } from './command.ts'
import { demo } from './demo.ts'
import { explain } from './explain/explain.ts'
import { type Command, didYouMean, parseFlags, requiredFlags, requireFlags } from './flags.ts'
import { commandHelp, programHelp } from './help.ts'
import { key } from './key/key.ts'
import { probe } from './probe.ts'
import { send } from './send/send.ts'

/** The commands, in the order of the help. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>(
  Object.entries({ explain, key, send, account, demo, probe })
)

/** Runs one command. Resolves to the exit code; a mistake is one line. */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  commands: ReadonlyMap<string, Command> = COMMANDS
): Promise<number> {
  const io = guardOutput(terminal)
  try {
    return await runCommand(args, io, commands)
  } catch (error) {
    const message = error instanceof Error ? messageIn(error, inFlags) : String(error)
    io.note(`signed-requests: ${escapeText(message, 1000)}`)
    return error instanceof UsageError || error instanceof TypeError ? EXIT.usage : EXIT.unknown
  }
}

const PROGRAM = { version: { flag: 'version', kind: 'switch', about: 'print the version' } } as const

async function runCommand(args: readonly string[], io: Io, commands: ReadonlyMap<string, Command>): Promise<number> {
  const [name = '', ...rest] = args
  const command = commands.get(name)
  if (command === undefined) return runWithoutCommand(args, io, commands)
  const { values, positionals, isHelp } = parseFlags(rest, command.flags, io.env)
  if (isHelp) {
    io.print(commandHelp(name, command))
    return EXIT.ok
  }
  const { argument = '' } = command
  const isList = argument.endsWith('...')
  const min = argument === '' || argument.startsWith('[') ? 0 : 1
  const max = isList ? Number.POSITIVE_INFINITY : Math.min(1, argument.length)
  if (positionals.length < min || positionals.length > max) {
    if (max === 0) throw new UsageError(`${name} takes no argument`)
    throw new UsageError(`${name} takes one ${argument.replace(/\W/g, '')}${isList ? ' or more' : ''}`)
  }
  requireFlags(requiredFlags(command.flags), values)
  return command.run(values, io, positionals[0] ?? '', positionals)
}

function runWithoutCommand(args: readonly string[], io: Io, commands: ReadonlyMap<string, Command>): number {
  const { values, positionals, isHelp } = parseFlags(args, PROGRAM, {})
  const [name] = positionals
  if (isHelp || name === 'help') io.print(programHelp(commands))
  else if (values.version) io.print(version())
  else if (name === undefined) throw new UsageError('a command is missing; see --help')
  else {
    const meant = didYouMean(name, [...commands.keys()])
    throw new UsageError(`there is no command ${JSON.stringify(name)}${meant}; see --help`)
  }
  return EXIT.ok
}

const version = (): string =>
  JSON.parse(readFileSync(new URL(import.meta.resolve('signed-requests/package.json')), 'utf8')).version
