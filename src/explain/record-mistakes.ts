import { normalizeName } from '../core/http/uri.ts'
import { parseKey } from '../core/key/cache.ts'
import { looksLikeKeyRecord, MAX_KEY_RECORDS, parseKeyRecord, withoutEmptyTags } from '../core/key/record.ts'
import { RSA_BITS } from '../core/key/rsa-der.ts'
import type { KeyEvidence, KeyProblem } from '../core/result/evidence.ts'
import type { Failure } from '../core/verdict/verdict.ts'
import { type Cause, findCause } from './cause.ts'
import { escapeText } from './text.ts'

/** Codes of the check `key` whose reason is in the records: the cause where no mistake is recognised, and the fix. */
const RECORD_CODES = {
  'key-not-found': { cause: 'none of the TXT records at the name is a key record', fix: 'publish the key there' },
  'key-malformed': {
    cause: 'the record is not a list of tags such as v=DKIM1; k=rsa; p=...',
    fix: 'publish the record again, as it was generated'
  },
  'key-version-unsupported': { cause: 'v= of the record is not DKIM1', fix: 'publish the record with v=DKIM1' },
  'key-type-mismatch': {
    cause: 'k= of the record is not the type of its key, or not a usable type',
    fix: 'publish an RSA key with k=rsa, or an Ed25519 key with k=ed25519'
  },
  'key-hash-not-allowed': {
    cause: 'h= of the record does not allow the hash of the signature',
    fix: 'publish the record without h='
  },
  'key-service-mismatch': { cause: 's= of the record is for another service', fix: 'publish the record without s=' },
  'key-test-only': { cause: 't=y of the record marks the key as a test', fix: 'publish the record without t=y' },
  'key-revoked': {
    cause: 'the key was revoked (p= of the record is empty): it was replaced',
    fix: 'sign with the new key, and name that one in keyId'
  },
  'key-unreadable': {
    cause: 'p= of the record is not a public key in base64: it was cut, changed or typed',
    fix: 'publish the record again, as it was generated'
  },
  'key-too-short': { cause: `the RSA key has fewer than ${RSA_BITS.min} bits`, fix: 'publish a key of 2048 bits' },
  'key-too-long': { cause: `the RSA key has more than ${RSA_BITS.max} bits`, fix: 'publish a key of 2048 bits' },
  'key-weak': { cause: 'anyone can forge signatures for this key', fix: 'replace this key at once' }
} as const satisfies Record<KeyProblem, { cause: string; fix: string }>

export type RecordCode = KeyProblem

export const isRecordCode = (code: string): code is RecordCode => Object.hasOwn(RECORD_CODES, code)

/** The TXT records at a name from which no key could be had. All of it comes from outside. */
interface BadRecords {
  readonly code: RecordCode
  /** of the records */
  readonly name: string
  /** a wrong name that has a record */
  readonly misplaced: string | undefined
  /** of each record, its strings joined */
  readonly texts: readonly string[]
  /** those that are meant as key records, and give no key */
  readonly bad: readonly string[]
}

/** A mistake that can be made when the record is published. The fix follows "the sender must". */
interface Mistake<F = unknown> extends Cause<BadRecords, F> {
  readonly mistake: string
  /** records, or a name, that show it: for each code that they give */
  readonly examples: {
    readonly [C in RecordCode]?: { readonly records: readonly string[] } | { readonly name: string }
  }
}

const recordMistake = <F>(entry: Mistake<F>): Mistake => entry as unknown as Mistake

/** The key of RFC 8463 section A.2. */
const P = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='

/** A private key can be in one record, and another record can give any code. */
const IN_ANOTHER_RECORD = Object.fromEntries(
  Object.keys(RECORD_CODES).map(code => [code, { records: ['-----BEGIN PRIVATE KEY-----'] }])
)

