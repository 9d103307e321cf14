import { decodeBase64 } from '../http/base64.ts'
import { charSet, trimChars } from '../http/fields.ts'
import { fail, ok, type Result } from '../result/result.ts'
import { isRecordKeyType } from './key-types.ts'
import type { KeyRecord } from './types.ts'

/** Limits the key records tried at one name: a rotation has two. */
export const MAX_KEY_RECORDS = 4

/** Every key record is much shorter. A longer text is neither remembered nor shown whole. */
export const MAX_RECORD_LENGTH = 4096

/** Joins the strings of a TXT record with nothing between (RFC 6376 section 3.6.2.2). */
export const joinStrings = (record: string | readonly string[]): string =>
  typeof record === 'string' ? record : record.join('')

/**
 * Parses one DKIM TXT record (RFC 6376 section 3.6.1, RFC 8463). Never throws.
 *
 * Fails with `key-malformed`, `key-version-unsupported`, `key-type-mismatch`, `key-hash-not-allowed` (no hash that any
 * algorithm here uses), `key-service-mismatch`, `key-test-only`, `key-revoked` or `key-unreadable`.
 *
 * @example
 * const record = parseKeyRecord('v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=')
 * if (!record.ok) console.error(record.code, record.message)
 */
export function parseKeyRecord(record: string | readonly string[]): Result<KeyRecord> {
  const text = joinStrings(record)
  const malformed = (reason: string) => fail('key-malformed', { record: text, reason })

  const tags = parseTagList(text)
  if (typeof tags === 'string') return malformed(tags)
  for (const name of KEY_TAGS) {
    if (/["\\]/.test(tags.get(name) ?? '')) return malformed(`${name}= has a quote or a backslash`)
  }

  // "This tag MUST be the first tag in the record if present."
  const version = tags.get('v')
  if (version !== undefined && tags.keys().next().value !== 'v') return malformed('v= is not the first tag')
  if (version !== undefined && version !== 'DKIM1') return fail('key-version-unsupported', { record: text })

  const type = tags.get('k') ?? 'rsa'
  if (!isRecordKeyType(type)) return fail('key-type-mismatch', { record: text, reason: 'k= is not rsa or ed25519' })

  const hashes = colonList(tags.get('h'))
  if (hashes !== undefined && !hashes.includes('sha256') && !hashes.includes('sha512')) {
    return fail('key-hash-not-allowed', { record: text, reason: 'h= allows neither sha256 nor sha512' })
  }
  // Records published "as DKIM keys" have `s=email`, or no `s=`.
  const services = colonList(tags.get('s'))
  if (services !== undefined && !services.includes('*') && !services.includes('email')) {
    return fail('key-service-mismatch', { record: text })
  }
  // "Verifiers MUST NOT treat messages from Signers in testing mode differently from unsigned email."
  const flags = colonList(tags.get('t')) ?? []
  if (flags.includes('y')) return fail('key-test-only', { record: text })

  const encoded = tags.get('p')?.replace(/[ \t\r\n]+/g, '')
  if (encoded === undefined) return malformed('there is no p=')
  if (encoded === '') return fail('key-revoked', { record: text })
  const publicKey = decodeBase64(encoded)
  if (publicKey === undefined) return fail('key-unreadable', { record: text, reason: 'p= is not canonical base64' })

  return ok({ type, publicKey: new Uint8Array(publicKey), hashes, flags, text })
}

/** The tags that decide here; `n=` and unknown ones may have any value. Each has its rule on the pages. */
export const KEY_TAGS = ['v', 'k', 'h', 's', 't', 'p'] as const

const colonList = (value: string | undefined): string[] | undefined => value?.split(':').map(trimFolding)

/**
 * The tags of a record by name, in order; names are case-sensitive (RFC 6376 section 3.2). Only a tag of `KEY_TAGS` can
 * be asked for.
 */
interface TagList {
  get(name: (typeof KEY_TAGS)[number]): string | undefined
  keys(): Iterator<string>
}

/** RFC 6376 section 3.2: tag-name = ALPHA *ALNUMPUNC. */
const TAG_NAME = /^[A-Za-z][A-Za-z0-9_]*$/

/** VALCHAR and the white space that may stand between: no control characters, nothing outside ASCII. */
const RECORD = /^[\t\r\n\x20-\x7e]*$/

/**
 * Parses a tag list as RFC 6376 section 3.2 writes it: `name=value` pairs separated by semicolons, with an optional one
 * at the end. Returns the reason as a string when the text is not a tag list.
 */
function parseTagList(text: string): TagList | string {
  if (!RECORD.test(text)) return 'it has a character outside printable ASCII'
  if (/^[\s\\]*"/.test(text)) return 'it begins with a quote, as zone files write it'
  if (text.includes('\\;')) return 'it has an escaped semicolon, as zone files write it'

  const tags = new Map<string, string>()
  const specs = text.split(';')
  if (specs.length > 1 && trimFolding(specs.at(-1)!) === '') specs.pop()
  for (const spec of specs) {
    if (trimFolding(spec) === '') return 'a tag is empty'
    const equals = spec.indexOf('=')
    if (equals < 0) return 'a tag has no equals sign'
    const name = trimFolding(spec.slice(0, equals))
    if (!TAG_NAME.test(name)) return 'a tag name is not a letter followed by letters, digits and underscores'
    if (tags.has(name)) return 'a tag appears twice'
    tags.set(name, trimFolding(spec.slice(equals + 1)))
  }
  return tags
}

/** Returns the text without its empty tags, which no tag list has: a semicolon too many makes one. */
export const withoutEmptyTags = (text: string): string =>
  trimFolding(
    text
      .split(';')
      .filter(spec => trimFolding(spec) !== '')
      .join(';')
  )

/** Removes outer folding white space: space, tab and line breaks. */
const trimFolding = (text: string): string => trimChars(text, FOLDING)

const FOLDING = /* @__PURE__ */ charSet(' \t\r\n')

/**
 * Returns whether this TXT record is meant as a key record, good or bad: it has a `v` tag that is empty or starts with
 * DKIM in any case, or no `v` tag and a `p` tag. Parses loosely, so that a broken key record is reported as broken, not
 * as missing.
 */
export function looksLikeKeyRecord(text: string): boolean {
  const tags = text.split(';').map(spec => /^([^=]*)=(.*)$/s.exec(spec)?.slice(1).map(looseTrim))
  const versions = tags.filter(tag => tag?.[0] === 'v')
  if (versions.length === 0) return tags.some(tag => tag?.[0] === 'p')
  return versions.some(tag => /^(?:DKIM|$)/i.test(tag![1]!))
}

/** Drops white space of any kind, and the quotes and backslashes that zone files leave behind. */
const looseTrim = (text: string): string => trimChars(text.trim(), QUOTES).trim()

const QUOTES = /* @__PURE__ */ charSet('"\'\\')
