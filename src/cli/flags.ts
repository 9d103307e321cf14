import { type ParseArgsConfig, parseArgs } from 'node:util'
import { SCHEMES } from '../fixture/setup.ts'
import { nearest } from '../mistakes/mistakes.ts'
import type { Scheme } from '../scheme.ts'
import type { SchemeName } from '../verdict/verdict.ts'
import { type Io, UsageError } from './command.ts'

export type OptionSpecs = Readonly<NonNullable<ParseArgsConfig['options']>>

export type Values<S extends OptionSpecs> = ReturnType<typeof parseArgs<{ options: S }>>['values']

/** One command of the command line. Its help is its block in docs/command-line.md. */
export interface Command<S extends OptionSpecs = OptionSpecs> {
  /** in brackets when it may be left out; without one, the command takes no argument */
  readonly argument?: string
  readonly options: S
  /** Resolves to the exit code; `argument` is empty when it was left out. @throws UsageError for a mistake */
  run(values: Values<S>, io: Io, argument: string): Promise<number>
}

export const text = { type: 'string' } as const
export const list = { type: 'string', multiple: true } as const
export const flag = { type: 'boolean' } as const

/** Settings that mean the same in every command that has them; each may also be an environment variable. */
export const SHARED = {
  domain: text,
  host: list,
  account: list,
  'account-header': text,
  'account-prefix': text,
  scheme: list,
  algorithm: list,
  'dns-server': list
} as const

const isShared = (name: string): boolean => Object.hasOwn(SHARED, name)

/** The options and positional arguments; the default of a shared setting is its environment variable. @throws UsageError */
export function parseFlags(args: string[], specs: OptionSpecs, env: Io['env']) {
  refuseMisspelled(env, Object.keys(specs).filter(isShared))
  const options = Object.entries(specs).map(([name, spec]) => {
    const value = (isShared(name) && env[variable(name)]) || ''
    const given = value.split(',').flatMap(part => part.trim() || [])
    return [name, given.length === 0 ? spec : { ...spec, default: spec.multiple ? given : given[0] }]
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
export function requireFlags(values: Readonly<Record<string, unknown>>): void {
  const missing = Object.keys(values).filter(name => [values[name] ?? ''].flat().join('') === '')
  if (missing.length === 0) return
  const flags = missing.map(name => `--${name}`).join(', ')
  const variables = missing.filter(isShared).map(variable).join(', ')
  throw new UsageError(`missing: ${flags}${variables && `; or set ${variables}`}; see --help`)
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
