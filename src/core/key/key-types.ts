import { createPublicKey, type KeyObject } from 'node:crypto'
import { type Failed, fail, ok, type Result } from '../result/result.ts'
import { parseRsaDer, RSA_BITS } from './rsa-der.ts'
import type { KeyLimits, KeyRecord, KeyType, RecordKeyType } from './types.ts'

/** A key that is ready to verify with. */
export interface PublicKey {
  /** `rsa` or `ed25519`; `p256` is only made in code */
  type: KeyType
  /** length of the RSA modulus, or 256 for the others */
  bits: number
  /** for `node:crypto` */
  keyObject: KeyObject
}

/** The rules that differ between the types of key that a record can hold. */
interface RecordKeyRules {
  /** Makes a key of the value of `p=`. */
  importKey(record: KeyRecord, limits: KeyLimits): Result<PublicKey>
  /** Returns whether this value of `p=` is complete: no byte is missing, and none can follow. */
  isComplete(publicKey: Uint8Array): boolean
  /** by the draft, for a signature that names no algorithm (draft-cavage-http-signatures-12 section 2.1.3) */
  defaultAlgorithm: string
}

/** The types of key that a record can hold, by the value of `k=`. */
export const KEY_TYPES = {
  rsa: {
    importKey: importRsa,
    isComplete: der => typeof parseRsaDer(der) === 'object',
    defaultAlgorithm: 'rsa-sha256'
  },
  ed25519: {
    importKey: importEd25519,
    isComplete: point => point.length === ED25519_BYTES,
    defaultAlgorithm: 'ed25519'
  }
} as const satisfies Record<RecordKeyType, RecordKeyRules>

export const isRecordKeyType = (type: string): type is RecordKeyType => Object.hasOwn(KEY_TYPES, type)

/**
 * Makes a key from a parsed record: RSA as SubjectPublicKeyInfo or as PKCS#1 RSAPublicKey (RFC 6376 erratum 3017),
 * Ed25519 as 32 raw bytes (RFC 8463 section 4). Strict DER, and nothing after it. Never throws.
 *
 * Fails with `key-unreadable`, `key-type-mismatch`, `key-too-short`, `key-too-long` or `key-weak`.
 *
 * @param limits bits of the RSA modulus; by default those of `createVerifier`
 *
 * @example
 * const record = parseKeyRecord('v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=')
 * const key = record.ok ? importPublicKey(record.value) : record
 * if (key.ok) key.value.type // 'ed25519'
 */
export function importPublicKey(record: KeyRecord, limits: KeyLimits = {}): Result<PublicKey> {
  return KEY_TYPES[record.type].importKey(record, limits)
}

function importRsa({ publicKey: der, text: record }: KeyRecord, limits: KeyLimits): Result<PublicKey> {
  const { minRsaBits = RSA_BITS.min, maxRsaBits = RSA_BITS.max } = limits
  const found = parseRsaDer(der)
  if (found === undefined) return unreadable(record, 'p= is not the DER of a public key')
  if (found === 'surplus') return unreadable(record, 'the DER has bytes that do not belong to the key')
  if (found === 'other')
    return fail('key-type-mismatch', { record, reason: 'k= says rsa but the key is of another type' })

  const { form, bits, isExponentGood } = found
  if (!(bits >= minRsaBits)) return fail('key-too-short', { record, bits, limit: minRsaBits })
  if (bits > maxRsaBits) return fail('key-too-long', { record, bits, limit: maxRsaBits })
  // With exponent 1 the padded digest is its own signature; an even one is not RSA; a long one is slow.
  if (!isExponentGood) {
    const reason = 'the public exponent is not an odd number of at least 3 and at most 33 bits'
    return fail('key-weak', { record, bits, reason })
  }
  const keyObject = importDer(der, form)
  if (keyObject === undefined) return unreadable(record, 'this runtime cannot import the key')
  return ok({ type: 'rsa', bits, keyObject })
}

/** RFC 8032 section 5.1.5. */
const ED25519_BYTES = 32

/** SubjectPublicKeyInfo of Ed25519 (RFC 8410 section 4) up to the key's 32 bytes. */
const ED25519_PREFIX = /* @__PURE__ */ Buffer.from('302a300506032b6570032100', 'hex')

function importEd25519({ publicKey: point, text: record }: KeyRecord): Result<PublicKey> {
  if (point.length !== ED25519_BYTES) return unreadable(record, 'an Ed25519 key must be 32 bytes')
  if (isSmallOrder(point)) return fail('key-weak', { record, reason: 'the Ed25519 point is of small order' })
  const keyObject = importDer(Buffer.concat([ED25519_PREFIX, point]), 'spki')
  if (keyObject === undefined) return unreadable(record, 'p= is not an Ed25519 key')
  return ok({ type: 'ed25519', bits: 256, keyObject })
}

/**
 * The y coordinates, as little-endian hex without the sign bit, of the points of order 1, 2, 4 and 8 and their
 * non-canonical forms. With such a key one signature verifies for many messages (RFC 8032 section 8.4 and 5.1.7).
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'
])

function isSmallOrder(point: Uint8Array): boolean {
  const y = Buffer.from(point)
  y[31] = y[31]! & 0x7f
  return SMALL_ORDER.has(y.toString('hex'))
}

function importDer(der: Uint8Array, type: 'spki' | 'pkcs1'): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(der), format: 'der', type })
  } catch {
    // The error is not inspected: OpenSSL's codes differ between Node versions.
    return undefined
  }
}

const unreadable = (record: string, reason: string): Failed => fail('key-unreadable', { record, reason })
