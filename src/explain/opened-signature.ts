import { constants, createHash, hash as hashAtOnce, type KeyObject, publicDecrypt } from 'node:crypto'
import { parseKey } from '../core/key/cache.ts'
import { KEY_TYPES } from '../core/key/key-types.ts'
import { memoizeRecent } from '../core/memo.ts'
import type { EvidenceByCode } from '../core/result/evidence.ts'
import { isWorkers } from '../core/runtime.ts'
import { computationFor, isAlgorithm } from '../core/signature/algorithms.ts'
import { verifySignature } from '../core/signature/verify-signature.ts'

type Evidence = Pick<EvidenceByCode['signature-mismatch'], 'record' | 'records' | 'signature' | 'algorithm'>

type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512'

/** Describes how a key made a signature, as the opened signature shows it. */
export interface Made {
  readonly padding: 'pkcs1' | 'pss'
  /** undefined where there is no DigestInfo (RFC 8017 section 9.2), so that no hash is named */
  readonly hash: HashName | undefined
}

/** Names wrong forms of a signature that are still valid base64. */
export type SignatureForm = 'hexadecimal' | 'base64-twice'

export interface OpenedSignature {
  readonly isRsa: boolean
  /** whether the key made the signature, over whatever text; undefined where only the right text can show that */
  readonly isByKey: boolean | undefined
  readonly made?: Made
  /** the algorithm that the request names is made in another way */
  readonly isOtherwiseMade?: boolean
  /** how the signature is written, where that is not base64 of its bytes */
  readonly form?: SignatureForm
  /** how many bytes the signature has, where those of the key have another number */
  readonly size?: { readonly received: number; readonly expected: number }
  /** whether it was made over this text */
  readonly wasSigned: (text: string) => boolean
  /** about how many microseconds that question takes */
  readonly cost: (text: string) => number
}

/**
 * Opens a signature that did not verify, with the key that made it, where several are at one name, or else with the
 * first that may have made it. It explains a refusal and accepts nothing.
 *
 * An RSA signature shows the digest of the text that was signed, so a text is tried by hashing it; with Ed25519 each
 * try is a whole verification. Undefined for a key that cannot be used. Never throws.
 */
export function openSignature(evidence: Evidence): OpenedSignature | undefined {
  const each = (evidence.records ?? [evidence.record]).map(record => openWith(record, evidence))
  const best = [
    (opened: OpenedSignature) => opened.isByKey,
    (opened: OpenedSignature) => opened.isByKey === undefined && opened.size === undefined,
    (opened: OpenedSignature) => opened.size === undefined
  ]
  const usable = each.filter(opened => opened !== undefined)
  return best.map(fits => usable.find(fits)).find(opened => opened !== undefined) ?? usable[0]
}

/** Importing a key costs more than opening a signature, and a service has few keys. */
const keyOf = memoizeRecent((record: string) => parseKey(record))

function openWith(text: string, { signature, algorithm }: Evidence): OpenedSignature | undefined {
  const parsed = keyOf(text)
  if (!parsed.ok) return undefined
  const { key, record } = parsed.value
  const named = algorithm.toLowerCase()
  if (!isAlgorithm(named)) return undefined
  // Of keys of different types at one name, the evidence has the algorithm of the first.
  const used = computationFor(named, key.type) ? named : KEY_TYPES[record.type].defaultAlgorithm
  const computation = computationFor(used, key.type)!
  const octets = key.type === 'rsa' ? Math.ceil(key.bits / 8) : 64
  const { bytes, form } = decode(signature, octets)
  const isRsa = key.type === 'rsa'
  const about = {
    isRsa,
    ...(form !== undefined && { form }),
    ...(bytes.length !== octets && { size: { received: bytes.length, expected: octets } })
  }
  const byNobody = { ...about, isByKey: isRsa ? false : undefined, wasSigned: () => false, cost: () => 0 }
  if (bytes.length !== octets) return byNobody
  const byVerification = {
    ...about,
    isByKey: undefined,
    wasSigned: (text: string) => verifySignature(text, bytes, key, used),
    cost: (text: string) => (isRsa ? 20 + 6 * (key.bits / 1024) ** 2 : 100) + text.length / 300
  }
  if (!isRsa) return byVerification

  const isPss = computation.options !== undefined
  const opened = openPkcs1(key.keyObject, bytes) ?? openPss(key.keyObject, bytes, key.bits)
  if (opened === undefined) return byNobody
  // A platform that cannot open PSS can verify it.
  if (opened === 'unsupported') return isPss ? byVerification : { ...byVerification, isByKey: false }
  const { made, isCertain, wasSigned } = opened
  const cost = (text: string) => 2 + text.length / 500
  if (!isCertain) return { ...about, isByKey: undefined, wasSigned, cost }
  const isOtherwiseMade = made.padding !== (isPss ? 'pss' : 'pkcs1') || made.hash !== computation.digest
  return { ...about, isByKey: true, made, isOtherwiseMade, wasSigned, cost }
}

/** Decodes a signature of a known length. Hexadecimal digits are also base64, and base64 can be encoded once more. */
function decode(signature: string, octets: number): { bytes: Buffer; form?: SignatureForm } {
  if (signature.length === 2 * octets && /^[\da-f]+$/i.test(signature))
    return { bytes: Buffer.from(signature, 'hex'), form: 'hexadecimal' }
  const bytes = Buffer.from(signature, 'base64')
  const inner = bytes.length > octets ? bytes.toString('latin1').trimEnd() : ''
  const isTwice = inner.length === 4 * Math.ceil(octets / 3) && /^[A-Za-z0-9+/]+={0,2}$/.test(inner)
  return isTwice ? { bytes: Buffer.from(inner, 'base64'), form: 'base64-twice' } : { bytes }
}

