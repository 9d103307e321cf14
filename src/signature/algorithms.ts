/** How an algorithm is computed with a key of one type. */
export interface Scheme {
  /** the digest that node:crypto is to use; null where the key type has its own */
  digest: 'sha256' | 'sha512' | null
  padding?: 'pss'
  /** the hash that the key record's `h=` must allow (RFC 6376 section 3.6.1) */
  recordHash: 'sha256' | 'sha512'
}

export type KeyType = 'rsa' | 'ed25519'

/**
 * The algorithms of draft-cavage-http-signatures-12 section 2.1.3 that a receiver may allow, and the types of key
 * that each fits. `hs2019` takes its scheme from the key: RSASSA-PSS with SHA-512, or Ed25519. An Ed25519 record
 * names its hash as sha256 (RFC 8463 section 3).
 */
export const ALGORITHMS = {
  'rsa-sha256': { rsa: { digest: 'sha256', recordHash: 'sha256' } },
  'rsa-sha512': { rsa: { digest: 'sha512', recordHash: 'sha512' } },
  hs2019: {
    rsa: { digest: 'sha512', padding: 'pss', recordHash: 'sha512' },
    ed25519: { digest: null, recordHash: 'sha256' }
  },
  ed25519: { ed25519: { digest: null, recordHash: 'sha256' } }
} as const satisfies Record<string, Partial<Record<KeyType, Scheme>>>

export type Algorithm = keyof typeof ALGORITHMS

/** What a signature without `algorithm` is taken to be made with. */
export const DEFAULT_ALGORITHMS: Readonly<Record<KeyType, Algorithm>> = {
  rsa: 'rsa-sha256',
  ed25519: 'ed25519'
}

const SCHEMES: ReadonlyMap<string, Partial<Record<KeyType, Scheme>>> = new Map(Object.entries(ALGORITHMS))

export const isAlgorithm = (name: string): name is Algorithm => SCHEMES.has(name)

/** Undefined for an unknown algorithm, and for one that does not fit the type of key. */
export const schemeFor = (algorithm: string, type: KeyType): Scheme | undefined =>
  SCHEMES.get(algorithm)?.[type]
