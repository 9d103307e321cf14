import {
  type Dictionary,
  parseDictionary,
  parseList,
  serializeDictionary,
  serializeList
} from 'structured-headers'
import { encodeBase64 } from '../http/base64.ts'

/** Why a text is not a structured field, and where. */
export interface Unparsable {
  position: number
  reason: string
}

/** More than any sender needs; they limit the work that a stranger can cause. */
const MAX_LENGTH = 8192
const MAX_MEMBERS = 100

/** Counts commas, also those inside strings. */
const isTooLong = (text: string): boolean =>
  text.length > MAX_LENGTH || text.split(',', MAX_MEMBERS + 1).length > MAX_MEMBERS

/** Parses a Dictionary (RFC 9651 section 4.2.2). Never throws. */
export function parseDictionaryField(text: string): Dictionary | Unparsable {
  if (isTooLong(text))
    return { position: 0, reason: `it has more than ${MAX_LENGTH} characters or ${MAX_MEMBERS} members` }
  try {
    return parseDictionary(text)
  } catch (error) {
    return unparsable(error)
  }
}

/**
 * A field in its canonical form (section 4.1), a List or a Dictionary; an Item is a List of one. A text that could be
 * either is the same in both forms, except that a Dictionary drops repeated keys: so the List is tried first. Undefined
 * when it is neither. Never throws.
 *
 * The parser does not tell 1.0 from 1, and writes both as 1: a field with a Decimal of no fraction, signed with `sf`,
 * does not verify.
 */
export function canonicalForm(text: string): string | undefined {
  if (isTooLong(text)) return undefined
  try {
    return serializeList(parseList(text))
  } catch {
    const dictionary = parseDictionaryField(text)
    return dictionary instanceof Map ? serializeDictionary(dictionary) : undefined
  }
}

/** Parses a Dictionary whose members are all Byte Sequences without parameters. Never throws. */
export function parseByteSequences(text: string): Map<string, Uint8Array> | Unparsable {
  const dictionary = parseDictionaryField(text)
  if (!(dictionary instanceof Map)) return dictionary

  const sequences = new Map<string, Uint8Array>()
  for (const [key, [value, parameters]] of dictionary) {
    if (!(value instanceof ArrayBuffer) || parameters.size > 0) {
      return {
        position: Math.max(text.indexOf(key), 0),
        reason: 'a byte sequence is expected, and nothing else'
      }
    }
    sequences.set(key, new Uint8Array(value))
  }
  return sequences
}

/**
 * Are Byte Sequences without repeated keys encoded in canonical base64 (RFC 4648 section 3.5)? The parser accepts
 * missing padding and stray bits.
 */
export function isCanonical(text: string, sequences: ReadonlyMap<string, Uint8Array>): boolean {
  const canonical = [...sequences].map(([key, bytes]) => `${key}=:${encodeBase64(bytes)}:`)
  return text.replace(/[ \t]+/g, '') === canonical.join(',')
}

/**
 * The first key that occurs twice in a Dictionary, or in the parameters of one of its items. The parser takes the last
 * of them, as RFC 9651 says; another parser may take the first. For a text that the parser has accepted.
 */
export function findRepeatedKey(dictionary: string): string | undefined {
  const labels = new Set<string>()
  let parameters = new Set<string>()
  for (const [part, parameter, label] of dictionary.matchAll(KEYS)) {
    const key = parameter ?? label
    if (parameter === undefined && !part.includes('"')) parameters = new Set()
    if (key === undefined) continue
    const seen = parameter === undefined ? labels : parameters
    if (seen.has(key)) return key
    seen.add(key)
  }
  return undefined
}

/** A string of either kind, a parameter's key, a member's key, or what ends the parameters of an item. */
const KEYS = /%"[^"]*"|"(?:[^"\\]|\\.)*"|; *([a-z*][a-z0-9_.*-]*)|(?:^|,[ \t]*)([a-z*][a-z0-9_.*-]*)|[() ]/g

/** The parser gives the position only in its message. */
function unparsable(error: unknown): Unparsable {
  const [, reason, position] =
    /^Parse error: (.*) at offset (\d+)$/.exec(String((error as Error).message)) ?? []
  return { position: Number(position ?? 0), reason: reason ?? 'it is not a structured field' }
}
