/**
 * Parses structured fields (RFC 9651 section 4.2) for the oracle, without the library that the package uses. Numbers
 * are compared by their value.
 */

/** Matches the parts of an item in canonical form, without parameters that state the default value. */
const BARE =
  /^(?:"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|-?\d{1,12}\.\d{1,3}(?!\d)|-?\d{1,15}(?![\d.])|:[A-Za-z0-9+/=]*:|\?[01]|@-?\d{1,15}(?![\d.])|%"(?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*"|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*)/
const KEY = /^[a-z*][a-z0-9_.*-]*/

class Reader {
  private text: string
  constructor(text: string) {
    this.text = text
  }

  take(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.text = this.text.slice(found.length)
    return found
  }
  need(pattern: RegExp): string {
    const found = this.take(pattern)
    if (found === undefined) throw new Error('not a structured field')
    return found
  }
  get isAtEnd(): boolean {
    return this.text === ''
  }

  bare(): string {
    const text = this.need(BARE)
    if (/^-?\d/.test(text)) return String(Number(text) + 0)
    if (text.startsWith(':')) return `:${Buffer.from(text.slice(1, -1), 'base64').toString('base64')}:`
    return text
  }
  parameters(): string {
    const found = new Map<string, string>()
    while (this.take(/^; */) !== undefined) {
      const key = this.need(KEY)
      const value = this.take(/^=/) === undefined ? '?1' : this.bare()
      found.set(key, value)
    }
    return [...found].map(([key, value]) => `;${key}${value === '?1' ? '' : `=${value}`}`).join('')
  }
  member(): string {
    if (this.take(/^\( */) === undefined) return this.bare() + this.parameters()
    const items: string[] = []
    while (this.take(/^\)/) === undefined) {
      items.push(this.bare() + this.parameters())
      this.need(/^(?: +|(?=\)))/)
    }
    return `(${items.join(' ')})${this.parameters()}`
  }
  members<T>(read: () => T): T[] {
    const found: T[] = []
    this.take(/^ +/)
    while (!this.isAtEnd) {
      found.push(read())
      this.take(/^[ \t]+/)
      if (this.isAtEnd) break
      this.need(/^,[ \t]*(?=.)/s)
    }
    return found
  }
}

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

function dictionaryOf(text: string): Map<string, string> | undefined {
  const reader = new Reader(text.replace(/ +$/, ''))
  return attempt(
    () =>
      new Map(
        reader.members((): [string, string] => {
          const key = reader.need(KEY)
          return [key, reader.take(/^=/) === undefined ? `?1${reader.parameters()}` : reader.member()]
        })
      )
  )
}

/** Returns the member of a Dictionary, as `;key` covers it. */
export const memberOf = (text: string, key: string): string | undefined => dictionaryOf(text)?.get(key)

/** Returns a List or a Dictionary in canonical form, as `;sf` covers it. */
export function canonicalOf(text: string): string | undefined {
  const reader = new Reader(text.replace(/ +$/, ''))
  const list = attempt(() => reader.members(() => reader.member()))
  if (list !== undefined) return list.join(', ')
  const dictionary = dictionaryOf(text)
  if (dictionary === undefined) return undefined
  return [...dictionary]
    .map(([key, value]) => (value.startsWith('?1') ? key + value.slice(2) : `${key}=${value}`))
    .join(', ')
}
