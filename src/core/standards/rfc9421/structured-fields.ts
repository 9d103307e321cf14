import { type Dictionary, parseDictionary, parseList, serializeDictionary, serializeList } from 'structured-headers'

/** The reason why a text is not a structured field, and the position. */
export interface Unparsable {
  position: number
  reason: string
}

/** Senders stay below these limits. The parser is slow, and it runs before the signature has verified. */
interface Limits {
  length: number
  parts: number
}

/** The limits of Signature-Input alone. */
export const FOR_INPUT: Limits = { length: 1536, parts: 104 }

/** The limits of Signature-Input together with the components covered with parameters. */
export const FOR_PARAMETERS: Limits = { length: 1024, parts: 55 }

export const describeLimits = ({ length, parts }: Limits): string =>
  `more than ${length} characters or ${parts} commas, semicolons and spaces`

/** Returns whether this is too much to parse. Separators count also inside strings. */
export const isTooLong = (text: string, { length, parts }: Limits): boolean =>
  text.length > length || text.split(/[,; ]/, parts + 2).length > parts + 1

/** Parses a Dictionary (RFC 9651 section 4.2.2). Never throws. */
export function parseDictionaryField(text: string): Dictionary | Unparsable {
  if (isTooLong(text, FOR_INPUT)) return { position: 0, reason: `it has ${describeLimits(FOR_INPUT)}` }
  try {
    return parseDictionary(text)
  } catch (error) {
    return unparsable(error)
  }
}

/**
 * Serializes a field in its canonical form (section 4.1), a List or a Dictionary; an Item is a List of one. A text that
 * could be either is the same in both forms, except that a Dictionary drops repeated keys: so the List is tried first.
 * Undefined when it is neither. Never throws.
 *
 * The parser does not tell 1.0 from 1, and writes both as 1: a field with a Decimal of no fraction, signed with `sf`,
 * does not verify.
 */
export function canonicalForm(text: string): string | undefined {
  try {
    return serializeList(parseList(text))
  } catch {
    const dictionary = parseDictionaryField(text)
    return dictionary instanceof Map ? serializeDictionary(dictionary) : undefined
  }
}

/** Matches a member, and the comma before the next one. */
const BYTE_SEQUENCE = /([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/=]*):(?:$|[ \t]*,[ \t]*(?!$))/gy

/** Senders need fewer octets. */
export const MAX_SEQUENCES_LENGTH = 4096
const MAX_SEQUENCES = 32

/**
 * Parses a Dictionary whose members are all Byte Sequences without parameters: each key and its base64, which is
 * neither decoded nor checked, in their order. Never throws.
 */
export function parseByteSequences(text: string): [key: string, encoded: string][] | Unparsable {
  if (text.length > MAX_SEQUENCES_LENGTH)
    return { position: 0, reason: `it has more than ${MAX_SEQUENCES_LENGTH} characters` }
  const sequences: [string, string][] = []
  let position = 0
  for (const [member, key, encoded] of text.matchAll(BYTE_SEQUENCE)) {
    if (sequences.length === MAX_SEQUENCES) return { position, reason: `it has more than ${MAX_SEQUENCES} members` }
    sequences.push([key!, encoded!])
    position += member.length
  }
  return position === text.length ? sequences : { position, reason: 'a byte sequence is expected, and nothing else' }
}

/**
 * Finds the first key that occurs twice in a Dictionary, or in the parameters of one of its items. The parser takes the
 * last of them, as RFC 9651 says; another parser may take the first. For a text that the parser has accepted.
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

/** Matches a string of either kind, a parameter's key, a member's key, or the end of the parameters of an item. */
const KEYS = /%"[^"]*"|"(?:[^"\\]|\\.)*"|; *([a-z*][a-z0-9_.*-]*)|(?:^|,[ \t]*)([a-z*][a-z0-9_.*-]*)|[() ]/g

/** Finds the position, which the parser gives only in its message. */
function unparsable(error: unknown): Unparsable {
  const [, reason, position] = /^Parse error: (.*) at offset (\d+)$/.exec(String((error as Error).message)) ?? []
  return { position: Number(position ?? 0), reason: reason ?? 'it is not a structured field' }
}
