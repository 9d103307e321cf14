/** More than any query that is signed by its parameters; it limits the work that a stranger can cause. */
const MAX_LENGTH = 8192

/**
 * The values of a query by their names, both re-encoded as RFC 9421 section 2.2.8 says: parsed as
 * `application/x-www-form-urlencoded`, then percent-encoded. Null for a name that occurs more than once, which cannot
 * be signed. Empty for a query that is too long.
 *
 * @param query with its question mark
 */
export function parseQueryParams(query: string): ReadonlyMap<string, string | null> {
  const values = new Map<string, string | null>()
  if (query.length > MAX_LENGTH) return values
  for (const [name, value] of new URLSearchParams(query)) {
    const encoded = percentEncode(name)
    values.set(encoded, values.has(encoded) ? null : percentEncode(value))
  }
  return values
}

/** The application/x-www-form-urlencoded percent-encode set (URL section 1.3) has five more than encodeURIComponent. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()~]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
