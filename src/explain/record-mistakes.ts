import { normalizeName } from '../core/http/uri.ts'
import { parseKey } from '../core/key/cache.ts'
import { looksLikeKeyRecord, MAX_KEY_RECORDS, parseKeyRecord, withoutEmptyTags } from '../core/key/record.ts'
import type { KeyEvidence, KeyProblem } from '../core/result/evidence.ts'
import type { Failure } from '../core/verdict/verdict.ts'
import { escapeText } from './text.ts'

/** The mistakes that can be made when the record is published. Names in it come from outside: escape them. */
export type RecordMistake =
  | { readonly mistake: 'private-key' }
  | { readonly mistake: 'empty-tag' }
  /** the text of the record is there twice, in one record */
  | { readonly mistake: 'pasted-twice' }
  /** one key in several records, which DNS returns in any order */
  | { readonly mistake: 'split' }
  /** quotes or backslashes that belong to the zone file */
  | { readonly mistake: 'zone-file-characters' }
  /** white space, line breaks or typographic characters */
  | { readonly mistake: 'mail-program' }
  | { readonly mistake: 'cut'; readonly length: number }
  | { readonly mistake: 'alias-as-text'; readonly target: string }
  /** this name, of the record or in keyId, has the zone appended twice */
  | { readonly mistake: 'zone-appended'; readonly at: string }

/** Codes of the check `key` whose reason is in the records. */
const RECORD_CODES = {
  'key-not-found': ['none of the TXT records at the name is a key record', 'publish the key there'],
  'key-malformed': [
    'the record is not a list of tags such as v=DKIM1; k=rsa; p=...',
    'publish the record again, as it was generated'
  ],
  'key-version-unsupported': ['v= of the record is not DKIM1', 'publish the record with v=DKIM1'],
  'key-type-mismatch': [
    'k= of the record is not the type of its key, or not a usable type',
    'publish an RSA key with k=rsa, or an Ed25519 key with k=ed25519'
  ],
  'key-hash-not-allowed': [
    'h= of the record does not allow the hash of the signature',
    'publish the record without h='
  ],
  'key-service-mismatch': ['s= of the record is for another service', 'publish the record without s='],
  'key-test-only': ['t=y of the record marks the key as a test', 'publish the record without t=y'],
  'key-revoked': [
    'the key was revoked (p= of the record is empty): it was replaced',
    'sign with the new key, and name that one in keyId'
  ],
  'key-unreadable': [
    'p= of the record is not a public key in base64: it was cut, changed or typed',
    'publish the record again, as it was generated'
  ],
  'key-too-short': ['the RSA key has fewer than 1024 bits', 'publish a key of 2048 bits'],
  'key-too-long': ['the RSA key has more than 8192 bits', 'publish a key of 2048 bits'],
  'key-weak': ['anyone can forge signatures for this key', 'replace this key at once']
} as const satisfies Record<KeyProblem, readonly [cause: string, fix: string]>

export type RecordCode = KeyProblem

export const isRecordCode = (code: string): code is RecordCode => Object.hasOwn(RECORD_CODES, code)

/** The problem of the records at a name: a mistake, or else the code of the check. */
export type RecordProblem = RecordMistake | { readonly mistake: RecordCode }

/**
 * Describes the cause, and what the sender must do: it follows "the sender must". Printable ASCII, without any part of
 * a private key.
 */
