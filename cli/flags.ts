import { parseArgs } from 'node:util'
import {
  type CommandFlag,
  type Flag,
  isShared,
  isSharedList,
  VARIABLE_PREFIX,
  type ValueOf,
  variableOf
} from '../flags/table.ts'
import type { Scheme, SchemeName } from '../src/index.ts'
import { isPathPrefix, nearest, restorePathPrefix, SCHEMES } from '../src/tools/index.ts'
import { type Io, UsageError } from './command.ts'

/** The flags of a command, by the names under which it gets their values. */
export type Flags = Readonly<Record<string, CommandFlag>>

/** Some rows of a table. */
export const pick = <T extends object, N extends keyof T & string>(table: T, ...names: readonly N[]): Pick<T, N> =>
  Object.fromEntries(names.map(name => [name, table[name]])) as Pick<T, N>

export const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[]

/** Each command that can print JSON has this flag. */
export const JSON_FLAG = { flag: 'json', kind: 'switch', about: 'print the result as JSON' } as const

/** What the flags of a command are given as. */
export type Values<F extends Flags> = {
  readonly [N in keyof F]: ValueOf<F[N]> | (F[N] extends { preset: string } | { isRequired: true } ? never : undefined)
}

/** One command of the command line. Its help is made of it. */
export interface Command<F extends Flags = Flags> {
  /** its line in the list of commands */
  readonly summary: string
  /** what it does, for its help: paragraphs */
  readonly about: readonly string[]
  /** in brackets when it may be left out, with dots when there may be several; none where there is no argument */
  readonly argument?: string
  readonly flags: F
  /** each in one line, or in lines that end with a backslash */
  readonly examples: readonly string[]
  /** what the exit codes mean */
  readonly exits: Readonly<Record<0 | 1 | 2 | 64, string>>
  /**
   * Resolves to the exit code; `argument` is the first of `all`, and empty when it was left out.
   *
   * @throws UsageError for a mistake
   */
  run(values: Values<F>, io: Io, argument: string, all: readonly string[]): Promise<number>
}

interface Parsed<F extends Flags> {
  readonly values: Values<F>
  readonly positionals: readonly string[]
  readonly isHelp: boolean
}

const HELP = { help: { type: 'boolean', short: 'h' } } as const

/**
 * The values of the flags, by the names of the command, and the positional arguments; the value of a shared flag that
 * is not given is that of its environment variable.
 *
 * @throws UsageError
 */
export function parseFlags<F extends Flags>(args: readonly string[], flags: F, env: Io['env']): Parsed<F> {
  const all = Object.values(flags)
  const types = all.map(({ flag, kind }) => [flag, { type: kind === 'switch' ? 'boolean' : 'string' }] as const)
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(types), ...HELP },
    allowPositionals: true,
    strict: false,
    tokens: true
  })
  const given = new Map<string, string[]>()
  const positionals: string[] = []
  const isHelp = tokens.some(token => token.kind === 'option' && token.name === 'help')
  if (isHelp) return { values: {} as Values<F>, positionals, isHelp }
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const spec = all.find(({ flag }) => flag === token.name)
    if (spec === undefined) throw unknownFlag(token.name, token.rawName, all)
    given.set(token.name, [...(given.get(token.name) ?? []), textGiven(spec, token)])
  }
  refuseMisspelled(env, all)
  const values = Object.entries(flags).map(([name, spec]) => {
    const texts = given.get(spec.flag) ?? fromEnvironment(spec, env) ?? (spec.preset && [spec.preset])
    return [name, texts && convert(spec, texts)]
  })
  return { values: Object.fromEntries(values) as Values<F>, positionals, isHelp }
}

/** The text of a flag that was given. @throws UsageError, which repeats no value */
function textGiven({ flag, kind }: Flag, token: { value?: string | undefined; inlineValue?: boolean | undefined }) {
  if (kind === 'switch') {
    if (token.value !== undefined) throw new UsageError(`--${flag} takes no value`)
    return ''
  }
  if (token.value === undefined) throw new UsageError(`--${flag} needs a value`)
  if (token.inlineValue !== true && token.value.length > 1 && token.value.startsWith('-'))
    throw new UsageError(`--${flag} needs a value; one that begins with a dash is written --${flag}=-VALUE`)
  return token.value
}

