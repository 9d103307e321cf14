import { parseArgs } from 'node:util'
import { wrapWords } from '../explain/text.ts'
import { SCHEMES } from '../fixture/setup.ts'
import { nearest } from '../mistakes/own-options.ts'
import type { Scheme } from '../scheme.ts'
import type { SchemeName } from '../verdict/verdict.ts'
import { EXIT, type Io, UsageError } from './command.ts'

/** An option as `parseArgs` takes it, with what the help says about it. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  /** the placeholder for the value */
  readonly value?: string
  readonly about: string
  readonly default?: string
  /** the default in words */
  readonly otherwise?: string | undefined
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

export type Values<S extends OptionSpecs> = ReturnType<typeof parseArgs<{ options: S }>>['values']

const text = (value: string, about: string, otherwise?: string) =>
  ({ type: 'string', value, about, otherwise }) as const

const list = (value: string, about: string, otherwise?: string) =>
  ({ ...text(value, about, otherwise), multiple: true }) as const

const flag = (about: string) => ({ type: 'boolean', about }) as const

/** How each kind of option is written in a command's table, and options of several commands that are set for each call. */
export const option = {
  text,
  list,
  flag,
  prefix: text('PATH', 'a path that a proxy strips, such as /hooks: signed, but not seen by the receiver'),
  json: flag('print the result as JSON')
}

/** Settings that mean the same in every command that has them; each may also be an environment variable. */
export const SHARED = {
  domain: text('NAME', "the service's domain, which the key's name must be under"),
  host: list('NAME', 'a host name of the receiver'),
  account: list('ID', 'an account id to accept'),
  'account-header': text('NAME', 'the header that carries the account', 'X-Service-ID'),
  'account-prefix': text('TEXT', 'the text before the account id in it', 'account-'),
  scheme: list('NAME', 'a standard to accept, draft-cavage or rfc9421', 'draft-cavage'),
  algorithm: list('NAME', 'an algorithm to accept', 'rsa-sha256'),
  'dns-server': list('IP:PORT', 'ask this DNS server, such as 127.0.0.1:5353', "the system's")
} as const

export const isShared = (name: string): boolean => Object.hasOwn(SHARED, name)

/** The options and positional arguments; the default of a shared setting is its environment variable. @throws UsageError */
export function parseFlags(args: string[], specs: OptionSpecs, env: Io['env']) {
  refuseMisspelled(env, Object.keys(specs).filter(isShared))
  const options = Object.entries(specs).map(([name, spec]) => {
    const parts = (isShared(name) && env[variable(name)]?.split(',').map(part => part.trim())) || []
    const given = parts.filter(part => part !== '')
    const first = given[0] ?? spec.default
    return [name, { ...spec, default: spec.multiple && given.length > 0 ? given : first }]
  })
  try {
    return parseArgs({ args, options: Object.fromEntries(options), allowPositionals: true })
  } catch (error) {
    const { message } = error as Error
    const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? []
    if (unknown === undefined) throw new UsageError(message.split('. ', 1)[0])
    const meant = didYouMean(unknown.replace(/^no-/, ''), [...Object.keys(specs), 'help'], '--')
    throw new UsageError(`there is no option --${unknown}${meant}; see --help`)
  }
}

const variable = (name: string): string => `SIGNED_REQUESTS_${name.toUpperCase().replaceAll('-', '_')}`

/** Others are of the gateway; its DRAIN is near DOMAIN. @throws UsageError */
function refuseMisspelled(env: Io['env'], names: readonly string[]): void {
  for (const found of Object.keys(env)) {
    const [, written] = /^SIGNED_REQUESTS_(?!DRAIN$)(.+)/.exec(found) ?? []
    const meant = written && nearest(written.replaceAll('_', '-'), names)
    if (meant && variable(meant) !== found)
      throw new UsageError(`there is no environment variable ${found} (did you mean ${variable(meant)}?)`)
  }
}

/** ` (did you mean X?)`, when a name is near the misspelled one. */
export function didYouMean(name: string, names: readonly string[], prefix = ''): string {
  const meant = nearest(name, names)
  return meant === undefined ? '' : ` (did you mean ${prefix}${meant}?)`
}

/** Reports all required options that are missing, at once. @throws UsageError */
export function requireFlags(values: Readonly<Record<string, unknown>>, specs: OptionSpecs): void {
  const missing = Object.keys(values).filter(name => [values[name] ?? ''].flat().join('') === '')
  if (missing.length === 0) return
  const described = missing.map(name => `--${name} (${specs[name]!.about})`)
  const variables = missing.filter(isShared).map(variable)
  const orSet = variables.length > 0 ? `; or set ${variables.join(', ')}` : ''
  throw new UsageError(`${described.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing${orSet}`)
}

/** The target with the prefix that a proxy strips. @throws UsageError */
export function addPrefix(prefix: string | undefined, target: string): string {
  if (prefix === undefined) return target
  if (/^\/[!-~]*$/.test(prefix) && !/[?#]/.test(prefix)) return prefix.replace(/\/$/, '') + target
  throw new UsageError(
    '--prefix takes a path such as /hooks; the text before the account id is --account-prefix'
  )
}

/** The standard of this name. @throws UsageError */
export function schemeOf(name: string): Scheme {
  if (Object.hasOwn(SCHEMES, name)) return SCHEMES[name as SchemeName]
  throw new UsageError(`--scheme must be draft-cavage or rfc9421, and is ${name}`)
}

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
  const meanings = [...exits, 'a mistake on the command line']
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
    ...Object.values(EXIT).map((code, i) => wrapWords(`  ${String(code).padEnd(4)}`, meanings[i]!))
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
