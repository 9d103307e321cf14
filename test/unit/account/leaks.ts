import { inspect } from 'node:util'
import { expect } from 'vitest'

/**
 * Returns every string that is reachable from a value: own properties with hidden and symbol ones, getters of the
 * prototypes, the cause chain, the stack, and the output of the usual printers.
 */
export function stringsReachable(root: unknown): string[] {
  const strings: string[] = []
  const seen = new Set<unknown>()

  const walk = (value: unknown): void => {
    if (typeof value === 'string') strings.push(value)
    if (typeof value === 'symbol') strings.push(String(value))
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
    seen.add(value)
    if (value instanceof Map || value instanceof Set || value instanceof Headers) walk([...value])
    for (let holder: object | null = value; holder !== null; holder = Object.getPrototypeOf(holder)) {
      for (const key of Reflect.ownKeys(holder)) {
        walk(key)
        // Functions of the language are skipped: they lead to the whole language.
        if (key === 'constructor' || (typeof value === 'function' && holder !== value)) continue
        try {
          walk(Reflect.get(holder, key, value))
        } catch {
          // A getter that refuses this receiver has nothing to show.
        }
      }
    }
  }

  walk(root)
  for (const customInspect of [true, false]) {
    strings.push(inspect(root, { showHidden: true, depth: Number.POSITIVE_INFINITY, getters: true, customInspect }))
  }
  strings.push(String(root), inspect(root), JSON.stringify(root) ?? '')
  if (root instanceof Error) strings.push(JSON.stringify(root, Object.getOwnPropertyNames(root)), root.stack ?? '')
  return strings
}

/** Fails when a secret, or a form of it that decodes to it, is in any string reachable from the value. */
export function expectNoSecret(value: unknown, secrets: readonly string[]): void {
  const all = stringsReachable(value).join('\n')
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8)
    for (const form of [secret, encodeURIComponent(secret), btoa(secret), JSON.stringify(secret).slice(1, -1)]) {
      if (all.includes(form)) expect.fail(`a secret can be reached: ${all.slice(0, 2000)}`)
    }
  }
}
