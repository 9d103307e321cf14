import { type Command, Option } from 'commander'
import { type CommandFlag, helpOf, VARIABLE_PREFIX, type ValueOf, variableOf } from '../../../flags/table.ts'
import { nearest } from '../../../src/tools/index.ts'
import type { Parse } from './parse.ts'

/** A flag of the gateway; without `parse` its value is as its kind says. */
export interface GatewayFlag extends CommandFlag, Partial<Parse<unknown>> {
  /** the flags that cannot be given with it */
  readonly excludes?: readonly string[]
  /** it is required where this switch is not given */
  readonly requiredWithout?: string
  /** it is not an environment variable */
  readonly isCommandLineOnly?: true
}

export type GatewayFlags = Readonly<Record<string, GatewayFlag>>

type ValueOfFlag<F extends GatewayFlag> = F extends Parse<infer T> ? T : ValueOf<F>

/** What the flags of a command are given as, by the names of the flags in the table. */
export type Values<F extends GatewayFlags> = {
  readonly [N in keyof F]:
    | ValueOfFlag<F[N]>
    | (F[N] extends { preset: string } | { isRequired: true } ? never : undefined)
}

export type Env = Readonly<Record<string, string | undefined>>

/** The token is no flag: other users would see it. */
export const TOKEN = variableOf('admin-token')

const NO_VALUE =
  'an argument belongs to no option: --check, --observe, --redact and --replay of authorize take no value, and the ' +
  'only command is authorize'

/** Adds flags that may also be environment variables: `--max-body` and `SIGNED_REQUESTS_MAX_BODY`. */
export function addFlags(command: Command, flags: GatewayFlags): Command {
  for (const spec of Object.values(flags)) command.addOption(optionOf(spec))
  // What is left over is reported by readFlags(), without the values.
  return command.allowUnknownOption().allowExcessArguments()
}

function optionOf(spec: GatewayFlag): Option {
  const { flag, value, kind, preset, isRequired, requiredWithout } = spec
  const fallback = preset !== undefined && { fallback: preset }
  const about = helpOf({ ...spec, ...fallback }, isRequired || requiredWithout !== undefined)
  const option = new Option(`--${flag}${value === undefined ? '' : ` <${value.toLowerCase()}>`}`, about)
  if (kind === 'list') option.argParser((text: string, others: string[] = []) => [...others, ...listed(text)])
  return spec.isCommandLineOnly ? option : option.env(variableOf(flag))
}

const listed = (text: string): string[] => text.split(',').map(part => part.trim())

/**
 * The values of the flags and variables. A misspelled variable is a mistake, as a misspelled flag is.
 *
 * @param others flags of another command beside it, whose variables are no mistake
 * @throws by `command.error()`, in one line that names the flag and never has a value
 */
export function readFlags<F extends GatewayFlags>(
  command: Command,
  flags: F,
  env: Env,
  others: GatewayFlags = {}
): Values<F> {
  const all = Object.values(flags)
  refuseRest(command, all)
  refuseConflicts(command, all)
  refuseVariables(command, all, env, Object.values(others))
  const entries = Object.entries(flags).map(([name, spec]) => [name, valueOfFlag(command, spec, env)])
  const switches = all.filter(({ kind }, i) => kind === 'switch' && entries[i]![1] === true)
  const isOn = (name?: string) => switches.some(({ flag }) => flag === name)
  const missing = all.filter(
    ({ flag, isRequired, requiredWithout }) =>
      (isRequired || (requiredWithout !== undefined && !isOn(requiredWithout))) && rawValue(command, flag) === undefined
  )
  if (missing.length > 0)
    command.error(`${missing.map(({ flag }) => `--${flag}`).join(', ')} must be given; see --help`)
  return Object.fromEntries(entries) as Values<F>
}

