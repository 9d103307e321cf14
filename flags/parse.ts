import { parseArgs } from 'node:util'
import { nearest } from '../src/internal/command-line.ts'
import type { CommandFlag, Flags, Values } from './flag.ts'
import { runAll, UsageError } from './usage-error.ts'
import {
  type Env,
  hasCommas,
  mayBeVariable,
  refuseVariables,
  splitList,
  textsOfVariable,
  type VariableRule,
  variableOf
} from './variables.ts'

/** The syntax of a command. */
export interface Syntax<F extends Flags> {
  /** the command as its messages name it */
  readonly name: string
  readonly flags: F
  /** in brackets when it may be left out, with dots when there may be several; none where there is no argument */
  readonly argument?: string | undefined
  readonly variables: VariableRule
  /** flags of other commands: their variables are not mistakes */
  readonly others: Flags
  /** a secret that the command takes from an environment variable */
  readonly secret?: Secret | undefined
}

/** A secret that some write as a flag or an argument, which other users of the machine could see. */
export interface Secret {
  /** the flags that are written for it */
  readonly flags: readonly string[]
  readonly variable: string
}

/** The values and arguments that a command is called with. */
export interface FlagValues<F extends Flags> {
  readonly values: Values<F>
  /** the source of a flag's value; undefined when it was not given */
  sourceOf(flag: string): 'flag' | 'variable' | undefined
  readonly positionals: readonly string[]
}

/** The values that a command is called with, or the text that is printed instead of running it. */
export type Parsed<F extends Flags> =
  | ({ readonly asked: undefined } & FlagValues<F>)
  | { readonly asked: 'help' | 'version' }

type Token = ReturnType<typeof tokensOf>[number]

/** The texts of a flag that was given, and where. */
type Texts = ReadonlyMap<string, { readonly texts: readonly string[]; readonly source: 'flag' | 'variable' }>

/**
 * Parses the values of the flags, by the names of the command, and the positional arguments. A flag that is not given
 * has the value of its environment variable. No message has a value of an argument, nor a text that could be one.
 *
 * @param args the arguments of the process, without the name of the command
 * @throws UsageError
 */
export function parseFlags<F extends Flags>(args: readonly string[], env: Env, syntax: Syntax<F>): Parsed<F> {
  const { flags, variables, others } = syntax
  const tokens = tokensOf(args, flags)
  for (const asked of ['help', 'version'] as const)
    if (tokens.some(token => token.kind === 'option' && token.name === asked)) return { asked }
  const onLine = textsOnLine(tokens, syntax)
  const positionals = tokens.flatMap(token => (token.kind === 'positional' ? [token.value] : []))
  refuseVariables(env, flags, others, variables)
  refusePositionals(tokens, syntax)
  const present: Texts = new Map(
    Object.values(flags).flatMap(spec => {
      const written = onLine.get(spec.flag)
      const texts = written ?? textsOfVariable(spec, env, variables)
      return texts === undefined ? [] : [[spec.flag, { texts, source: written ? 'flag' : 'variable' }] as const]
    })
  )
  const names = Object.keys(flags)
  const [values] = runAll(
    () => runAll(...names.map(name => () => convert(flags[name]!, present))),
    () => refuseConflicts(flags, present),
    () => refuseMissing(missingFlags(flags, present), variables)
  )
  return {
    asked: undefined,
    values: Object.fromEntries(names.map((name, i) => [name, values[i]])) as Values<F>,
    sourceOf: flag => present.get(flag)?.source,
    positionals
  }
}

/** Flags of every command. */
const ALWAYS = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const

function tokensOf(args: readonly string[], flags: Flags) {
  const types = Object.values(flags).map(({ flag, kind }) => [flag, kind === 'switch' ? 'boolean' : 'string'] as const)
  const options = { ...Object.fromEntries(types.map(([flag, type]) => [flag, { type }])), ...ALWAYS }
  return parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true }).tokens
}

function textsOnLine(tokens: readonly Token[], syntax: Syntax<Flags>): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>()
  const all = Object.values(syntax.flags)
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const spec = all.find(({ flag }) => flag === token.name)
    if (spec === undefined) throw unknownFlag(token, syntax)
    if (spec.isVariableOnly)
      throw new UsageError(`other users can see arguments: set ${variableOf(spec.flag)} instead of --${spec.flag}`)
    const text = textOf(spec, token)
    const texts = spec.kind === 'list' && hasCommas(spec) ? splitList(text) : [text]
    found.set(spec.flag, [...(found.get(spec.flag) ?? []), ...texts])
  }
  return found
}

/** Returns the text of a flag that was given. @throws UsageError, which repeats no value */
function textOf({ flag, kind }: CommandFlag, token: Token & { kind: 'option' }): string {
  if (kind === 'switch') {
    if (token.value !== undefined) throw new UsageError(`--${flag} takes no value`)
    return ''
  }
  if (token.value === undefined) throw new UsageError(`--${flag} needs a value`)
  if (token.inlineValue !== true && token.value.length > 1 && token.value.startsWith('-'))
    throw new UsageError(`--${flag} needs a value; one that begins with a dash is written --${flag}=-VALUE`)
  return token.value
}

