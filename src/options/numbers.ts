import { describe } from '../mistakes/describe.ts'

/** A number within bounds, or the default when there is none. */
export function validateNumber(
  value: unknown,
  byDefault: number,
  option: string,
  unit: string,
  { least = 1, most = Number.MAX_VALUE }: { least?: number; most?: number } = {}
): number {
  if (value === undefined) return byDefault
  if (typeof value === 'number' && value >= least && value <= most) return value
  const upTo = most === Number.MAX_VALUE ? '' : ` and at most ${most}`
  throw new TypeError(
    `${option} is ${describe(value)}: pass a number of ${unit}, at least ${least}${upTo}, such as ${byDefault}`
  )
}

/** A longer delay would make a timer fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1

export const validateTimeout = (value: unknown, byDefault: number, option: string): number =>
  validateNumber(value, byDefault, option, 'milliseconds', { most: LONGEST_DELAY })

const DAY = 86_400

/** Seconds: more than a day is most likely milliseconds by mistake, and would accept a request for days. */
export function validateDateTolerance(value: unknown): number {
  if (typeof value === 'number' && value > DAY) {
    throw new TypeError(
      `dateTolerance is ${describe(value)}, more than a day: it is in seconds, so for milliseconds write ${value / 1000}`
    )
  }
  return validateNumber(value, 300, 'dateTolerance', 'seconds', { least: 0 })
}
