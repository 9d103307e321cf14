import type { Verdict } from 'signed-requests'
import { madeByKey as isMadeByKey, isSignedUnderDomain } from '../../src/internal/index.ts'

/**
 * Says who signed a request: `key`, the published key, over this request or another text; `claimed`, not known: it
 * names a key under the domain; `no`, nobody under the domain.
 */
export const SIGNERS = ['key', 'claimed', 'no'] as const
export type Signer = (typeof SIGNERS)[number]

/** Limits the signatures opened a second: one takes up to 0.1 ms, and anyone can send signatures that do not verify. */
const MAX_PER_SECOND = 200

/**
 * Makes a function that says whether the published key made a signature that did not verify; undefined where that
 * cannot be known (RSASSA-PSS, Ed25519), where no signature was compared, and above the limit of a second.
 */
export function createSignatureOpener(now = () => Date.now(), limit = MAX_PER_SECOND) {
  let second = 0
  let opened = 0
  return ({ checks: { signature } }: Verdict): boolean | undefined => {
    if (!('code' in signature) || signature.code !== 'signature-mismatch') return undefined
    const current = Math.floor(now() / 1000)
    if (current !== second) opened = 0
    second = current
    opened += 1
    if (opened > limit) return undefined
    return isMadeByKey(signature.evidence)
  }
}

/** @param madeByKey whether the published key made a signature that did not verify */
export function signerOf(verdict: Verdict, madeByKey: boolean | undefined): Signer {
  if (verdict.checks.signature.outcome === 'pass' || madeByKey === true) return 'key'
  // The published key disproves this claim.
  return isSignedUnderDomain(verdict) && madeByKey !== false ? 'claimed' : 'no'
}