/** Most serious first. */
const MISTAKES: readonly Mistake[] = [
  {
    mistake: 'private-key',
    find: ({ texts }) => texts.some(holdsPrivateKey),
    cause: 'A PRIVATE KEY IS IN DNS, where everybody can read it and then sign as the sender',
    fix: 'REVOKE THIS KEY NOW, and publish the public half of a new one',
    examples: IN_ANOTHER_RECORD
  },
  {
    mistake: 'split',
    find: ({ texts }) => isSplit(texts),
    cause: 'one key was split over several TXT records, and DNS returns these in any order',
    fix: 'publish one TXT record that has all the strings',
    examples: {
      'key-malformed': { records: ['v=DKIM1; k=ed25519', `; p=${P}`] },
      'key-type-mismatch': { records: ['v=DKIM1; k=ed255', `19; p=${P}`] },
      'key-hash-not-allowed': { records: ['v=DKIM1; h=sha25', `6; k=ed25519; p=${P}`] },
      'key-revoked': { records: ['v=DKIM1; k=ed25519; p=', P] },
      'key-unreadable': { records: [`v=DKIM1; k=ed25519; p=${P.slice(0, 20)}`, P.slice(20)] }
    }
  },
  recordMistake({
    mistake: 'not-filled-in',
    find: ({ bad }) => firstOf(bad, findPlaceholder),
    cause: ({ found }) => `p= is ${found}: the program that wrote the record had no key to put there`,
    fix: 'fill in the public key, and publish the record again',
    examples: { 'key-unreadable': { records: ['v=DKIM1; k=rsa; p=undefined'] } }
  }),
  {
    mistake: 'pem-lines',
    find: ({ bad }) => bad.some(text => /-----(?:BEGIN|END) /.test(text)),
    cause: 'p= has the first or last line of a PEM file (-----BEGIN PUBLIC KEY-----)',
    fix: 'publish only the text between these lines, without line breaks',
    examples: {
      'key-unreadable': { records: [`v=DKIM1; k=ed25519; p=-----BEGIN PUBLIC KEY-----${P}-----END PUBLIC KEY-----`] },
      'key-malformed': { records: [`v=DKIM1; -----BEGIN PUBLIC KEY-----; p=${P}`] }
    }
  },
  recordMistake({
    mistake: 'another-format',
    find: ({ bad }) => firstOf(bad, findFormat),
    cause: ({ found: [format] }) => `p= is ${format}, and not the base64 of the public key in DER`,
    fix: ({ found: [, convert] }) => `publish the base64 of the public key as SubjectPublicKeyInfo in DER: ${convert}`,
    examples: {
      'key-unreadable': { records: ['v=DKIM1; p=LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0K'] },
      'key-malformed': { records: ['v=DKIM1; p={"kty":"RSA","n":"u1SU1LfVLPHCozMxH2Mo","e":"AQAB"}'] }
    }
  }),
  recordMistake({
    mistake: 'commas',
    find: ({ texts }) => texts.some(text => /^[^;]{0,200},\s*p=[\w+/]{40}/.test(text)),
    cause: 'the tags of the record are separated by commas',
    fix: 'publish them separated by semicolons: v=DKIM1; k=rsa; p=...',
    examples: {
      'key-version-unsupported': { records: [`v=DKIM1, k=ed25519, p=${P}`] },
      'key-not-found': { records: [`k=ed25519, p=${P}`] }
    }
  }),
  recordMistake({
    mistake: 'tags-in-capitals',
    find: ({ texts }) => texts.some(text => /(?:^|;)\s*P\s*=\s*[\w+/]{40}/.test(text)),
    cause: 'the names of the tags are in capital letters, and RFC 6376 section 3.2 compares them with case',
    fix: 'publish them in lower case: v=DKIM1; k=rsa; p=...',
    examples: {
      'key-not-found': { records: [`V=DKIM1; K=ed25519; P=${P}`] },
      'key-malformed': { records: [`v=DKIM1; K=ed25519; P=${P}`] }
    }
  }),
  {
    mistake: 'empty-tag',
    find: ({ bad }) => bad.some(text => correctRecord(text) !== undefined),
    cause:
      'the record has an empty tag: two semicolons in a row, or one at its start, which RFC 6376 section 3.2 does ' +
      'not allow',
    fix: 'publish the corrected record below',
    examples: { 'key-malformed': { records: [`v=DKIM1;; k=ed25519; p=${P}`] } }
  },
  {
    mistake: 'pasted-twice',
    find: ({ bad }) => bad.some(isPastedTwice),
    cause: 'the record was pasted twice into one',
    fix: 'publish the text of the record once',
    examples: {
      'key-malformed': { records: [`v=DKIM1; k=ed25519; p=${P};v=DKIM1; k=ed25519; p=${P}`] },
      'key-version-unsupported': { records: [`v=DKIM1 v=DKIM1; k=ed25519; p=${P}`] },
      'key-unreadable': { records: [`v=DKIM1; k=ed25519; p=${P}v=DKIM1; k=ed25519; p=${P}`] }
    }
  },
  {
    mistake: 'zone-file-characters',
    find: ({ bad }) => bad.some(text => /["\\]/.test(text)),
    cause: 'the quotes or backslashes of a zone file were published as a part of the text',
    fix: 'publish the text without quotes and backslashes, its strings joined',
    examples: {
      'key-malformed': { records: [`"v=DKIM1; k=ed25519; p=${P}"`] },
      'key-type-mismatch': { records: [`v=DKIM1; k="ed25519"; p=${P}`] },
      'key-unreadable': { records: [`v=DKIM1; k=ed25519; p="${P}"`] }
    }
  },
  {
    mistake: 'mail-program',
    find: ({ bad }) => bad.some(hasMailCharacters),
    cause: 'a mail program or an editor put white space or other characters into the text',
    fix: 'publish the record again, copied from the file and not from a mail',
    examples: {
      'key-malformed': { records: [`> v=DKIM1; k=ed25519; p=${P}`] },
      'key-type-mismatch': { records: [`v=DKIM1; k=3Ded25519; p=${P}`] },
      'key-unreadable': { records: [`v=DKIM1; k=ed25519; p=\u200b${P}`] }
    }
  },
  recordMistake({
    mistake: 'cut',
    find: ({ bad }) => bad.find(isCut)?.length,
    cause: ({ found }) => `the record was cut at ${found} characters: only its first part is there`,
    fix: 'publish the whole record, in strings of at most 255 characters',
    examples: { 'key-unreadable': { records: ['v=DKIM1; p=MIGfMA=='] } }
  }),
  recordMistake({
    mistake: 'algorithm-as-type',
    find: ({ code, bad }) => code === 'key-type-mismatch' && firstOf(bad, findAlgorithm),
    cause: ({ found }) => `k= names the type of the key, rsa or ed25519, and not an algorithm (${found})`,
    fix: 'publish an RSA key with k=rsa, or without k=',
    examples: { 'key-type-mismatch': { records: [`v=DKIM1; k=RS256; p=${P}`] } }
  }),
  {
    mistake: 'hash-by-another-name',
    find: ({ code, bad }) =>
      code === 'key-hash-not-allowed' && bad.some(text => /(?:^|;)\s*h\s*=[^;]*sha-?(?:256|512)/i.test(text)),
    cause: 'h= of the record names SHA-256 in another way: sha256 is its name there',
    fix: 'publish the record with h=sha256, or without h=',
    examples: { 'key-hash-not-allowed': { records: [`v=DKIM1; h=SHA-256; k=rsa; p=${P}`] } }
  },
  recordMistake({
    mistake: 'alias-as-text',
    find: ({ texts, bad }) => bad.length === 0 && firstOf(texts, findAlias),
    cause: ({ found }) => `the target of an alias (${escapeText(found)}) was published as a text`,
    fix: 'publish a CNAME record instead of the TXT record',
    examples: { 'key-not-found': { records: ['key.provider.example.'] } }
  }),
  recordMistake({
    mistake: 'zone-appended',
    find: ({ code, name, misplaced }) => misplaced ?? (code === 'key-not-found' && findAppendedZone(name)),
    cause: ({ found }) => `the zone's name was appended twice, in ${escapeText(found)}`,
    fix: 'end the name with a dot in the zone file, or leave the zone out',
    examples: { 'key-not-found': { name: 'key1._domainkey.service.example.service.example' } }
  })
]

/** Describes what is wrong with the records at a name: a known mistake, or else the code. */
export interface RecordProblem {
  /** a constant word: that of the mistake, or the code */
  readonly mistake: string
  /** printable ASCII, without any part of a private key */
  readonly cause: string
  /** what the sender must do: it follows "the sender must" */
  readonly fix: string
}

/** Ignores what is longer, and more than `MAX_KEY_RECORDS`: joining them would take long. */
const MAX_LENGTH = 16_384

/** The names that belong to the records. */
interface Names {
  readonly name?: string | undefined
  readonly misplaced?: string | undefined
}

/**
 * Finds the mistake that was made when the records at a name were published, where one shows.
 *
 * @param code why no key could be had
 * @param texts of each record, its strings joined
 */
export function findMistake(
  code: RecordCode,
  texts: readonly string[],
  { name = '', misplaced }: Names = {}
): RecordProblem | undefined {
  const some = texts.slice(0, MAX_KEY_RECORDS).map(text => text.slice(0, MAX_LENGTH))
  // A key that a limit of the receiver makes unusable is no mistake in the record.
  const bad = some.filter(text => looksLikeKeyRecord(text) && !parseKey(text).ok)
  const found = findCause(MISTAKES, { code, name, misplaced, texts: some, bad })
  return found && { mistake: found.entry.mistake, cause: found.cause, fix: found.fix }
}

/** Finds the mistake in the records, or else describes the code that they give. */
export const findProblem = (code: RecordCode, texts: readonly string[], names?: Names): RecordProblem =>
  findMistake(code, texts, names) ?? { mistake: code, ...RECORD_CODES[code] }

/** Says what a code means where no mistake shows. */
export const describeRecordCode = (code: RecordCode): { readonly cause: string; readonly fix: string } =>
  RECORD_CODES[code]

/** Lists the examples of mistakes that give this code. */
export const mistakeExamples = (code: RecordCode) => MISTAKES.flatMap(({ examples }) => examples[code] ?? [])

/** Finds a name that ends with two labels or more twice. */
function findAppendedZone(name: string): string | undefined {
  const labels = name.split('.')
  for (let count = 2; count * 2 < labels.length; count++) {
    const zone = labels.slice(-count).join('.')
    if (labels.slice(-2 * count, -count).join('.') === zone) return name
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

/** Finds what a program writes in place of a key that it does not have. */
const findPlaceholder = (text: string): string | undefined =>
  /(?:^|;)\s*p\s*=\s*(undefined|null|None|NaN|nil|\[object Object\]|\$\{[\w.]{1,40}\}|\{\{[\w. ]{1,40}\}\}|<[\w -]{1,40}>)\s*(?:;|$)/.exec(
    text
  )?.[1]

/** Finds the name of an algorithm where the type of the key is expected; RSA in capitals is one, too. */
function findAlgorithm(text: string): string | undefined {
  const [, type = ''] = /(?:^|;)\s*k\s*=\s*([\w-]{2,20})\s*(?:;|$)/.exec(text) ?? []
  const isAlgorithm = /^(?:rsa(?:[-_]?(?:v1_5-)?sha-?\d{1,3}|[-_]?\d{4})?|[erp]s\d{3}|sha\d{1,3}withrsa)$/i.test(type)
  return isAlgorithm && type !== 'rsa' ? type : undefined
}

const FROM_PEM = 'openssl pkey -pubin -in FILE -outform DER | openssl base64 -A'

/** Formats in which programs write a public key, by how p= begins, and how to convert them. */
const FORMATS: readonly (readonly [pattern: RegExp, format: string, convert: string])[] = [
  [
    /^LS0tLS1CRUdJTi/,
    'the base64 of a whole PEM file',
    'decode it once, and take what stands between its first and its last line'
  ],
  [/^(?:ssh-|AAAA[BC]3NzaC1)/, 'a key in the form of OpenSSH', `ssh-keygen -e -m PKCS8 -f FILE, then ${FROM_PEM}`],
  [/^\{\s*"/, 'a JWK', "Node.js: createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'der' })"],
  [/^(?:<\?xml|<RSAKeyValue)/i, 'XML of .NET', 'C#: ExportSubjectPublicKeyInfo'],
  [/^30[\da-f]{60}/i, 'hexadecimal', 'xxd -r -p FILE | openssl base64 -A'],
  [/^MII[\w+/]{2}[DTjz]CC[\w+/]{3}gAwIBAgI/, 'a certificate', `openssl x509 -pubkey -noout -in FILE, then ${FROM_PEM}`],
  [/^M[\w-]*[_-][\w-]*=*$/, 'base64url', 'with + and / in place of - and _, and with its padding'],
  [/^[\w+/]{171}=$|^[\w+/]{342}==$|^[\w+/]{683}=$|^AK?[\w+/]{170,700}={0,2}$/, 'the modulus alone', FROM_PEM],
  [/^[^;]*\\n/, 'a PEM with \\n for line breaks', 'without the \\n']
]

/** Finds the format of a public key that is not what p= must be. */
function findFormat(text: string): readonly [format: string, convert: string] | undefined {
  const [, key] = /(?:^|;)p=([^;]*)/.exec(text.replace(/\s+/g, '')) ?? []
  if (key === undefined) return undefined
  const [, format, convert] = FORMATS.find(([pattern]) => pattern.test(key)) ?? []
  return format === undefined || convert === undefined ? undefined : [format, convert]
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

/** Returns whether the text is a key record but for what a mail program or an editor has added. */
function hasMailCharacters(text: string): boolean {
  const cleaned = withoutMailCharacters(text)
  return cleaned !== text && parseKey(cleaned).ok
}

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
function findAlias(text: string): string | undefined {
  const [, name = ''] = /^(?:.{0,255}\sCNAME\s+|CNAME\s+)?([\w.-]+)$/i.exec(text.trim().slice(0, 1024)) ?? []
  const target = normalizeName(name)
  const isName = target?.includes('.') === true && /[a-z][\w-]*$/.test(target)
  return isName && !parseKeyRecord(text).ok ? target : undefined
}
