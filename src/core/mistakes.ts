const MAX_SHOWN = 60

/** The credentials of a URL (RFC 3986 section 3.2.1), as a connection string of a database has them. */
const CREDENTIALS = /:\/\/[^/]*@/

/**
 * Describes a value that was passed in the place of plain text: a host name, a path, one of several words. It shows the
 * text, so that a typing error can be found. Everywhere else `kindOf` is used.
 */
export const describe = (value: unknown): string =>
  typeof value === 'string' && !CREDENTIALS.test(value) ? JSON.stringify(value.slice(0, MAX_SHOWN)) : kindOf(value)

/**
 * Describes the kind of a value that was passed in the place of an object, a store, a client, a function, a URL, a
 * number or a secret: `undefined`, `a string`, `the number 1234`, `an array`. A text in such a place can be a secret.
 */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return value === '' ? '""' : 'a string'
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`
  if (typeof value === 'function') return 'a function (is a call missing?)'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  return isThenable(value) ? 'a Promise (is an await missing?)' : 'an object'
}

const UNSET = ' (is the environment variable it comes from set?)'

const isUnset = (value: unknown): boolean => value === undefined || value === ''

/** Describes a value that often comes from an environment variable. */
export const describeSetting = (value: unknown): string => `${describe(value)}${isUnset(value) ? UNSET : ''}`

/** Describes the kind of a value that often comes from an environment variable. */
export const kindOfSetting = (value: unknown): string => `${kindOf(value)}${isUnset(value) ? UNSET : ''}`

/** Names an option in a message. Another reader may know it by another name, such as a flag. */
export interface NamedOption<N extends string = string> {
  readonly option: N
}

export const named = <N extends string>(option: N): NamedOption<N> => ({ option })

/** Advises callers of the library; a command line leaves it out. */
interface CodeAdvice {
  readonly inCode: string
}

/** A part of a message about options. */
export type Part = string | NamedOption | CodeAdvice

/** Joins a message in the option names of `createVerifier` and the other functions. */
export const inOptions = (parts: readonly Part[]): string =>
  textOf(
    parts,
    option => option,
    advice => advice
  )

function textOf(
  parts: readonly Part[],
  nameOf: (option: string) => string,
  adviceOf: (inCode: string) => string
): string {
  const texts = parts.map(part => {
    if (typeof part === 'string') return part
    return 'option' in part ? nameOf(part.option) : adviceOf(part.inCode)
  })
  return texts.join('')
}

/** Keeps the parts of the message with the error, so that `messageIn` can name the options in another way. */
export const withParts = <E extends Error>(error: E, parts: readonly Part[]): E =>
  Object.defineProperty(error, 'parts', { value: parts })

/** Makes a TypeError with the parts of its message. */
const mistakeOf = (parts: readonly Part[]): TypeError => withParts(new TypeError(inOptions(parts)), parts)

/**
 * Makes the error for a programmer's mistake, in one line: what was received, what is expected and what to write.
 *
 * @param start the place of the mistake, up to the value: `hosts is`, `verify() got`
 * @param received shows the value. `describe` is for a place of plain text; `kindOf` hides a text, which can be a
 *   secret
 */
export const mistake = (
  start: string | readonly Part[],
  value: unknown,
  rule: string | readonly Part[],
  received: (value: unknown) => string = kindOf
): TypeError => mistakeOf([...[start].flat(), ` ${received(value)}: `, ...[rule].flat()])

/** Returns the parts of a message about options; undefined for any other error. */
const partsOf = (error: unknown): readonly Part[] | undefined =>
  (error as { readonly parts?: readonly Part[] } | null | undefined)?.parts

/** Returns the message of an error for a reader who knows options by other names. */
export function messageIn(error: Error, nameOf: (option: string) => string): string {
  const parts = partsOf(error)
  return parts === undefined ? error.message : textOf(parts, nameOf, () => '').trim()
}

type Results<T extends readonly (() => unknown)[]> = { -readonly [I in keyof T]: ReturnType<T[I]> }

/**
 * Runs every validation and returns what each returned, in order.
 *
 * @throws TypeError with one line for each mistake, so that one run shows them all
 */
export function validateAll<T extends readonly (() => unknown)[]>(...validations: T): Results<T> {
  const mistakes: (readonly Part[])[] = []
  const results = validations.map(validate => {
    try {
      return validate()
    } catch (error) {
      const parts = partsOf(error)
      if (parts === undefined) throw error
      mistakes.push(parts)
      return undefined
    }
  })
  if (mistakes.length === 0) return results as Results<T>
  throw mistakeOf(mistakes.flatMap((parts, i) => (i === 0 ? parts : ['\n', ...parts])))
}

/**
 * Runs the validations of a public function. The stack of a mistake begins where that function was called: at the line
 * of the program that has to be changed.
 *
 * @param entry the public function
 */
export function atCaller<T>(entry: (...args: never[]) => unknown, validate: () => T): T {
  try {
    return validate()
  } catch (error) {
    // Not every runtime has it.
    if (partsOf(error) !== undefined) Error.captureStackTrace?.(error as Error, entry)
    throw error
  }
}

export const isThenable = (value: unknown): boolean =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'

/**
 * Returns the options that the caller wrote, and nothing else: own properties only, so that a polluted
 * `Object.prototype` cannot turn a check off. An unknown option name throws, so a typo is not silently ignored.
 *
 * @throws TypeError
 */
export function ownOptions<T extends object>(of: string, options: T, names: readonly (keyof T & string)[]): Partial<T> {
  const own = knownOptions(of, options, names)
  refuseUnknown(of, options, names)
  return own
}

/** Returns those of the caller's own options that have one of these names. @throws TypeError unless it is an object */
export function knownOptions<T extends object>(
  of: string,
  options: T,
  names: readonly (keyof T & string)[]
): Partial<T> {
  if (typeof (options ?? undefined) !== 'object' || Array.isArray(options) || ArrayBuffer.isView(options))
    throw mistake(
      `${of}() got`,
      options,
      `pass an object with ${names.join(', ')}`,
      value => `${kindOf(value)} for its options`
    )
  const own: Partial<T> = Object.create(null)
  for (const name of names) if (Object.hasOwn(options, name)) own[name] = options[name]
  return own
}

/**
 * Validates one call of a public function: its options, and what else it got.
 *
 * @param entry the function: the stack of a mistake begins where it was called
 * @param of its name
 * @param validations gets the caller's own options
 * @returns what each validation returned
 * @throws TypeError with a line for each mistake
 */
export function validateCall<T extends object, V extends readonly (() => unknown)[]>(
  entry: (...args: never[]) => unknown,
  of: string,
  options: T,
  names: readonly (keyof T & string)[],
  validations: (own: Partial<T>) => readonly [...V]
): Results<V> {
  return atCaller(entry, () => {
    const own = knownOptions(of, options, names)
    const [results] = validateAll(
      () => validateAll(...validations(own)),
      () => refuseUnknown(of, options, names)
    )
    return results as Results<V>
  })
}

/** Refuses options that have none of these names, all of them at once. @throws TypeError */
export function refuseUnknown(of: string, options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).filter(name => !names.includes(name))
  validateAll(
    ...unknown.map(name => () => {
      const meant = nearest(name, names)
      const rule = meant === undefined ? `its options are ${names.join(', ')}` : `write ${meant}`
      throw mistake(`${of}() has no option`, name, rule, describe)
    })
  )
}

/** Finds the name that was most likely meant: at most a third of it is written differently. Capitals do not count. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const written = name.slice(0, 50).toLowerCase()
  const distances = names.map(candidate => editDistance(written, candidate.toLowerCase()))
  const candidate = names[distances.indexOf(Math.min(...distances))] ?? ''
  return Math.min(...distances) <= candidate.length / 3 ? candidate : undefined
}

/**
 * Counts the characters that must be added, removed or replaced, or change places with the next one (the distance of
 * Damerau and Levenshtein, in which no character is changed twice).
 */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = row[j]! + (a[i] === b[j] ? 0 : 1)
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      const swapped = isSwapped ? before[j - 1]! + 1 : replaced
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, replaced, swapped))
    }
    before = row
    row = next
  }
  return row[b.length]!
}
