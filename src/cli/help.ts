import { wrapWords } from '../explain/text.ts'

/** An option as `parseArgs` takes it, with what the help says about it. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  readonly short?: string
  readonly default?: string
  /** the default in words, where it is not a value of this option */
  readonly otherwise?: string
  /** the placeholder for the value */
  readonly value?: string
  readonly about: string
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

/** The help of a command: every command has these parts, in this order. */
export interface Help {
  /** after `signed-requests ` */
  usage: string
  about: string
  options: OptionSpecs
  /** whole lines of at most 78 characters */
  examples: readonly string[]
  exits: readonly (readonly [code: number, meaning: string])[]
}

export const HELP_OPTION = { type: 'boolean', short: 'h', about: 'print this help' } as const

/** In 80 columns. */
export const helpText = ({ usage, about, options, examples, exits }: Help): string =>
  [
    `Usage: signed-requests ${usage}`,
    '',
    ...about.split('\n').map(paragraph => wrapWords('', paragraph)),
    '',
    'Options:',
    ...Object.entries(options).map(([name, option]) => optionLine(name, option)),
    '',
    'Examples:',
    ...examples.map(example => `  ${example}`),
    '',
    'Exit codes:',
    ...exits.map(([code, meaning]) => wrapWords(`  ${String(code).padEnd(4)}`, meaning))
  ].join('\n')

const COLUMN = 24

function optionLine(name: string, option: OptionSpec): string {
  const { short, value, about, multiple, default: byDefault = option.otherwise } = option
  const left = `  ${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
  const more = [
    ...(multiple ? ['may be repeated'] : []),
    ...(byDefault === undefined ? [] : [`default ${byDefault}`])
  ]
  const text = more.length === 0 ? about : `${about} (${more.join('; ')})`
  if (left.length < COLUMN - 1) return wrapWords(left.padEnd(COLUMN), text)
  return `${left}\n${wrapWords(' '.repeat(COLUMN), text)}`
}
