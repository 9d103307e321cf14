import { charSet, trimChars } from '../http/fields.ts'

/** The tags of a record by name, in order; names are case-sensitive (RFC 6376 section 3.2). */
export type TagList = ReadonlyMap<string, string>

/** RFC 6376 section 3.2: tag-name = ALPHA *ALNUMPUNC. */
const TAG_NAME = /^[A-Za-z][A-Za-z0-9_]*$/

/** VALCHAR and the white space that may stand between: no control characters, nothing outside ASCII. */
const RECORD = /^[\t\r\n\x20-\x7e]*$/

/**
 * Parses a tag list as RFC 6376 section 3.2 writes it: `name=value` pairs separated by semicolons, with an optional one
 * at the end. Returns the reason as a string when the text is not a tag list.
 */
export function parseTagList(text: string): TagList | string {
  if (!RECORD.test(text)) return 'it has a character outside printable ASCII'
  if (text.includes('\\;')) return 'it has an escaped semicolon, as zone files write it'

  const tags = new Map<string, string>()
  const specs = text.split(';')
  if (specs.length > 1 && trimFolding(specs.at(-1)!) === '') specs.pop()
  for (const spec of specs) {
    const equals = spec.indexOf('=')
    if (equals < 0) return 'a tag has no equals sign'
    const name = trimFolding(spec.slice(0, equals))
    if (!TAG_NAME.test(name)) return 'a tag name is not a letter followed by letters, digits and underscores'
    if (tags.has(name)) return 'a tag appears twice'
    tags.set(name, trimFolding(spec.slice(equals + 1)))
  }
  return tags
}

/** Without outer folding white space: space, tab and line breaks. */
export const trimFolding = (text: string): string => trimChars(text, FOLDING)

const FOLDING = /* @__PURE__ */ charSet(' \t\r\n')
