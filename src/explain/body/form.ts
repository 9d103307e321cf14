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

/** Describes how a serializer of forms writes a name or a value. */
interface FormStyle {
  /** what it leaves as it is, besides letters and digits */
  readonly plain: string
  readonly space: '+' | '%20'
}

const DIGITS_OF_ESCAPES = Buffer.from('0123456789ABCDEF')

/** Makes a writer of forms in another style. */
function formWriter({ plain, space }: FormStyle): Writer {
  const isPlain = new Uint8Array(256)
  for (let byte = 0; byte < 256; byte++)
    isPlain[byte] = Number(/[A-Za-z0-9]/.test(String.fromCharCode(byte)) || plain.includes(String.fromCharCode(byte)))
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
      if (isPlain[byte] === 1) text[length++] = byte
      else if (byte === SPACE && space === '+') text[length++] = PLUS
      else {
        text[length++] = PERCENT
        text[length++] = DIGITS_OF_ESCAPES[byte >> 4]!
        text[length++] = DIGITS_OF_ESCAPES[byte & 15]!
      }
    }
    return length
  }
}

/** The serializers of forms, by what they leave unescaped. */
export const FORM_WRITERS: readonly Writer[] = [
  // URLSearchParams (WHATWG URL section 5.2), URLEncoder of Java
  formWriter({ plain: '*-._', space: '+' }),
  // encodeURIComponent
  formWriter({ plain: "-_.!~*'()", space: '%20' }),
  // urlencode() of Python, url.Values of Go
  formWriter({ plain: '-_.~', space: '+' }),
  // http_build_query() of PHP
  formWriter({ plain: '-_.', space: '+' }),
  // http_build_query() of PHP with PHP_QUERY_RFC3986, quote() of Python
  formWriter({ plain: '-_.~', space: '%20' })
]

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
