const MAX_SHOWN = 60

/** What was passed, for the message of a TypeError: `undefined`, `the number 1234`, `"text"`, `an array`. */
export function describe(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_SHOWN))
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`
  if (typeof value === 'function') return 'a function (is a call missing?)'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  return isThenable(value) ? 'a Promise (is an await missing?)' : 'an object'
}

/** What a wrong option throws, in one line: what was received, what is expected and what to write. */
export const mistake = (option: string, value: unknown, rule: string): TypeError => {
  const hint = value === undefined || value === '' ? ' (is the environment variable it comes from set?)' : ''
  return new TypeError(`${option} ${describe(value)}${hint}: ${rule}`)
}

export const isThenable = (value: unknown): boolean =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'

/**
 * The options that the caller wrote, and nothing else: own properties only, so that a polluted `Object.prototype`
 * cannot turn a check off. An unknown option name throws, so a typo is not silently ignored.
 *
 * @throws TypeError
 */
export function ownOptions<T extends object>(
  of: string,
  options: T,
  names: readonly (keyof T & string)[]
): Partial<T> {
  if (typeof (options ?? undefined) !== 'object' || Array.isArray(options) || ArrayBuffer.isView(options))
    throw new TypeError(
      `${of}() got ${describe(options)} for its options: pass an object with ${names.join(', ')}`
    )
  const own: Partial<T> = Object.create(null)
  for (const name of Object.keys(options)) {
    if (!(names as readonly string[]).includes(name)) {
      const meant = nearest(name, names)
      const rule = meant === undefined ? `its options are ${names.join(', ')}` : `write ${meant}`
      throw new TypeError(`${of}() has no option ${JSON.stringify(name)}: ${rule}`)
    }
    own[name as keyof T] = options[name as keyof T]
  }
  return own
}

/** The name that was most likely meant: at most a third of it is written differently. Capitals do not count. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const written = name.slice(0, 50).toLowerCase()
  const distances = names.map(candidate => editDistance(written, candidate.toLowerCase()))
  const candidate = names[distances.indexOf(Math.min(...distances))] ?? ''
  return Math.min(...distances) <= candidate.length / 3 ? candidate : undefined
}

/** How many characters must be added, removed or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
