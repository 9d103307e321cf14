import { parseKey } from '../../src/internal/index.ts'

/** Matches a quoted string, a comment up to the end of its line, a bracket, the end of a line, or anything else. */
const TOKENS = /"((?:[^"\\]|\\.)*)"?|;[^\n]*|[()\n]|[^"();\n]+/gs

/** Unescapes a string: `\DDD` is an octet, `\X` is that character. */
const unescapeString = (quoted: string): string =>
  quoted.replace(/\\(?:(\d{3})|(.))/gs, (_, octet?: string, character?: string) =>
    octet === undefined ? character! : String.fromCharCode(Number(octet) & 0xff)
  )

/**
 * Parses TXT records as people paste them: the text alone, or quoted strings, with whatever a zone file, dig, host or
 * nslookup writes before them, in brackets over several lines and with comments (RFC 1035 section 5.1). The strings of
 * a record are joined.
 */
export function parsePastedRecords(pasted: string): string[] {
  if (!pasted.includes('"')) return [pasted.replace(/^(?:\s*;[^\n]*\n)+/, '')]
  const records: string[][] = [[]]
  let depth = 0
  for (const { 0: token, 1: quoted } of pasted.matchAll(TOKENS)) {
    if (quoted !== undefined) records.at(-1)!.push(unescapeString(quoted))
    else if (token === '(') depth++
    else if (token === ')') depth = Math.max(0, depth - 1)
    else if (token === '\n' && depth === 0) records.push([])
  }
  return records.filter(strings => strings.length > 0).map(strings => strings.join(''))
}

/**
 * Joins the strings of one record that were pasted as records of their own: together they are a key, and alone none is.
 */
export function joinSplitRecord(texts: string[]): string[] {
  const joined = texts.join('')
  const isSplit = texts.length > 1 && !texts.some(text => parseKey(text).ok) && parseKey(joined).ok
  return isSplit ? [joined] : texts
}