export function describeProblem(problem: RecordProblem): { readonly cause: string; readonly fix: string } {
  switch (problem.mistake) {
    case 'private-key':
      return {
        cause: 'A PRIVATE KEY IS IN DNS, where everybody can read it and then sign as the sender',
        fix: 'REVOKE THIS KEY NOW, and publish the public half of a new one'
      }
    case 'empty-tag':
      return {
        cause:
          'the record has an empty tag: two semicolons in a row, or one at its start, which RFC 6376 section 3.2 ' +
          'does not allow',
        fix: 'publish the corrected record below'
      }
    case 'pasted-twice':
      return {
        cause: 'the record was pasted twice into one',
        fix: 'publish the text of the record once'
      }
    case 'split':
      return {
        cause: 'one key was split over several TXT records, and DNS returns these in any order',
        fix: 'publish one TXT record that has all the strings'
      }
    case 'zone-file-characters':
      return {
        cause: 'the quotes or backslashes of a zone file were published as a part of the text',
        fix: 'publish the text without quotes and backslashes, its strings joined'
      }
    case 'mail-program':
      return {
        cause: 'a mail program or an editor put white space or other characters into the text',
        fix: 'publish the record again, copied from the file and not from a mail'
      }
    case 'cut':
      return {
        cause: `the record was cut at ${problem.length} characters: only its first part is there`,
        fix: 'publish the whole record, in strings of at most 255 characters'
      }
    case 'alias-as-text':
      return {
        cause: `the target of an alias (${escapeText(problem.target)}) was published as a text`,
        fix: 'publish a CNAME record instead of the TXT record'
      }
    case 'zone-appended':
      return {
        cause: `the zone's name was appended twice, in ${escapeText(problem.at)}`,
        fix: 'end the name with a dot in the zone file, or leave the zone out'
      }
    default: {
      const [cause, fix] = RECORD_CODES[problem.mistake]
      return { cause, fix }
    }
  }
}

/** Ignores what is longer, and more than `MAX_KEY_RECORDS`: joining them would take long. */
const MAX_LENGTH = 16_384

/**
 * Finds what is wrong with the TXT records at a name from which no key could be had.
 *
 * @param texts of each record, its strings joined
 */
export function findProblem(code: RecordCode, texts: readonly string[]): RecordProblem {
  const some = texts.slice(0, MAX_KEY_RECORDS).map(text => text.slice(0, MAX_LENGTH))
  return (
    (some.some(holdsPrivateKey) ? { mistake: 'private-key' } : undefined) ??
    (isSplit(some) ? { mistake: 'split' } : undefined) ??
    firstOf(some.filter(looksLikeKeyRecord), findMistake) ??
    firstOf(some, findAlias) ?? { mistake: code }
  )
}

/** Finds a name that ends with two labels or more twice. */
export function findAppendedZone(name: string): RecordMistake | undefined {
  const labels = name.split('.')
  for (let count = 2; count * 2 < labels.length; count++) {
    const zone = labels.slice(-count).join('.')
    if (labels.slice(-2 * count, -count).join('.') === zone) return { mistake: 'zone-appended', at: name }
  }
  return undefined
}

/** Returns the record that a failure is about, and those at its name, where it has any. */
export const recordEvidence = ({ evidence }: Failure): Pick<KeyEvidence, 'record' | 'records'> =>
  evidence !== undefined && ('record' in evidence || 'records' in evidence) ? evidence : {}

/** Returns the texts of all these records. */
export function recordTexts(failure: Failure): string[] {
  const { record, records = [] } = recordEvidence(failure)
  return record === undefined ? [...records] : [record, ...records]
}

/** Shows each of the texts, or none: where one of them holds a private key, another may hold the rest of it. */
export function hidePrivateKeys(texts: readonly string[]): (text: string) => string {
  const hasPrivateKey = texts.some(holdsPrivateKey)
  return text => (hasPrivateKey ? '(not shown: a private key)' : text)
}

