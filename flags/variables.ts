import { nearest } from '../src/internal/command-line.ts'
import type { CommandFlag, Flag, Flags } from './flag.ts'
import { SHARED } from './table.ts'
import { UsageError } from './usage-error.ts'

/** The environment variables of a process. */
export type Env = Readonly<Record<string, string | undefined>>

/**
 * Says which flags may also be environment variables. `shared`: those that mean the same in every command that has
 * them; other names that begin with SIGNED_REQUESTS_ are for others. `all`: every flag, and no other variable may begin
 * so.
 */
export type VariableRule = 'shared' | 'all'

const PREFIX = 'SIGNED_REQUESTS_'

/** Returns the environment variable of a flag. */
export const variableOf = (flag: string): string => `${PREFIX}${flag.toUpperCase().replaceAll('-', '_')}`

const sharedFlag = (name: string): Flag | undefined => Object.values(SHARED).find(({ flag }) => flag === name)

export const mayBeVariable = ({ flag, isCommandLineOnly }: CommandFlag, rule: VariableRule): boolean =>
  rule === 'all' ? !isCommandLineOnly : sharedFlag(flag) !== undefined

/** Splits the text of a list at its commas. A text without values stays one value, which is then refused. */
export function splitList(text: string): string[] {
  const values = text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  return values.length === 0 ? [''] : values
}

/**
 * Returns whether a flag takes several values in every command, which are separated by commas where they are one text.
 */
export const hasCommas = ({ flag }: Flag): boolean => sharedFlag(flag)?.kind === 'list'

/**
 * Returns what the environment variable of a flag says, as the texts of the flag; undefined when it says nothing. All
 * commands read the same variables: of one that holds several values, a flag that takes one value takes the first.
 *
 * @throws UsageError for a switch that is neither true nor false
 */
export function textsOfVariable(spec: CommandFlag, env: Env, rule: VariableRule): string[] | undefined {
  const { flag, kind } = spec
  const variable = variableOf(flag)
  const text = mayBeVariable(spec, rule) ? (env[variable] ?? '').trim() : ''
  if (text === '') return undefined
  if (kind === 'switch') {
    if (text !== 'true' && text !== 'false') throw new UsageError(`${variable} must be true or false`)
    return text === 'true' ? [''] : undefined
  }
  if (!hasCommas(spec)) return [text]
  return kind === 'list' ? splitList(text) : splitList(text).slice(0, 1)
}

/**
 * Refuses a variable that is misspelled; with `all` also one that is unknown, or empty.
 *
 * @param others flags of other commands, whose variables are not mistakes
 * @throws UsageError, which has no value
 */
export function refuseVariables(env: Env, flags: Flags, others: Flags, rule: VariableRule): void {
  const variables = Object.values(flags)
    .filter(spec => mayBeVariable(spec, rule))
    .map(({ flag }) => variableOf(flag))
  const known = new Set([...variables, ...Object.values(others).map(({ flag }) => variableOf(flag))])
  for (const [variable, value = ''] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX)) continue
    if (!known.has(variable)) {
      const isService = rule === 'all' && KUBERNETES.test(variable)
      const hint = isService ? SERVICE : meant(variable, variables)
      if (hint !== '' || rule === 'all')
        throw new UsageError(`there is no environment variable ${variable}${hint}; see --help`)
    } else if (rule === 'all' && value.trim() === '') throw new UsageError(`${variable} is empty: set it, or unset it`)
  }
}

/** Matches the variables that Kubernetes sets for a Service `signed-requests` or `signed-requests-gateway`. */
const KUBERNETES = /_(?:SERVICE_HOST|PORT)(?:_|$)/

const SERVICE = ': if Kubernetes sets it for a Service, set enableServiceLinks: false'

/** Compares only the text after the prefix, which would make any two names alike. */
function meant(variable: string, variables: readonly string[]): string {
  const names = variables.map(name => name.slice(PREFIX.length))
  const found = nearest(variable.slice(PREFIX.length), names)
  return found === undefined ? '' : ` (did you mean ${PREFIX}${found}?)`
}
