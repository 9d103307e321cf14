/** Quotes a word for a POSIX shell (section 2.2.2): inside single quotes only the single quote has a meaning. */
export const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
