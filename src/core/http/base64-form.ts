import type { Base64Form } from '../result/evidence.ts'

/** Matches what a program writes in place of a value that it does not have. */
export const PLACEHOLDER =
  /^(?:undefined|null|None|NaN|nil|\[object Object\]|\$?\{\{?[\w. $-]{1,60}\}?\}|<[\w -]{1,60}>|%\w{1,60}%)$/

/** Recognises how a text is written that is not canonical base64. The first that fits counts. */
const FORMS: readonly (readonly [form: Base64Form, pattern: RegExp])[] = [
  ['empty', /^$/],
  ['python-bytes', /^b'/],
  ['jws', /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/],
  ['placeholder', PLACEHOLDER],
  ['json-escapes', /\\u00[23][0-9a-f]|\\\//i],
  ['percent-encoded', /%(?:2[BF]|3D)/i],
  ['hexadecimal', /^(?:0x)?(?:[0-9a-f]{2}[: ]?)+$/i],
  // RFC 2045 section 6.8 and RFC 7468 section 2; a folded line begins with white space.
  ['lines', /^(?:[A-Za-z0-9+/]{76}|[A-Za-z0-9+/]{64})(?:[ \t]|(?:\\r)?\\n)/],
  ['lines', /\\n$/],
  ['plus-as-space', /^(?=[^ ]+ )[A-Za-z0-9/ ]*=*$/],
  ['base64url', /^(?=[A-Za-z0-9]*[_-])[A-Za-z0-9_-]*=*$/],
  ['without-padding', /^(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,3}=?$/]
]

/** A longer value is no signature; its start shows the form as well. */
const MAX_LENGTH = 4096

/** Returns how a text that is not canonical base64 is written instead, as evidence; undefined where nothing shows. */
export function base64FormOf(text: string): { form: Base64Form } | undefined {
  const start = text.slice(0, MAX_LENGTH)
  const found = FORMS.find(([, pattern]) => pattern.test(start))
  return found && { form: found[0] }
}
