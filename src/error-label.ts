/**
 * What to call an error that came from outside: its code or its name, never its text, which may hold addresses and
 * passwords.
 */
export function errorLabel(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (typeof code === 'string') return code
  return typeof name === 'string' ? name : 'an error without a name'
}
