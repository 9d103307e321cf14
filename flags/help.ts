import { wrapWords } from '../src/internal/command-line.ts'
import type { CommandFlag, Flag } from './flag.ts'
import { hasCommas, mayBeVariable, type VariableRule, variableOf } from './variables.ts'

/** The parts of a help text. */
export interface HelpPage {
  /** `signed-requests explain [FILE]` */
  readonly command: string
  /** its purpose: paragraphs */
  readonly about: readonly string[]
  readonly flags: readonly CommandFlag[]
  readonly variables: VariableRule
  /** each in one line, or in lines that end with a backslash */
  readonly examples: readonly string[]
  /** the meaning of each exit code */
  readonly exits: Readonly<Record<number, string>>
  /** the commands, each with its summary */
  readonly commands?: readonly (readonly [name: string, summary: string])[]
  readonly hasVersion?: boolean
  /** a last paragraph */
  readonly note?: string
}

/** Indents the names of options, commands and exit codes. */
const INDENT = '  '

/** The column where the list of commands has its texts, and the options below it have theirs. */
const COLUMN = 13

/** Returns the help of a command in 80 columns. It names no flag and no variable but those of the command. */
export function helpText(page: HelpPage): string {
  const { command, about, examples, exits, commands = [], note } = page
  const flags = page.flags.filter(({ isVariableOnly }) => !isVariableOnly)
  const required = flags.filter(({ isRequired }) => isRequired).map(({ flag, value }) => `--${flag} ${value}`)
  const isMore = flags.length > required.length || commands.length > 0
  return [
    wrapWords('Usage: ', [command, ...required, ...(isMore ? ['[options]'] : [])].join(' ')),
    about.map(paragraph => wrapWords('', paragraph)).join('\n'),
    ...(commands.length === 0 ? [] : [['Commands:', ...rows(commands.map(row), COLUMN)].join('\n')]),
    ['Options:', ...optionRows(page, flags)].join('\n'),
    ...variablesNote(flags, page.variables),
    ['Examples:', ...examples.map(indented)].join('\n'),
    ['Exit codes:', ...rows(Object.entries(exits).map(row), 4)].join('\n'),
    ...(note === undefined ? [] : [wrapWords('', note)])
  ].join('\n\n')
}

interface Row {
  readonly start: string
  readonly name: string
  readonly text: string
}

const row = ([name, text]: readonly [name: string, text: string]): Row => ({ start: INDENT, name, text })

/** Writes names in one column, texts in the next. */
function rows(all: readonly Row[], min = 0): string[] {
  const width = Math.max(min, ...all.map(({ name }) => name.length + 2))
  return all.map(({ start, name, text }) => wrapWords(`${start}${name.padEnd(width)}`, text))
}

function optionRows({ commands = [], variables, hasVersion }: HelpPage, flags: readonly CommandFlag[]): string[] {
  const own = flags.map(spec => flagRow(spec, variables))
  const each = commands.length === 0 ? '' : '; each command has its own'
  const always: [name: string, text: string][] = [['-h, --help', `print this help${each}`]]
  if (hasVersion) always.push(['--version', 'print the version'])
  return rows([...own, ...always.map(row)], commands.length === 0 ? 0 : COLUMN)
}

const flagRow = (spec: CommandFlag, rule: VariableRule): Row => ({
  start: mayBeVariable(spec, rule) ? '* ' : INDENT,
  name: `--${spec.flag}${spec.value === undefined ? '' : ` ${spec.value}`}`,
  text: flagText(spec)
})

/** Lists flags as a help text does, for a page that says once what several commands take. */
export const flagList = (flags: readonly CommandFlag[], rule: VariableRule): string =>
  rows(flags.map(spec => flagRow(spec, rule))).join('\n')

/** Describes a flag: its purpose, whether it must be given or may be repeated, and its default. */
export function flagText({ about, kind, fallback, preset, isRequired, requiredWithout }: CommandFlag): string {
  const byDefault = preset ?? fallback
  const notes = [
    ...(isRequired ? ['required'] : []),
    ...(requiredWithout === undefined ? [] : [`required without --${requiredWithout}`]),
    ...(kind === 'list' ? ['repeatable'] : []),
    ...(byDefault === undefined ? [] : [`default ${byDefault}`])
  ]
  return notes.length === 0 ? about : `${about} (${notes.join('; ')})`
}

function variablesNote(flags: readonly CommandFlag[], rule: VariableRule): string[] {
  const [first, ...others] = flags.filter(spec => mayBeVariable(spec, rule))
  if (first === undefined) return []
  const commas = [first, ...others].some((spec: Flag) => hasCommas(spec)) ? '; several values with commas' : ''
  return [wrapWords('', `* or an environment variable: ${variableOf(first.flag)} for --${first.flag}${commas}`)]
}

const indented = (example: string): string => `${INDENT}${example.replaceAll('\n', `\n${INDENT}${INDENT}`)}`
