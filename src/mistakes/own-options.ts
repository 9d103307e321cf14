import { describe } from './describe.ts'

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
  if (typeof options !== 'object' || options === null || ArrayBuffer.isView(options)) {
    throw new TypeError(
      `${of}() got ${describe(options)} for its options: pass an object with ${names.join(', ')}`
    )
  }
  const own: Partial<T> = Object.create(null)
  for (const name of Object.keys(options)) {
    if (!(names as readonly string[]).includes(name)) {
      throw new TypeError(
        `${of}() has no option ${JSON.stringify(name)}: its options are ${names.join(', ')}`
      )
    }
    own[name as keyof T] = options[name as keyof T]
  }
  return own
}

/** For an option that is required: `undefined` mostly means an environment variable that is not set. */
export const orUndefined = (value: unknown): string =>
  value === undefined
    ? 'undefined (is the environment variable it comes from set?)'
    : value === ''
      ? 'an empty string (is the environment variable it comes from empty?)'
      : describe(value)