/** A flag or an argument that no flag takes. A flag is named up to its `=`, and an argument not at all: secrets. */
function refuseRest(command: Command, flags: readonly GatewayFlag[]): void {
  const [rest] = command.args
  if (rest === undefined) return
  const isFlag = rest.startsWith('-')
  const [name = ''] = rest.startsWith('--') ? rest.split('=', 1) : [rest.slice(0, 2)]
  const candidates = isFlag ? [...flags.map(({ flag }) => `--${flag}`), '--help', '--version'] : ['authorize']
  const similar = nearest(isFlag ? name : rest, candidates)
  const hint = similar === undefined ? '' : ` (Did you mean ${similar}?)`
  if (isFlag) command.error(`unknown option '${name}'${hint}`)
  command.error(similar === undefined ? NO_VALUE : `unknown command '${rest}'${hint}`)
}

function refuseConflicts(command: Command, flags: readonly GatewayFlag[]): void {
  const given = flags.filter(({ flag }) => sourceOf(command, flag) !== undefined).map(({ flag }) => flag)
  for (const { flag, excludes = [] } of flags.filter(({ flag }) => given.includes(flag))) {
    const other = excludes.find(name => given.includes(name))
    if (other !== undefined) command.error(`--${flag} cannot be used with --${other}`)
  }
}

const rawValue = (command: Command, flag: string): unknown =>
  command.getOptionValue(optionOf({ flag, kind: 'text', about: '' }).attributeName())

/** Where a value comes from: `--host`, or the variable. */
export function sourceOf(command: Command, flag: string): 'flag' | 'variable' | undefined {
  const source = command.getOptionValueSource(optionOf({ flag, kind: 'text', about: '' }).attributeName())
  if (source === 'env') return 'variable'
  return source === 'cli' ? 'flag' : undefined
}

function valueOfFlag(command: Command, spec: GatewayFlag, env: Env): unknown {
  const { flag, kind, choices, preset } = spec
  const raw = rawValue(command, flag) ?? preset
  if (raw === undefined) return undefined
  const isVariable = sourceOf(command, flag) === 'variable'
  const name = isVariable ? variableOf(flag) : `--${flag}`
  // Commander takes a variable as a switch that is on, whatever it says.
  if (kind === 'switch') return !isVariable || env[variableOf(flag)] === 'true'
  if (choices !== undefined && ![raw].flat().every(text => choices.includes(text as string)))
    return command.error(`${name} must be one of ${choices.join(', ')}`)
  const { expects, parse } = kind === 'number' ? { ...NUMBER, ...spec } : spec
  if (parse === undefined) return raw
  return parse(String(raw)) ?? command.error(`${name} must be ${expects}`)
}

/** The library's option says which numbers are right. */
const NUMBER: Parse<number> = {
  expects: 'a whole number',
  parse: text => (/^\d{1,10}$/.test(text) ? Number(text) : undefined)
}

/** What Kubernetes sets for a Service `signed-requests` or `signed-requests-gateway`. */
const KUBERNETES = /_(?:SERVICE_HOST|PORT)(?:_|$)/
const SERVICE = ': if Kubernetes sets it for a Service, set enableServiceLinks: false'

function refuseVariables(
  command: Command,
  flags: readonly GatewayFlag[],
  env: Env,
  others: readonly GatewayFlag[]
): void {
  const variables = flags.filter(spec => !spec.isCommandLineOnly).map(({ flag }) => variableOf(flag))
  const known = new Set([...variables, ...others.map(({ flag }) => variableOf(flag)), TOKEN])
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(VARIABLE_PREFIX)) continue
    if (!known.has(variable)) {
      const hint = KUBERNETES.test(variable) ? SERVICE : meant(variable, variables)
      command.error(`there is no environment variable ${variable}${hint}; see --help`)
    }
    if (value === '') command.error(`${variable} is empty: set it, or unset it`)
    const spec = flags.find(({ flag }) => variableOf(flag) === variable)
    if (spec?.kind === 'switch' && value !== 'true' && value !== 'false')
      command.error(`${variable} must be true or false`)
  }
}

/** Only what follows SIGNED_REQUESTS_ is compared: the rest would make any two names alike. */
function meant(variable: string, variables: readonly string[]): string {
  const names = variables.map(name => name.slice(VARIABLE_PREFIX.length))
  const found = nearest(variable.slice(VARIABLE_PREFIX.length), names)
  return found === undefined ? '' : ` (did you mean ${VARIABLE_PREFIX}${found}?)`
}
