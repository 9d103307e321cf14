import { wrapWords } from '../explain/text.ts'
import type { Io } from './command.ts'
import type { OptionSpec, OptionSpecs } from './flags.ts'

/** One command of the command line: its help, and what it does. */
export interface Command {
  /** after the name in the list of commands */
  readonly summary: string
  /** after `signed-requests ` */
  readonly usage: string
  readonly about: string
  readonly options: OptionSpecs
  /** whole lines of at most 78 characters */
  readonly examples: readonly string[]
  readonly exits: readonly (readonly [code: number, meaning: string])[]
  /** Resolves to the exit code. @throws UsageError for a mistake */
  run(args: string[], io: Io): Promise<number>
}

/** What --help prints, in 80 columns: every command has these parts, in this order. */
export const helpText = ({ usage, about, options, examples, exits }: Command): string =>
  [
    `Usage: signed-requests ${usage}`,
    '',
    ...about.split('\n').map(paragraph => wrapWords('', paragraph)),
    '',
    'Options:',
    ...Object.entries(options).map(([name, option]) => optionLine(name, option)),
    ...(Object.values(options).some(({ env }) => env)
      ? [
          '',
          wrapWords(
            '',
            '* or an environment variable: SIGNED_REQUESTS_DOMAIN for --domain; several values with commas'
          )
        ]
      : []),
    '',
    'Examples:',
    ...examples.map(example => `  ${example}`),
    '',
    'Exit codes:',
    ...exits.map(([code, meaning]) => wrapWords(`  ${String(code).padEnd(4)}`, meaning))
  ].join('\n')

const COLUMN = 25

function optionLine(
  name: string,
  { short, value = '', about, multiple, otherwise, env }: OptionSpec
): string {
  const names = `${short === undefined ? '' : `-${short}, `}--${name}`
  const left = `${env ? '* ' : '  '}${names} ${value}`
  const more = [...(multiple ? ['may be repeated'] : []), ...(otherwise ? [`default ${otherwise}`] : [])]
  const text = more.length === 0 ? about : `${about} (${more.join('; ')})`
  if (left.length < COLUMN) return wrapWords(left.padEnd(COLUMN), text)
  return `${left}\n${wrapWords(' '.repeat(COLUMN), text)}`
}
