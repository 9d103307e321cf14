import { wrapWords } from '../explain/text.ts'
import type { OptionSpec, OptionSpecs } from './flags.ts'

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

/** In 80 columns. */
export const helpText = ({ usage, about, options, examples, exits }: Help): string =>
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
