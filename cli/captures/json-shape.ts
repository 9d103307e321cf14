import { UsageError } from '../../flags/usage-error.ts'
import type { HeaderLine } from '../../src/internal/index.ts'

/** Serializes JSON as JavaScript does, compact and indented, and as Python does; each with and without a newline. */
export function* serializations(body: unknown): Generator<readonly [Buffer, note: string]> {
  const note = 'the body was parsed: written as JSON again, these are the bytes that were signed'
  for (const indent of [0, 1, 2]) {
    const text = JSON.stringify(body, null, indent)
    const python = () => text.replace(/\n */g, ' ').replace(/([{[]) | ([}\]])/g, '$1$2')
    const written = Buffer.from(indent === 1 ? python() : text)
    yield [written, note]
    yield [Buffer.concat([written, Buffer.from('\n')]), note]
  }
}

/** Decodes what a file says is base64: Node.js leaves out whatever is not. @throws UsageError */
export function fromBase64(text: string): Buffer {
  if (/^[A-Za-z0-9+/_\s-]*={0,2}\s*$/.test(text)) return Buffer.from(text, 'base64')
  throw new UsageError('a body of the file is said to be base64, and is not: is it cut, or decoded already?')
}

/** Parses an object of names and values, an array of pairs, or an array of `{ name, value }`. */
export function parseHeaders(headers: unknown): HeaderLine[] {
  const lines = Array.isArray(headers) ? headers : Object.entries(headers as object)
  return lines.flatMap(line => {
    const [name, values, more] = Array.isArray(line) ? line : [line?.name ?? line?.key, line?.value]
    return [values].flat(1).map((value: unknown): HeaderLine => {
      // JSON does not say how a larger number, or one with a fraction, was written.
      const isExact = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
      if (typeof name === 'string' && more === undefined && isExact) return [name, String(value)]
      throw new UsageError(
        `the header ${String(name).slice(0, 60)} is not text: headers must be an object of names and values, ` +
          `pairs, or { name, value } (of Node.js req.headers, not req.rawHeaders)`
      )
    })
  })
}
