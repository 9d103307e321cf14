import { readFileSync } from 'node:fs'
import { unknownCommand } from '../flags/commands.ts'
import { parseFlags } from '../flags/parse.ts'
import { inFlags } from '../flags/table.ts'
import { UsageError } from '../flags/usage-error.ts'
import { escapeText, messageIn } from '../src/internal/command-line.ts'
import { EXIT, guardOutput, type Io, type Terminal } from './command.ts'
import { COMMANDS, type Commands, commandHelp, programHelp } from './commands.ts'
import { OTHERS } from './flags.ts'

/** Runs one command. Resolves to the exit code; each mistake is a line. */
export async function run(args: readonly string[], terminal: Terminal, commands: Commands = COMMANDS): Promise<number> {
  const io = guardOutput(terminal)
  try {
    return await runCommand(args, io, commands)
  } catch (error) {
    for (const line of linesOf(error)) io.note(`signed-requests: ${escapeText(line, 1000)}`)
    return error instanceof UsageError || error instanceof TypeError ? EXIT.usage : EXIT.unknown
  }
}

/** Returns the message of an error, and of several mistakes a line for each. */
function linesOf(error: unknown): readonly string[] {
  if (error instanceof UsageError) return error.lines
  if (error instanceof TypeError) return messageIn(error, inFlags).split('\n')
  return [error instanceof Error ? messageIn(error, inFlags) : String(error)]
}

/** The parts of a command's syntax besides its own flags. */
const SYNTAX = { variables: 'shared', others: OTHERS } as const

async function runCommand(args: readonly string[], io: Io, commands: Commands): Promise<number> {
  const [name = '', ...rest] = args
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) return runWithoutCommand(args, io, commands)
  const command = await entry.load()
  const { flags, argument, secret } = command
  const parsed = parseFlags(rest, io.env, { ...SYNTAX, name, flags, argument, secret })
  if (parsed.asked === undefined) {
    const { values, positionals } = parsed
    return command.run(values, io, positionals[0] ?? '', positionals)
  }
  io.print(parsed.asked === 'help' ? commandHelp(name, command) : version())
  return EXIT.ok
}

function runWithoutCommand(args: readonly string[], io: Io, commands: Commands): number {
  const names = Object.keys(commands)
  const misplaced = names.find(name => args.includes(name))
  if (misplaced !== undefined) throw unknownCommand(misplaced, names)
  const syntax = { ...SYNTAX, name: 'signed-requests', flags: {}, argument: '[COMMAND]...', others: {} }
  const parsed = parseFlags(args, {}, syntax)
  if (parsed.asked === undefined) {
    const [word = 'help'] = parsed.positionals
    if (word !== 'help') throw unknownCommand(word, names)
  }
  io.print(parsed.asked === 'version' ? version() : programHelp(commands))
  return EXIT.ok
}

const version = (): string =>
  JSON.parse(readFileSync(new URL(import.meta.resolve('signed-requests/package.json')), 'utf8')).version
