import { readFileSync } from 'node:fs'
import { UsageError } from '../../../src/cli/usage.ts'
import { escapeText } from '../../../src/explain/text.ts'
import { GATEWAY_NUMBERS, GATEWAY_OPTIONS } from './flags.ts'

type Value = string | boolean | readonly string[]

/** As `parseArgs` returns them. */
export type Flags = Readonly<Record<string, Value | undefined>>

/** One option as it was given, and where, as messages name it. */
export interface GivenOption {
  readonly value: Value
  readonly where: string
  readonly isArgument: boolean
}

/** By the names of the arguments. `admin-token`, a secret, has no argument. */
export type GivenOptions = ReadonlyMap<string, GivenOption>

const PREFIX = 'SIGNED_REQUESTS_'
const ONLY_ARGUMENTS = ['check', 'help']
const NAMES = new Set([...Object.keys(GATEWAY_OPTIONS), 'admin-token'])
for (const name of ONLY_ARGUMENTS) NAMES.delete(name)

/**
 * What the arguments, the environment and the file say, in this order of precedence.
 *
 * @throws UsageError for an unknown name, so a typo is not silently ignored
 */
export function givenOptions(flags: Flags, env: Readonly<Record<string, string | undefined>>): GivenOptions {
  const given = new Map<string, GivenOption>()
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || text === undefined) continue
    const name = variable.slice(PREFIX.length).toLowerCase().replaceAll('_', '-')
    if (!NAMES.has(name) || variable !== variableOf(name)) {
      throw new UsageError(`there is no environment variable ${escapeText(variable)}; see --help`)
    }
    given.set(name, { value: fromVariable(name, variable, text), where: variable, isArgument: false })
  }
  for (const [name, value] of Object.entries(flags)) {
    if (value !== undefined) given.set(name, { value, where: `--${name}`, isArgument: true })
  }
  const file = given.get('config')?.value
  if (file === undefined) return given
  return new Map([...fromFile(file as string), ...given])
}

const variableOf = (name: string): string => PREFIX + name.toUpperCase().replaceAll('-', '_')

const specOf = (name: string): { type: 'string' | 'boolean'; multiple?: boolean } =>
  name === 'admin-token' ? { type: 'string' } : GATEWAY_OPTIONS[name as keyof typeof GATEWAY_OPTIONS]

function fromVariable(name: string, variable: string, text: string): Value {
  const { type, multiple } = specOf(name)
  if (text === '') throw new UsageError(`${variable} is empty: set it, or unset it`)
  if (multiple) return text.split(',').map(part => part.trim())
  if (type === 'string') return text
  if (text !== 'true' && text !== 'false') throw new UsageError(`${variable} must be true or false`)
  return text === 'true'
}

function fromFile(file: string): Map<string, GivenOption> {
  const given = new Map<string, GivenOption>()
  for (const [name, value] of Object.entries(loadObject(file))) {
    const where = `"${name}" in ${file}`
    if (name === 'config' || !NAMES.has(name)) {
      throw new UsageError(`there is no option ${JSON.stringify(name)}, as in ${file}; see --help`)
    }
    given.set(name, { value: fromJson(name, value, where), where, isArgument: false })
  }
  return given
}

function loadObject(file: string): object {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The message of JSON.parse quotes the file, which may hold a password.
  }
  throw new UsageError(`${file} is not a JSON object`)
}

function fromJson(name: string, value: unknown, where: string): Value {
  const { type, multiple } = specOf(name)
  const isText = (each: unknown): each is string => typeof each === 'string' && each !== ''
  if (type === 'boolean' && typeof value === 'boolean') return value
  if (name in GATEWAY_NUMBERS && typeof value === 'number') return String(value)
  if (type === 'string' && isText(value)) return multiple ? [value] : value
  if (multiple && Array.isArray(value) && value.every(isText)) return value
  const form = name in GATEWAY_NUMBERS ? 'a number' : type === 'boolean' ? 'true or false' : 'a string'
  throw new UsageError(`${where} is not ${form}${multiple ? ' or an array of strings' : ''}`)
}
