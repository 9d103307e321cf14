/** The name for an error from outside: its code or its name, never its text, which may hold addresses and passwords. */
export function errorLabel(error: unknown): string {
  try {
    const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
    if (typeof code === 'string') return code
    if (typeof name === 'string') return name
  } catch {
    // A getter threw: there is no name to use.
  }
  return 'an error without a name'
}
