/**
 * Replaces the rest of the `node:` modules that the library and the command import: functions that a browser can offer,
 * and names that no page calls.
 */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** Replaces `node:net`. */
export const isIPv4 = (text: string): boolean => IPV4.test(text)

/** The library imports these too, but no page calls them. */
export const [isIP, isIPv6]: readonly undefined[] = []

interface ParseArgs {
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>
}

/**
 * Replaces `parseArgs` of `node:util`: returns the tokens of arguments, not strictly, as `flags/parse.ts` asks for
 * them.
 */
export function parseArgs({ args, options }: ParseArgs) {
  const rest = [...args]
  const tokens: object[] = []
  for (let index = 0; rest.length > 0; index = args.length - rest.length) {
    const text = rest.shift()!
    const [, dashes = '', name = '', inline] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(text) ?? []
    if (dashes === '' || name === '') tokens.push({ kind: 'positional', index, value: text })
    else {
      const isText = options[name]?.type === 'string'
      const value = inline ?? (isText ? rest.shift() : undefined)
      tokens.push({ kind: 'option', name, rawName: dashes + name, index, value, inlineValue: inline !== undefined })
    }
  }
  return { tokens }
}

/** Replaces `node:diagnostics_channel`: nobody subscribes. */
export const channel = () => ({ hasSubscribers: false })

/** Replaces `node:dns/promises`: a page only asks the resolver that a person chooses, over HTTPS. */
export class Resolver {}
