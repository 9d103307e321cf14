/** The text before the strings: a zone line, or how `host` and `nslookup` print it. */
const BEFORE =
  /^\s*(?:(\S+)\s+)?(?:(?:\d+[smhdw]?|IN)\s+){0,2}(?:TXT\s+|descriptive text\s+|text\s*=\s*)(?=["(]|[A-Za-z]+\s*=)/i

/** The text of a TXT record, and the name when it was pasted with it. */
export interface PastedRecord {
  name: string | undefined
  text: string
}

/**
 * Parses a TXT record as people paste it: the text alone, in quoted strings, or a whole zone line with name, TTL, `IN
 * TXT`, brackets over several lines and comments (RFC 1035 section 5.1). Strings are joined with nothing between.
 */
export function parseTxt(pasted: string): PastedRecord {
  const start = BEFORE.exec(pasted)
  const name = start?.[1]
  const data = (start === null ? pasted : pasted.slice(start[0].length)).trim()
  const isZoneData = data.startsWith('"') || data.startsWith('(')
  // Text without quotes is taken as it is; in a zone line its semicolons may be escaped.
  const text = isZoneData ? joinQuoted(data) : start === null ? pasted : data.replace(/\\;/g, ';')
  return { name: name?.toLowerCase().replace(/\.$/, ''), text }
}

/** A quoted string, a comment (up to the end of its line), or a string without quotes. */
const STRINGS = /"((?:[^"\\]|\\.)*)"?|;[^\n]*|[^\s"();]+/gs

/** `\DDD` is an octet, `\X` is that character. */
const ESCAPE = /\\(\d{3}|.)/gs

function joinQuoted(data: string): string {
  const strings = Array.from(data.matchAll(STRINGS), ([token, quoted]) =>
    quoted !== undefined ? quoted : token.startsWith(';') ? '' : token
  )
  return strings
    .join('')
    .replace(ESCAPE, (_, escaped: string) =>
      escaped.length === 3 ? String.fromCharCode(Number(escaped) & 0xff) : escaped
    )
}

/** A TXT record in the form of a zone file. Strings are joined with nothing between, so short ones work as well. */
export function zoneRecord(name: string, text: string): string {
  const strings = text.match(/.{1,70}/g) ?? []
  return `${name}. 300 IN TXT (\n${strings.map(string => `  "${string}"`).join('\n')} )`
}
