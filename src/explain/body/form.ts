import type { Writer } from './rewrite.ts'

const SPACE = 0x20
const PLUS = 0x2b
const PERCENT = 0x25
const AMPERSAND = 0x26
const EQUALS = 0x3d

/** Returns whether this is a form: visible ASCII, an equals sign, and whole escapes. */
export function isForm(body: Buffer): boolean {
  let hasEquals = false
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!
    if (byte <= SPACE || byte >= 0x7f || (byte === PERCENT && hexAt(body, i + 1, 2) < 0)) return false
    if (byte === EQUALS) hasEquals = true
  }
  return hasEquals
}

/** The escapes of a writer of forms (WHATWG URL section 5). */
interface FormStyle {
  /** the characters that it escapes, of those that encodeURIComponent leaves */
  readonly escaped: string
  readonly hasPlus?: boolean
  readonly hasBrackets?: boolean
  readonly isLowerCase?: boolean
}

/** Makes a writer of forms in another style. */
function formWriter(style: FormStyle): Writer {
  const units = Uint8Array.from({ length: 256 }, (_, byte) => unitOf(String.fromCharCode(byte), style))
  const digits = Buffer.from(style.isLowerCase ? '0123456789abcdef' : '0123456789ABCDEF')
  return (form, text) => {
    let length = 0
    for (let i = 0; i < form.length && length <= text.length; i++) {
      let byte = form[i]!
      if (byte === AMPERSAND || byte === EQUALS) {
        text[length++] = byte
        continue
      }
      if (byte === PLUS) byte = SPACE
      if (byte === PERCENT) {
        byte = hexAt(form, i + 1, 2)
        i += 2
      }
      const unit = units[byte]!
      if (unit > 0) text[length++] = unit
      else {
        text[length++] = PERCENT
        text[length++] = digits[byte >> 4]!
        text[length++] = digits[byte & 15]!
      }
    }
    return length
  }
}

/** The characters that encodeURIComponent leaves as they are. */
const UNRESERVED = /[\w.!~*'()-]/

/** Returns the byte for a character of a name or a value; 0 for a character that is escaped. */
function unitOf(char: string, { escaped, hasPlus, hasBrackets }: FormStyle): number {
  if (char === ' ' && hasPlus) return PLUS
  const isPlain = UNRESERVED.test(char) ? !escaped.includes(char) : hasBrackets && /[[\]]/.test(char)
  return isPlain ? char.charCodeAt(0) : 0
}

const SPACES_AND_BRACKETS = [{}, { hasPlus: true }, { hasBrackets: true }]

/** The writers of encodeURIComponent, rawurlencode of PHP, URLEncoder of Java and others. */
export const FORM_WRITERS: readonly Writer[] = ['', "!'()*", "!'()~"].flatMap(escaped =>
  SPACES_AND_BRACKETS.flatMap(style => [false, true].map(isLowerCase => formWriter({ escaped, isLowerCase, ...style })))
)

/** Parses this many hexadecimal digits; -1 where there are other bytes. */
export function hexAt(bytes: Buffer, at: number, digits: number): number {
  if (at + digits > bytes.length) return -1
  let value = 0
  for (let i = at; i < at + digits; i++) {
    const digit = DIGITS[bytes[i]!]!
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

/** The value of each hexadecimal digit, by its byte. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase())
)
