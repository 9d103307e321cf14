import { constants } from 'node:crypto'
import type { KeyType } from '../key/types.ts'
import type { SchemeName } from '../result/scheme-name.ts'

/** An algorithm that a receiver may allow; which ones depends on the standard. */
export type Algorithm = 'rsa-sha256' | 'rsa-sha512' | 'hs2019' | 'ed25519' | 'rsa-v1_5-sha256' | 'rsa-pss-sha512'

/** The computation of an algorithm with a key of one type. */
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
  'rsa-pss-sha512': { rsa: { digest: 'sha512', options: { padding: PSS, saltLength: 64 }, recordHash: 'sha512' } },
  'ecdsa-p256-sha256': { p256: { digest: 'sha256', options: { dsaEncoding: 'ieee-p1363' }, recordHash: 'sha256' } }
} as const satisfies Record<string, Partial<Record<KeyType, Computation>>>

/** The algorithms that a receiver may allow, by scheme. */
export const SCHEME_ALGORITHMS = {
  'draft-cavage': ['rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519'],
  rfc9421: ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'ed25519']
} as const satisfies Record<SchemeName, readonly (Algorithm & keyof typeof ALGORITHMS)[]>

const COMPUTATIONS: ReadonlyMap<string, Partial<Record<KeyType, Computation>>> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(ALGORITHMS)
)

/** Finds the computation. Undefined for an unknown algorithm, and for one that does not fit the type of key. */
export const computationFor = (algorithm: string, type: KeyType): Computation | undefined =>
  COMPUTATIONS.get(algorithm)?.[type]

export const isAlgorithm = (name: string): name is Algorithm =>
  Object.values(SCHEME_ALGORITHMS).some(names => (names as readonly string[]).includes(name))
