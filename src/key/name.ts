import { rememberFew } from '../headers/remember.ts'

/** A label as key records use it: letters, digits, hyphen and underscore (RFC 1035 section 2.3.1, RFC 8552). */
const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/

/** Only ASCII, checked before lower-casing: some letters beyond it become ASCII ones. */
const ASCII_NAME = /^[A-Za-z0-9._-]+$/

/** RFC 1035 section 2.3.4, without the trailing dot. */
const MAX_LENGTH = 253

/**
 * A DNS name in lower case and without a trailing dot, or undefined when it is not one. Resolvers cut names at a
 * NUL, map full-width letters and swallow backslashes; none of that gets past here.
 */
export const normalizeName = rememberFew((name: string): string | undefined => {
  if (name.length > MAX_LENGTH + 1 || !ASCII_NAME.test(name)) return undefined
  const lower = name.toLowerCase()
  const bare = lower.endsWith('.') ? lower.slice(0, -1) : lower
  return bare.length <= MAX_LENGTH && LABELS.test(bare) ? bare : undefined
})
