const MAX_SHOWN = 60

/** What was passed, for the message of a TypeError: `undefined`, `the number 1234`, `"text"`, `an array`. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_SHOWN))
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'symbol') return 'a symbol'
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
