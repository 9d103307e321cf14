import { constants, createVerify, type KeyObject, verify } from 'node:crypto'
import type { KeyType, PublicKey } from '../key/import.ts'
import { parseRsaDer } from '../key/rsa-der.ts'
import { memoizeWeak } from '../memo.ts'
import { isWorkers } from '../runtime.ts'
import type { SchemeName } from '../verdict/verdict.ts'

/** How an algorithm is computed with a key of one type. */
export interface Computation {
  /** the digest that node:crypto is to use; null where the key type has its own */
  digest: 'sha256' | 'sha512' | null
  /** further options for node:crypto */
  options?: { padding: number; saltLength: number } | { dsaEncoding: 'ieee-p1363' }
  /** the hash that the key record's `h=` must allow (RFC 6376 section 3.6.1) */
  recordHash: 'sha256' | 'sha512'
}

const { RSA_PKCS1_PSS_PADDING: PSS, RSA_PSS_SALTLEN_AUTO: ANY } = constants

/**
 * The algorithms and the types of key that each fits. Those of draft-cavage-http-signatures-12 section 2.1.3: `hs2019`
 * takes its computation from the key, RSASSA-PSS with SHA-512, or Ed25519; the draft leaves the salt's length open. An
 * Ed25519 record names its hash as sha256 (RFC 8463 section 3). Those of RFC 9421 section 3.3: the salt of
 * rsa-pss-sha512 has 64 bytes, an ECDSA signature is r and s of 32 bytes each.
 */
const ALGORITHMS = {
  'rsa-sha256': { rsa: { digest: 'sha256', recordHash: 'sha256' } },
  'rsa-sha512': { rsa: { digest: 'sha512', recordHash: 'sha512' } },
  hs2019: {
    rsa: { digest: 'sha512', options: { padding: PSS, saltLength: ANY }, recordHash: 'sha512' },
    ed25519: { digest: null, recordHash: 'sha256' }
  },
  ed25519: { ed25519: { digest: null, recordHash: 'sha256' } },
  'rsa-v1_5-sha256': { rsa: { digest: 'sha256', recordHash: 'sha256' } },
  'rsa-pss-sha512': {
    rsa: { digest: 'sha512', options: { padding: PSS, saltLength: 64 }, recordHash: 'sha512' }
  },
  'ecdsa-p256-sha256': {
    p256: { digest: 'sha256', options: { dsaEncoding: 'ieee-p1363' }, recordHash: 'sha256' }
  }
} as const satisfies Record<string, Partial<Record<KeyType, Computation>>>

/** Those that a receiver may allow, by scheme. */
export const SCHEME_ALGORITHMS = {
  'draft-cavage': ['rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519'],
  rfc9421: ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'ed25519']
} as const satisfies Record<SchemeName, readonly (keyof typeof ALGORITHMS)[]>

/** An algorithm that a receiver may allow; which ones depends on the standard. */
export type Algorithm = (typeof SCHEME_ALGORITHMS)[SchemeName][number]

const COMPUTATIONS: ReadonlyMap<string, Partial<Record<KeyType, Computation>>> = new Map(
  Object.entries(ALGORITHMS)
)

/** Undefined for an unknown algorithm, and for one that does not fit the type of key. */
export const computationFor = (algorithm: string, type: KeyType): Computation | undefined =>
  COMPUTATIONS.get(algorithm)?.[type]

/**
 * Does the signature over the signing string verify with this key? Never throws: false also for an unknown algorithm,
 * or one that does not fit the key. Only the platform's own `verify` accepts.
 *
 * @param signingString the signing string of the draft, or the signature base of RFC 9421
 * @param algorithm in any case: `rsa-sha256`, `rsa-sha512`, `hs2019` or `ed25519` of the draft; `rsa-v1_5-sha256`,
 *   `rsa-pss-sha512`, `ed25519` or `ecdsa-p256-sha256` of RFC 9421
 *
 * @example
 * const record = parseKeyRecord('v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=')
 * const key = record.ok ? importPublicKey(record.value) : record
 * const isGood = key.ok && verifySignature('date: today', new Uint8Array(64), key.value, 'ed25519') // false
 */
export function verifySignature(
  signingString: string,
  signature: Uint8Array,
  key: PublicKey,
  algorithm: string
): boolean {
  const computation = computationFor(algorithm.toLowerCase(), key.type)
  if (computation === undefined) return false
  const { digest, options } = computation
  const { keyObject } = key
  if (key.type === 'rsa' && !isRepresentative(signature, keyObject)) return false

  // Header values are octets, and receivers hold each as one character (RFC 9110 section 5.5, obs-text). A character
  // that is not an octet was never in a request, so nothing can be signed over it.
  if (NOT_OCTETS.test(signingString)) return false
  const input = inputFor(keyObject, options)
  // Same result as one-shot `verify`, 4 % faster, because it takes the text as it is. On Workers one-shot `verify`
  // ignores the padding option; this does not.
  if (key.type === 'rsa') {
    return createVerify(digest!).update(signingString, 'latin1').verify(input, signature)
  }
  return verify(digest, Buffer.from(signingString, 'latin1'), input, signature)
}

/**
 * RFC 8017 sections 8.1.2 and 8.2.2, steps 1 and 2, and 5.2.2: as long as the modulus, and below it. Platforms differ:
 * OpenSSL accepts signatures without their leading zero, and Deno accepts s + n for s. Each would be a second signature
 * of the same request, under another replay id.
 */
function isRepresentative(signature: Uint8Array, keyObject: KeyObject): boolean {
  const modulus = modulusOf(keyObject)
  if (signature.length !== modulus?.length) return false
  // The first byte that differs decides; if none does (-1), the signature is not below. Buffer.compare would cost 3 %
  // of a verification.
  const first = signature.findIndex((byte, i) => byte !== modulus[i])
  return signature[first]! < modulus[first]!
}

/** Once per key; keys are remembered by their record. Parsing one costs as much as six verifications. */
const modulusOf = /* @__PURE__ */ memoizeWeak((keyObject: KeyObject): Uint8Array | undefined => {
  const parsed = parseRsaDer(keyObject.export({ type: 'spki', format: 'der' }))
  return typeof parsed === 'object' ? parsed.modulus : undefined
})

/** Workers accept no KeyObject together with options. */
function inputFor(key: KeyObject, options: Computation['options']) {
  if (options === undefined) return key
  return isWorkers() ? { key: key.export({ type: 'spki', format: 'pem' }), ...options } : { key, ...options }
}

const NOT_OCTETS = /[^\0-\xff]/
