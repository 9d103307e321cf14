import { wrapWords } from '../explain/text.ts'
import { EXIT, type Io } from './command.ts'
import { isShared, type OptionSpec, type OptionSpecs, type Values } from './flags.ts'

/** One command of the command line: its help, and what it does. */
export interface Command<S extends OptionSpecs = OptionSpecs> {
  /** after the name in the list of commands */
  readonly summary: string
  /** after the name; a first word in capitals is the argument, in brackets when it may be left out */
  readonly usage: string
  readonly about: string
  readonly options: S
  /** whole lines of at most 78 characters */
  readonly examples: readonly string[]
  /** what each exit code means */
  readonly exits: readonly [ok: string, refused: string, unknown: string, usage?: string]
  /** Resolves to the exit code; `argument` is empty when it was left out. @throws UsageError for a mistake */
  run(values: Values<S>, io: Io, argument: string): Promise<number>
}

const VARIABLES =
  '* or an environment variable: SIGNED_REQUESTS_DOMAIN for --domain; several values with commas'

/** What --help prints, in 80 columns: every command has these parts, in this order. */
export function helpText(name: string, { usage, about, options, examples, exits }: Command): string {
  const [ok, refused, unknown, mistake = 'a mistake on the command line'] = exits
  return [
    `Usage: signed-requests ${name} ${usage}`.trimEnd(),
    '',
    ...about.split('\n').map(paragraph => wrapWords('', paragraph)),
    '',
    'Options:',
    ...Object.entries(options).map(([option, spec]) => optionLine(option, spec)),
    '  -h, --help             print this help',
    ...(Object.keys(options).some(isShared) ? ['', wrapWords('', VARIABLES)] : []),
    '',
    'Examples:',
    ...examples.map(example => `  ${example}`),
    '',
    'Exit codes:',
    wrapWords(`  ${EXIT.ok}   `, ok),
    wrapWords(`  ${EXIT.refused}   `, refused),
    wrapWords(`  ${EXIT.unknown}   `, unknown),
    wrapWords(`  ${EXIT.usage}  `, mistake)
  ].join('\n')
}

const COLUMN = 25

function optionLine(name: string, spec: OptionSpec): string {
  const { value = '', about, multiple, otherwise = spec.default } = spec
  const left = `${isShared(name) ? '*' : ' '} --${name} ${value}`
  const more = [...(multiple ? ['may be repeated'] : []), ...(otherwise ? [`default ${otherwise}`] : [])]
  const text = more.length === 0 ? about : `${about} (${more.join('; ')})`
  if (left.length < COLUMN) return wrapWords(left.padEnd(COLUMN), text)
  return `${left}\n${wrapWords(' '.repeat(COLUMN), text)}`
}
