/** What stands before the strings of a record: a zone line, or how `host` and `nslookup` print it. */
const BEFORE =
  /^\s*(?:(\S+)\s+)?(?:(?:\d+[smhdw]?|IN)\s+){0,2}(?:TXT\s+|descriptive text\s+|text\s*=\s*)(?=["(]|[A-Za-z]+\s*=)/i

/** A quoted string, a comment (up to the end of its line), a bracket, or a string without quotes. */
const TOKENS = /"((?:[^"\\]|\\.)*)"?|;[^\n]*|[()]|[^\s"();]+|\n/gs

/** `\DDD` is an octet, `\X` is that character. */
const ESCAPE = /\\(\d{3}|.)/gs

/**
 * Parses TXT records as people paste them: the text alone, in quoted strings, or zone lines with name, TTL, `IN TXT`,
 * brackets over several lines and comments (RFC 1035 section 5.1). The strings of a record are joined.
 */
export function parseTxt(pasted: string): string[] {
  const records: string[] = []
  for (let rest = pasted; records.length < MAX_RECORDS; ) {
    rest = rest.replace(/^(?:[ \t]*(?:;[^\n]*)?\n)+/, '')
    if (/^\s*(?:;[^\n]*)?$/.test(rest) && records.length > 0) break
    const start = BEFORE.exec(rest)?.[0] ?? ''
    const data = rest.slice(start.length).trimStart()
    if (/^["(]/.test(data)) {
      const { text, end } = joinStrings(data)
      records.push(text)
      rest = data.slice(end)
    } else if (start === '') {
      // Text without quotes is taken as it is.
      return records.length === 0 ? [rest] : records
    } else {
      const [line = ''] = data.split('\n', 1)
      records.push(line.replace(/\\;/g, ';').trimEnd())
      rest = data.slice(line.length + 1)
    }
  }
  return records
}

/** More than a verifier tries. */
const MAX_RECORDS = 20

/** The strings up to the end of the line, or of the brackets. */
function joinStrings(data: string): { text: string; end: number } {
  let text = ''
  let depth = 0
  for (const { 0: token, 1: quoted, index } of data.matchAll(TOKENS)) {
    if (token === '\n' && depth === 0) return { text, end: index + 1 }
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (token !== '\n' && !token.startsWith(';'))
      text += (quoted ?? token).replace(ESCAPE, (_, escaped: string) =>
        escaped.length === 3 ? String.fromCharCode(Number(escaped) & 0xff) : escaped
      )
  }
  return { text, end: data.length }
}

/** A TXT record in the form of a zone file. Strings are joined with nothing between, so short ones work as well. */
export const zoneRecord = (name: string, text: string): string =>
  `${name}. 300 IN TXT (\n${(text.match(/.{1,70}/g) ?? []).map(string => `  "${string}"`).join('\n')} )`
