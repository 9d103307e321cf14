import { checkDigest } from '../../src/core/checks/digest.ts'
import { base64Digest, type EncodedDigest } from '../../src/core/http/digest.ts'
import { withBodyChange } from '../../src/explain/body/change.ts'
import { leastSyncTime } from './cpu-time.ts'

/** No body of a test has this digest. */
const DIGESTS: readonly EncodedDigest[] = [{ algorithm: 'sha-256', encoded: base64Digest('sha256', Buffer.alloc(32)) }]
const FIELDS = { values: new Map(), repeated: new Map() }

/** Does all the work on a body that does not match: its digest, and the search for the change. */
export function judgeBody(body: Buffer, contentLength?: number): void {
  const failed = checkDigest(DIGESTS, body)
  if (failed.ok || failed.code !== 'digest-mismatch') throw new Error('the body has the digest')
  const evidence = { ...failed.evidence, ...(contentLength !== undefined && { contentLength }) }
  withBodyChange({ ...failed, evidence }, body, FIELDS, bytes => checkDigest(DIGESTS, bytes).ok)
}

/** Measures a body, with and without a signed Content-Length: returns the milliseconds above three times its hash. */
export function costAboveHash(body: Buffer, runs: number): { over: number; total: number; hash: number } {
  const hash = leastSyncTime(() => base64Digest('sha256', body), runs)
  const total = Math.max(
    leastSyncTime(() => judgeBody(body), runs),
    leastSyncTime(() => judgeBody(body, body.length + 1), runs)
  )
  return { over: total - 3 * hash, total, hash }
}

/** A verdict may cost this many milliseconds above three times the hash of its body. */
export const MAX_OVER = 0.5

/** Measures many bodies quickly: only those near the limit are measured more often. */
export function quickCostAboveHash(body: Buffer): number {
  const { over } = costAboveHash(body, 3)
  return over < MAX_OVER / 3 ? over : costAboveHash(body, 20).over
}
