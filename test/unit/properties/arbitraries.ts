import fc from 'fast-check'

/** Checks a property for every combination of these arbitraries; it must hold, or not throw. */
export function forAll<T extends [unknown, ...unknown[]]>(
  arbitraries: { [I in keyof T]: fc.Arbitrary<T[I]> },
  holds: (...values: T) => unknown,
  options: fc.Parameters<T> = { numRuns: 500 }
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(...arbitraries, async (...values) => void (await holds(...(values as T)))),
    options as fc.Parameters<T>
  )
}

const TOKEN_CHARACTERS = "!#$%&'*+-.^_`|~0123456789ABCXYZabcxyz"

/** RFC 9110 section 5.6.2 */
export const token = fc.string({ unit: fc.constantFrom(...TOKEN_CHARACTERS), minLength: 1, maxLength: 12 })

const octet = (from: number, to: number) => fc.integer({ min: from, max: to }).map(code => String.fromCharCode(code))

/** Makes a field value: visible characters, obs-text, spaces and tabs (RFC 9110 section 5.5). */
export const fieldValue = fc
  .string({ unit: fc.oneof(octet(0x20, 0x7e), octet(0x80, 0xff), fc.constant('\t')), maxLength: 30 })
  .map(value => value.replace(/^[ \t]+|[ \t]+$/g, ''))

/**
 * Makes any code point except surrogates, as fast-check's `binary` does: that one fills a table of a million first,
 * which takes a second in every process.
 */
const codePoint = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map(
  number => String.fromCodePoint(number < 0xd800 ? number : number + 0x800),
  text => {
    const code = String(text).codePointAt(0)
    if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('not one code point')
    return code < 0xd800 ? code : code - 0x800
  }
)

/** Makes Unicode text. */
export const unicode = (constraints: fc.StringSharedConstraints = {}) => fc.string({ ...constraints, unit: codePoint })

/** Makes any octets without white space and line breaks. */
export const requestTarget = fc
  .string({ unit: fc.oneof(octet(0x21, 0x7e), octet(0x80, 0xff)), maxLength: 40 })
  .map(rest => `/${rest}`)

/** These pieces of all grammars appear in the wrong places. */
const PIECES = [
  ...'",;:=\\()/.-_@ \t\r\n\0\x7f\xa0\xff\u212a\uff0e\u2028\ud800',
  'keyId="a.service.example"',
  'signature="eA=="',
  'headers="(request-target) host"',
  'algorithm="rsa-sha256"',
  'created=1',
  'expires=1e9',
  '(created)',
  '(request-target)',
  'host',
  'SHA-256=',
  'sha-512=',
  '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  'v=DKIM1',
  'k=rsa',
  'k=ed25519',
  'h=sha256',
  'h=sha1:sha256',
  's=*',
  't=y',
  'p=',
  'p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ',
  'Fri, 20 Nov 2026 12:00:00 GMT',
  'Friday, 20-Nov-26 12:00:00 GMT',
  'Fri Nov 20 12:00:00 2026',
  'service.example',
  'xn--a',
  'account-',
  '1234',
  '__proto__',
  'constructor'
]

/** Makes any string: Unicode, lone surrogates, and text that is close to one of the grammars. */
export const anyString = fc.oneof(
  unicode({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)), maxLength: 60 }),
  fc
    .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { maxLength: 12 })
    .map(pieces => pieces.join(''))
)

/** Makes a request to sign, with headers of its own that are covered as well. */
export const signable = fc
  .record({
    method: token.map(method => method.toUpperCase()),
    target: requestTarget,
    body: fc.oneof(fc.constant(null), fc.uint8Array({ maxLength: 80 }), unicode({ maxLength: 40 })),
    extra: fc.uniqueArray(fc.tuple(token, fieldValue), { selector: ([name]) => name.toLowerCase(), maxLength: 4 }),
    shuffle: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
    upperCase: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 })
  })
  .map(({ method, target, body, extra, shuffle, upperCase }) => {
    const own = extra.filter(([name]) => !RESERVED.has(name.toLowerCase()))
    const names = [...COVERED, ...own.map(([name]) => name)]
    const covered = names
      .map((name, i) => ({ at: shuffle[i]!, name: upperCase[i] ? name.toUpperCase() : name }))
      .sort((a, b) => a.at - b.at)
      .map(({ name }) => name)
    return { method, target, body, headers: Object.fromEntries(own), covered }
  })

const COVERED = '(request-target) host date x-service-id digest x-nonce'.split(' ')
const RESERVED = new Set('host date digest signature x-service-id x-nonce content-length content-type'.split(' '))