function firstOf<T>(texts: readonly string[], find: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const found = find(text)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Matches the start of private keys in base64: a SEQUENCE whose first INTEGER is the version, 0 or 1, of PKCS#1, PKCS#8
 * (RFC 5958: 1 when the public key is with it) or SEC1. The length of the SEQUENCE has three, two or one bytes. A
 * public key has no such number there.
 */
const PRIVATE_KEY =
  /BEGIN[A-Z]*PRIVATEKEY|MII[\w+/]{2}[AQgw]IBA|MI[GH][\w+/]AgE[AB]|M[A-H][AEIMQUYcgkosw048]CAQ(?:[AE]w|EE)/

export const holdsPrivateKey = (text: string): boolean => PRIVATE_KEY.test(text.replace(/[\s"'\\-]+/g, ''))

function findMistake(text: string): RecordMistake | undefined {
  // A limit of the receiver makes this key unusable.
  if (parseKey(text).ok) return undefined
  if (correctRecord(text) !== undefined) return { mistake: 'empty-tag' }
  if (isPastedTwice(text)) return { mistake: 'pasted-twice' }
  if (/["\\]/.test(text)) return { mistake: 'zone-file-characters' }
  const cleaned = withoutMailCharacters(text)
  if (cleaned !== text && parseKey(cleaned).ok) return { mistake: 'mail-program' }
  return isCut(text) ? { mistake: 'cut', length: text.length } : undefined
}

/** Returns the record without its empty tags, where that makes a good one of it. */
export function correctRecord(text: string): string | undefined {
  const corrected = withoutEmptyTags(text)
  return !parseKeyRecord(text).ok && parseKey(corrected).ok ? corrected : undefined
}

function isPastedTwice(text: string): boolean {
  if (text.split(/v[ \t]*=[ \t]*DKIM1/).length > 2) return true
  const joined = text.replace(/[\s;]+/g, '')
  const half = joined.slice(0, joined.length / 2)
  if (joined.length > 40 && joined === half + half) return true
  const key = /(?:^|;)p=([^;]*)/.exec(text.replace(/\s+/g, ''))?.[1] ?? ''
  const halfKey = key.slice(0, key.length / 2)
  return key.length > 80 && key === halfKey + halfKey
}

/** Returns whether the records, joined in some order, are one record: one of them begins it. */
function isSplit(texts: readonly string[]): boolean {
  const continues = (head: string, rest: readonly string[]): boolean =>
    rest.some((text, i) => {
      const joined = head + text
      return parseKey(joined).ok || continues(joined, without(rest, i))
    })
  return texts.some((text, i) => looksLikeKeyRecord(text) && continues(text, without(texts, i)))
}

const without = (texts: readonly string[], index: number): string[] => texts.filter((_, i) => i !== index)

/**
 * Removes white space of any kind, the leftovers of quoted-printable and quoting, and typographic quotes; UTF-8 was
 * read as Latin-1.
 */
function withoutMailCharacters(text: string): string {
  const decoded = /^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1').toString() : text
  return decoded
    .replace(/=\r?\n/g, '')
    .replace(/^[> \t]+/gm, '')
    .replace(/=3D/g, '=')
    .replace(/=20|[\s\0\u200b-\u200f\u2018-\u201f\u2060\ufeff]/g, '')
}

/** Returns whether the key was cut: DER says its own length (X.690 section 8.1.3), which a cut key does not reach. */
function isCut(text: string): boolean {
  const encoded = /(?:^|;)[ \t]*p[ \t]*=([A-Za-z0-9+/=\s]*)$/.exec(text)?.[1]
  const der = Buffer.from(encoded ?? '', 'base64')
  if (der.length < 4 || der[0] !== 0x30) return false
  return der.length < lengthOf(der)
}

/** Returns the length that the head of an element gives, in one, two or three octets, with the head itself. */
function lengthOf([, first = 0, high = 0, low = 0]: Uint8Array): number {
  if (first === 0x81) return 3 + high
  return first === 0x82 ? 4 + high * 0x100 + low : 2 + first
}

/** Finds a name with a dot, alone or as a line of a zone file. */
function findAlias(text: string): RecordMistake | undefined {
  const [, name = ''] = /^(?:.{0,255}\sCNAME\s+|CNAME\s+)?([\w.-]+)$/i.exec(text.trim().slice(0, 1024)) ?? []
  const target = normalizeName(name)
  const isName = target?.includes('.') === true && /[a-z][\w-]*$/.test(target)
  return isName && !parseKeyRecord(text).ok ? { mistake: 'alias-as-text', target } : undefined
}
