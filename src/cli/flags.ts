import { parseArgs } from 'node:util'
import { SCHEMES } from '../fixture/setup.ts'
import { nearest } from '../mistakes/own-options.ts'
import type { Scheme } from '../scheme.ts'
import type { SchemeName } from '../verdict/verdict.ts'
import { type Io, UsageError } from './command.ts'

/** An option as `parseArgs` takes it, with what the help says about it. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  readonly short?: string
  /** the placeholder for the value */
  readonly value?: string
  readonly about: string
  /** in words */
  readonly otherwise?: string
  /** may also be the environment variable SIGNED_REQUESTS_NAME */
  readonly env?: true
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

const text = <const V extends string>(value: V, about: string, otherwise?: string) =>
  ({ type: 'string', value, about, ...(otherwise !== undefined && { otherwise }) }) as const

const list = <const V extends string>(value: V, about: string, otherwise?: string) =>
  ({ ...text(value, about, otherwise), multiple: true }) as const

const flag = (about: string) => ({ type: 'boolean', about }) as const

/** How each kind of option is written in a command's table. */
export const option = { text, list, flag }

const shared = <const S extends OptionSpec>(spec: S) => ({ ...spec, env: true }) as const

/** Settings that mean the same in every command that has them. */
export const SHARED = {
  domain: shared(text('NAME', "the service's domain, which the key's name must be under")),
  host: shared(list('NAME', 'a host name of the receiver')),
  account: shared(list('ID', 'an account id to accept')),
  'account-header': shared(text('NAME', 'the header that carries the account', 'X-Service-ID')),
  'account-prefix': shared(text('TEXT', 'the text before the account id in it', 'account-')),
  scheme: shared(list('NAME', 'a standard to accept, draft-cavage or rfc9421', 'draft-cavage')),
  algorithm: shared(list('NAME', 'an algorithm to accept', 'rsa-sha256')),
  'dns-server': shared(list('IP:PORT', 'ask this DNS server, such as 127.0.0.1:5353', "the system's"))
} as const

/** Of several commands, but set again for each call. */
export const COMMON = {
  prefix: text(
    'PATH',
    'a part of the path that a proxy strips, such as /hooks: signed, but not seen by the receiver'
  ),
  json: flag('print the result as JSON'),
  help: { ...flag('print this help'), short: 'h' }
} as const

type Values<S extends OptionSpecs> = {
  [N in keyof S]?: S[N]['type'] extends 'boolean'
    ? boolean
    : S[N]['multiple'] extends true
      ? string[]
      : string
}

/**
 * The options and positional arguments of a command; a shared setting that is not given comes from its environment
 * variable.
 *
 * @param positional how the one positional argument is called, and whether it may be left out
 * @throws UsageError
 */
export function parseFlags<S extends OptionSpecs>(
  command: string,
  args: string[],
  specs: S,
  io: Pick<Io, 'env'>,
  positional?: { name: string; required: boolean }
): { values: Values<S>; argument: string | undefined } {
  const { values, positionals } = parse(args, specs)
  refuseMisspelled(io.env, specs)
  for (const [name, spec] of Object.entries(specs)) {
    const found = spec.env && io.env[variable(name)]
    if (!found || values[name] !== undefined) continue
    const parts = found.split(',').map(part => part.trim())
    values[name] = spec.multiple ? parts.filter(part => part !== '') : parts[0]
  }
  const isRight = positionals.length === 1 || (positionals.length === 0 && !positional?.required)
  if (!isRight || (positionals.length > 0 && positional === undefined))
    throw new UsageError(
      `${command} takes ${positional === undefined ? 'no argument' : `one ${positional.name}`}`
    )
  return { values: values as Values<S>, argument: positionals[0] }
}

const variable = (name: string): string => `SIGNED_REQUESTS_${name.toUpperCase().replaceAll('-', '_')}`

/** Others are of the gateway; its DRAIN is near DOMAIN. @throws UsageError */
function refuseMisspelled(env: Io['env'], specs: OptionSpecs): void {
  const names = Object.keys(specs).filter(name => specs[name]!.env)
  for (const found of Object.keys(env)) {
    const [, written] = /^SIGNED_REQUESTS_(?!DRAIN$)(.+)/.exec(found) ?? []
    const meant = written && nearest(written.replaceAll('_', '-'), names)
    if (meant && variable(meant) !== found)
      throw new UsageError(`there is no environment variable ${found} (did you mean ${variable(meant)}?)`)
  }
}

function parse(args: string[], specs: OptionSpecs) {
  try {
    const { values, positionals } = parseArgs({ args, options: specs, allowPositionals: true })
    return { values: values as Record<string, unknown>, positionals }
  } catch (error) {
    const { message } = error as Error
    const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? []
    if (unknown === undefined) throw new UsageError(message.split('. ', 1)[0])
    const meant = didYouMean(unknown.replace(/^no-/, ''), Object.keys(specs), '--')
    throw new UsageError(`there is no option --${unknown}${meant}; see --help`)
  }
}

/** ` (did you mean X?)`, when a name is near the misspelled one. */
export function didYouMean(name: string, names: readonly string[], prefix = ''): string {
  const meant = nearest(name, names)
  return meant === undefined ? '' : ` (did you mean ${prefix}${meant}?)`
}

/** Reports all required options that are missing, at once. @throws UsageError */
export function requireFlags(
  values: Readonly<Record<string, unknown>>,
  specs: OptionSpecs,
  names: string[]
): void {
  const missing = names.filter(name => [values[name] ?? ''].flat().join('') === '')
  if (missing.length === 0) return
  const described = missing.map(name => `--${name} (${specs[name]!.about})`)
  const variables = missing.filter(name => specs[name]!.env).map(variable)
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

/** The standards by their names. @throws UsageError */
export const schemesOf = (names: readonly string[]): Scheme[] =>
  names.map(name => {
    if (Object.hasOwn(SCHEMES, name)) return SCHEMES[name as SchemeName]
    throw new UsageError(`--scheme must be draft-cavage or rfc9421, and is ${name}`)
  })