/** Returns whether the published key made the signature, over whatever text; undefined where that cannot be known. */
export const madeByKey = (evidence: Evidence): boolean | undefined => openSignature(evidence)?.isByKey

interface Opened {
  readonly made: Made
  /** false where another number could look the same */
  readonly isCertain: boolean
  readonly wasSigned: (text: string) => boolean
}

const digestOf = (hash: HashName, ...parts: readonly Uint8Array[]): Buffer => {
  const digest = createHash(hash)
  for (const part of parts) digest.update(part)
  return digest.digest()
}

const octetsOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/**
 * Returns the digest of a text, one octet a character. A search for what was signed makes hundreds: `crypto.hash`,
 * where the runtime has it, takes a quarter of the time, and takes an ASCII text as it is.
 */
const hexDigestOf: (hash: HashName, text: string) => string =
  typeof hashAtOnce === 'function'
    ? (hash, text) => hashAtOnce(hash, isAscii(text) ? text : octetsOf(text), 'hex')
    : (hash, text) => digestOf(hash, octetsOf(text)).toString('hex')

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** RFC 8017 section 9.2, note 1: DigestInfo up to the digest. */
const DIGEST_INFOS: readonly (readonly [start: string, hash: HashName, length: number])[] = [
  ['3021300906052b0e03021a05000414', 'sha1', 20],
  ['3031300d060960864801650304020105000420', 'sha256', 32],
  ['3041300d060960864801650304020205000430', 'sha384', 48],
  ['3051300d060960864801650304020305000440', 'sha512', 64]
]

/** Opens an RSASSA-PKCS1-v1_5 signature (RFC 8017 section 8.2.2); undefined for anything else, or another key. */
function openPkcs1(key: KeyObject, signature: Uint8Array): Opened | undefined {
  const content = tryTo(() => publicDecrypt(key, signature))
  if (content === undefined) return undefined
  const named = DIGEST_INFOS.find(
    ([start, , length]) => content.length === start.length / 2 + length && content.toString('hex').startsWith(start)
  )
  // Without DigestInfo, a program may have signed the bare digest. Longer contents can be made by anybody for a key
  // whose exponent is 3.
  const hashes = named === undefined ? DIGEST_INFOS.filter(([, , length]) => length === content.length) : [named]
  const [first] = hashes
  if (first === undefined) return undefined
  const hex = content.subarray(-first[2]).toString('hex')
  return {
    made: { padding: 'pkcs1', hash: named?.[1] },
    isCertain: true,
    wasSigned: text => hashes.some(([, hash]) => hexDigestOf(hash, text) === hex)
  }
}

/** A forger can try signatures until one begins with a few zeros, but not with this many. */
const MIN_ZEROS = 12

/** With a smaller exponent, anybody can compute a number whose power begins and ends as PSS asks. */
const MIN_EXPONENT = 65_537n

/** Opens an RSASSA-PSS signature (RFC 8017 section 9.1.2), with a salt of any length and MGF1 with the same hash. */
function openPss(key: KeyObject, signature: Uint8Array, bits: number): Opened | 'unsupported' | undefined {
  const padding = constants.RSA_NO_PADDING
  const input = isWorkers() ? { key: key.export({ type: 'spki', format: 'pem' }), padding } : { key, padding }
  const message = tryTo(() => publicDecrypt(input, signature))
  if (message === undefined) return 'unsupported'
  // Of a modulus of 8k + 1 bits, the first octet is not part of the encoded message.
  const encoded = message.subarray(message.length - Math.ceil((bits - 1) / 8))
  if (encoded.at(-1) !== 0xbc) return undefined
  let likely: Opened | undefined
  for (const hash of ['sha512', 'sha256', 'sha384', 'sha1'] as const) {
    const split = encoded.length - 1 - digestOf(hash).length
    if (split < 1) continue
    const digest = encoded.subarray(split, -1)
    const block = unmask(encoded.subarray(0, split), hash, digest)
    block[0]! &= 0xff >> (8 * encoded.length - (bits - 1))
    const end = block.findIndex(octet => octet !== 0)
    if (block[end] !== 1) continue
    const salt = block.subarray(end + 1)
    const opened: Opened = {
      made: { padding: 'pss', hash },
      isCertain: end >= MIN_ZEROS && (key.asymmetricKeyDetails?.publicExponent ?? 0n) >= MIN_EXPONENT,
      wasSigned: text => digestOf(hash, Buffer.alloc(8), digestOf(hash, octetsOf(text)), salt).equals(digest)
    }
    if (opened.isCertain) return opened
    // One in 256 has a 1 in that place with the mask of another hash, too.
    likely ??= opened
  }
  return likely
}

/** Removes the mask that MGF1 makes of a seed (RFC 8017 appendix B.2.1). */
function unmask(masked: Uint8Array, hash: HashName, seed: Uint8Array): Uint8Array {
  const counters = Array.from({ length: Math.ceil(masked.length / digestOf(hash).length) }, (_, i) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(i)
    return digestOf(hash, seed, counter)
  })
  const mask = Buffer.concat(counters)
  return masked.map((octet, i) => octet ^ mask[i]!)
}

function tryTo<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}