/**
 * Reports an unknown flag. Names it only where it is nearly a known one, such as one with a dash missing or in a wrong
 * place: it can be a secret.
 */
function unknownFlag({ name, rawName }: Token & { kind: 'option' }, syntax: Syntax<Flags>): UsageError {
  const { flags, others, secret } = syntax
  if (secret?.flags.includes(name))
    return new UsageError(`other users can see arguments: set ${secret.variable} instead of --${name}`)
  if (Object.values(others).some(({ flag }) => flag === name))
    return new UsageError(`${syntax.name} does not take --${name}; see --help`)
  const names = Object.values(flags).flatMap(({ flag, isVariableOnly }) => (isVariableOnly ? [] : [flag]))
  const meant = rawName.startsWith('--') ? nearest(name.replace(/^no-/, ''), [...names, 'help', 'version']) : undefined
  return new UsageError(
    meant === undefined
      ? 'there is no such option; see --help'
      : `there is no option ${rawName} (did you mean --${meant}?); see --help`
  )
}

/** Counts how many arguments there must be, and may be. */
function countsOf(argument: string): { min: number; max: number } {
  const isOptional = argument === '' || argument.startsWith('[')
  const max = argument.endsWith('...') ? Number.POSITIVE_INFINITY : Math.min(1, argument.length)
  return { min: isOptional ? 0 : 1, max }
}

/** Returns the names of an argument: `FILE, DIR or CODE` for `[FILE|DIR|CODE]`. */
const inWords = (argument: string): string =>
  argument
    .replace(/[^\w|]/g, '')
    .replaceAll('|', ', ')
    .replace(/, (?=\w+$)/, ' or ')

/**
 * Refuses a wrong number of arguments. Names none of them: it can be a value whose flag was forgotten, or takes none.
 * @throws UsageError
 */
function refusePositionals(tokens: readonly Token[], { name, argument = '', secret }: Syntax<Flags>): void {
  const { min, max } = countsOf(argument)
  const positionals = tokens.filter(({ kind }) => kind === 'positional')
  if (positionals.length >= min && positionals.length <= max) return
  if (max > 0) throw new UsageError(`${name} takes one ${inWords(argument)}${max > 1 ? ' or more' : ''}`)
  const before = tokens[tokens.indexOf(positionals[0]!) - 1]
  const hint =
    before?.kind === 'option' && before.value === undefined ? ` after --${before.name}: it takes no value` : ''
  const advice =
    secret === undefined ? '' : `; set ${secret.variable} for the token, because other users can see arguments`
  throw new UsageError(`unexpected argument${hint}${advice}; see --help`)
}

/** Refuses flags that exclude each other, and one that needs another. @throws UsageError */
function refuseConflicts(flags: Flags, present: Texts): void {
  for (const { flag, excludes = [], needs } of Object.values(flags).filter(({ flag }) => present.has(flag))) {
    const other = excludes.find(name => present.has(name))
    if (other !== undefined) {
      const where = present.get(other)!.source === 'variable' ? ` (set by ${variableOf(other)})` : ''
      throw new UsageError(`--${flag} cannot be used with --${other}${where}`)
    }
    if (needs !== undefined && !present.has(needs)) throw new UsageError(`--${flag} needs --${needs}`)
  }
}

/** Converts the value of a flag. @throws UsageError, which says what is expected and not what was given */
function convert(spec: CommandFlag, present: Texts): unknown {
  const { flag, kind, choices, preset } = spec
  const { texts, source = 'flag' } = present.get(flag) ?? { texts: preset === undefined ? [] : [preset] }
  if (texts.length === 0) return undefined
  if (kind === 'switch') return true
  const name = source === 'variable' ? variableOf(flag) : `--${flag}`
  if (choices !== undefined && !texts.every(text => choices.includes(text)))
    throw new UsageError(`${name} must be one of ${choices.join(', ')}`)
  if (kind === 'list') return texts
  const { expects, parse = (text: string) => text } = kind === 'number' ? { ...NUMBER, ...spec } : spec
  const value = parse(texts.at(-1)!)
  if (value === undefined) throw new UsageError(`${name} must be ${expects}`)
  return value
}

/** The rule of the library's option says which numbers are right. */
const NUMBER = {
  expects: 'a whole number',
  parse: (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)
}

/** Returns whether the text is empty: the value of a variable of the shell that is not set. */
const isBlank = (flag: string, present: Texts): boolean => (present.get(flag)?.texts ?? ['']).join('') === ''

const missingFlags = (flags: Flags, present: Texts): CommandFlag[] =>
  Object.values(flags).filter(
    ({ flag, isRequired, requiredWithout }) =>
      (isRequired || (requiredWithout !== undefined && !present.has(requiredWithout))) && isBlank(flag, present)
  )

/** Reports all required flags that are missing, at once. @throws UsageError */
export function refuseMissing(missing: readonly CommandFlag[], rule: VariableRule): void {
  if (missing.length === 0) return
  const names = missing.map(({ flag }) => `--${flag}`).join(', ')
  const variables = missing.filter(spec => mayBeVariable(spec, rule)).map(({ flag }) => variableOf(flag))
  const hint = variables.length > 0 ? `; or set ${variables.join(', ')}` : ''
  throw new UsageError(`missing: ${names}${hint}; see --help`)
}
