/** Indentation multiplies the size of a text by its depth. */
const MAX_DEPTH = 16

/**
 * JSON as other writers serialize it: compact (JavaScript, Ruby, Go), with spaces (Python), indented; with slashes
 * escaped (PHP), with <, > and & escaped (Go, Rails, Gson, .NET), or with non-ASCII escaped (Python, PHP, .NET); with a
 * newline at the end; and with the zeros that parsers drop, 1.0 and 1.50. The order of the members stays.
 */
export function* jsonVariants(body: Buffer): Generator<Buffer> {
  const text = body.toString('utf8')
  const tokens = text.match(TOKENS)
  if (tokens === null || !isJson(text) || depthOf(tokens) > MAX_DEPTH) return
  const serializers = [
    (write: WriteToken) => text.replace(TOKENS, token => write(token)),
    ...LAYOUTS.map(layout => (write: WriteToken) => serialize(tokens, write, ...layout))
  ]
  for (const write of [...writeStrings(tokens), ...writeNumbers(tokens)]) {
    for (const serializer of serializers) {
      const json = serializer(write)
      yield Buffer.from(json)
      yield Buffer.from(`${json}\n`)
    }
  }
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function depthOf(tokens: readonly string[]): number {
  let depth = 0
  let deepest = 0
  for (const token of tokens) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth)
    else if (token === '}' || token === ']') depth--
  }
  return deepest
}

/** After a comma, after a colon, and for each level of indentation. */
const LAYOUTS: readonly (readonly [comma: string, colon: string, indent?: string])[] = [
  [',', ':'],
  [', ', ': '],
  [',', ': ', '  '],
  [',', ': ', '    '],
  [',', ': ', '\t'],
  [',', ': '],
  [', ', ':']
]

type WriteToken = (token: string) => string

function serialize(
  tokens: readonly string[],
  write: WriteToken,
  comma: string,
  colon: string,
  indent?: string
): string {
  let text = ''
  let depth = 0
  const newLine = () => (indent === undefined ? '' : `\n${indent.repeat(depth)}`)
  for (const [i, token] of tokens.entries()) {
    if (token === '{' || token === '[') {
      depth++
      text += token + (isEnd(tokens[i + 1]) ? '' : newLine())
    } else if (isEnd(token)) {
      depth--
      text += (isStart(tokens[i - 1]) ? '' : newLine()) + token
    } else if (token === ',') text += comma + newLine()
    else text += token === ':' ? colon : write(token)
  }
  return text
}

const isStart = (token: string | undefined): boolean => token === '{' || token === '['
const isEnd = (token: string | undefined): boolean => token === '}' || token === ']'

/** How strings are escaped, those first that change what is there. */
function writeStrings(tokens: readonly string[]): WriteToken[] {
  const strings = [...new Set(tokens.filter(token => token.startsWith('"')))]
  const seen = new Set<string>()
  return STRING_WRITERS.map(write => {
    const written = new Map(strings.map(token => [token, write(token)]))
    return { written, key: [...written.values()].join() }
  })
    .filter(({ key }) => !seen.has(key) && seen.add(key))
    .map(
      ({ written }) =>
        token =>
          written.get(token) ?? token
    )
}

const plain: WriteToken = token => JSON.stringify(JSON.parse(token))
const slashes: WriteToken = token => plain(token).replaceAll('/', '\\/')
const ascii = (json: string): string => escaped(json, /[^\0-~]/g)

const STRING_WRITERS: readonly WriteToken[] = [
  token => token,
  plain,
  token => ascii(plain(token)),
  slashes,
  token => ascii(slashes(token)),
  token => escaped(plain(token), /[<>&\u2028\u2029]/g),
  token => escaped(plain(token), /[<>&='\u2028\u2029]/g),
  token => escaped(plain(token).replaceAll('\\"', '\\u0022'), /[<>&'+`\x7f-\uffff]/g, true)
]

const escaped = (json: string, units: RegExp, isUpperCase = false): string =>
  json.replace(units, unit => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${isUpperCase ? hex.toUpperCase() : hex}`
  })

/** Each subset of so many integers is tried. */
const MAX_INTEGERS = 4

/** With the zeros after the point that parsers drop: of all numbers, or of some. */
function writeNumbers(tokens: readonly string[]): WriteToken[] {
  const integers = [...new Set(tokens.filter(isInteger))].slice(0, MAX_INTEGERS)
  const numbers = tokens.filter(token => /^-?\d/.test(token))
  if (numbers.length === 0) return []
  const writers: WriteToken[] = [
    token => (isInteger(token) ? `${token}.0` : token),
    token => withDecimals(token)
  ]
  for (let subset = 1; subset < 2 ** integers.length; subset++) {
    const chosen = new Set(integers.filter((_, i) => subset & (1 << i)))
    writers.push(token => (chosen.has(token) ? `${token}.0` : token))
  }
  return [...writers, token => (/^-?\d+\.\d$/.test(token) ? `${token}0` : token)]
}

const isInteger = (token: string): boolean => /^-?\d+$/.test(token)

/** As amounts of money are written. */
const withDecimals = (token: string): string =>
  isInteger(token) ? `${token}.00` : /^-?\d+\.\d$/.test(token) ? `${token}0` : token

/**
 * A form (WHATWG URL section 5) as others serialize it: spaces as %20 or +, escapes in lower case, more or fewer
 * characters escaped, and arrays with or without brackets.
 */
export function* formVariants(body: Buffer): Generator<Buffer> {
  const text = body.toString('latin1')
  if (!/^[\x21-\x7e]*=[\x21-\x7e]*$/.test(text)) return
  for (const base of [text, text.replace(/%5B\d*%5D(?==)/gi, ''), text.replace(/=(?=&|$)/g, '')]) {
    for (const write of FORM_WRITERS) {
      try {
        const form = base.replace(/[^&=]+/g, part => write(decodeURIComponent(part.replace(/\+/g, ' '))))
        for (const variant of [
          form,
          form.replace(/%20/g, '+'),
          form.replace(/%5B/g, '[').replace(/%5D/g, ']')
        ]) {
          yield Buffer.from(variant)
          yield Buffer.from(variant.replace(/%../g, found => found.toLowerCase()))
        }
      } catch {
        return
      }
    }
  }
}

const strict = (text: string, more: RegExp): string =>
  encodeURIComponent(text).replace(more, found => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)

/** `encodeURIComponent`, RFC 3986 (PHP, Python, Ruby), and the form serializer of the WHATWG. */
const FORM_WRITERS: readonly WriteToken[] = [
  encodeURIComponent,
  text => strict(text, /[!'()*]/g),
  text => strict(text, /[!'()~]/g)
]