function unknownFlag(name: string, written: string, flags: readonly Flag[]): UsageError {
  const meant = didYouMean(name.replace(/^no-/, ''), [...flags.map(({ flag }) => flag), 'help'], '--')
  return new UsageError(`there is no option ${written.startsWith('--') ? '' : '-'}${written}${meant}; see --help`)
}

/**
 * What the environment variable of a shared flag says, as the texts of the flag; undefined when it says nothing. All
 * commands read the same variables: of one that holds several values, a flag that takes one value takes the first.
 *
 * @throws UsageError for a switch that is neither true nor false
 */
function fromEnvironment({ flag, kind }: Flag, env: Io['env']): string[] | undefined {
  const variable = variableOf(flag)
  const text = (isShared(flag) && env[variable]?.trim()) || ''
  if (text === '') return undefined
  if (kind === 'switch') {
    if (text !== 'true' && text !== 'false') throw new UsageError(`${variable} must be true or false`)
    return text === 'true' ? [''] : undefined
  }
  const values = isSharedList(flag) ? text.split(',').map(part => part.trim()) : [text]
  const texts = values.filter(value => value !== '')
  if (texts.length === 0) return undefined
  return kind === 'list' ? texts : texts.slice(0, 1)
}

function convert({ flag, kind, choices }: Flag, texts: readonly string[]): unknown {
  if (kind === 'switch') return true
  if (choices !== undefined && !texts.every(text => choices.includes(text)))
    throw new UsageError(`--${flag} must be one of ${choices.join(', ')}`)
  if (kind === 'list') return texts
  const text = texts.at(-1)!
  if (kind === 'text') return text
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${flag} takes a whole number`)
  return Number(text)
}

/**
 * Refuses a variable whose name is nearly that of a flag of this command. Variables of the gateway are ignored: its
 * DRAIN would be taken for a misspelled DOMAIN.
 *
 * @throws UsageError
 */
function refuseMisspelled(env: Io['env'], flags: readonly Flag[]): void {
  const names = flags.map(({ flag }) => flag).filter(isShared)
  for (const found of Object.keys(env)) {
    if (!found.startsWith(VARIABLE_PREFIX) || OF_GATEWAY.includes(found)) continue
    const written = found.slice(VARIABLE_PREFIX.length).replaceAll('_', '-')
    const meant = isShared(written.toLowerCase()) && found === variableOf(written) ? undefined : nearest(written, names)
    if (meant !== undefined)
      throw new UsageError(`there is no environment variable ${found} (did you mean ${variableOf(meant)}?)`)
  }
}

const OF_GATEWAY: readonly string[] = [variableOf('drain')]

/** ` (did you mean X?)`, when a name is near the misspelled one. */
export function didYouMean(name: string, names: readonly string[], prefix = ''): string {
  const meant = nearest(name, names)
  return meant === undefined ? '' : ` (did you mean ${prefix}${meant}?)`
}

export const requiredFlags = (flags: Flags): Flags =>
  Object.fromEntries(Object.entries(flags).filter(([, { isRequired }]) => isRequired))

/** Reports all required flags that are missing, at once. @throws UsageError */
export function requireFlags<F extends Flags>(flags: F, values: { readonly [N in keyof F]?: unknown }): void {
  const missing = Object.entries(flags)
    .filter(([name]) => [values[name] ?? ''].flat().join('') === '')
    .map(([, { flag }]) => flag)
  if (missing.length === 0) return
  const variables = missing.filter(isShared).map(variableOf).join(', ')
  const names = missing.map(flag => `--${flag}`).join(', ')
  throw new UsageError(`missing: ${names}${variables && `; or set ${variables}`}; see --help`)
}

/** The target with the prefix that a proxy strips. @throws UsageError */
export function addPrefix(prefix: string | undefined, target: string): string {
  if (prefix === undefined) return target
  if (isPathPrefix(prefix)) return restorePathPrefix(prefix, target)
  throw new UsageError('--prefix takes a path such as /hooks; the text before the account id is --account-prefix')
}

/** The standard of this name. */
export const schemeOf = (name: SchemeName): Scheme => SCHEMES[name]
