/** The text of a TXT record: as it is, or in quoted strings as `dig` and zone files show it. */
export function parseTxt(text: string): string {
  if (!text.trimStart().startsWith('"')) return text
  const strings = text.matchAll(/"((?:[^"\\]|\\.)*)"/g)
  return Array.from(strings, ([, string = '']) => string.replace(/\\(.)/g, '$1')).join('')
}

/** A TXT record as a zone file has it. Character-strings are joined with nothing between, so short ones do as well. */
export function zoneRecord(name: string, text: string): string {
  const strings = text.match(/.{1,70}/g) ?? []
  return `${name}. 300 IN TXT (\n${strings.map(each => `  "${each}"`).join('\n')} )`
}
