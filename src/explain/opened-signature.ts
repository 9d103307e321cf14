import { publicDecrypt } from 'node:crypto'
import { parseKey } from '../key/import.ts'
import { computationFor } from '../signature/algorithms.ts'
import type { EvidenceByCode } from '../verdict/evidence.ts'

/** RFC 8017 section 9.2, note 1: the DER of DigestInfo up to the hash. */
const DIGEST_INFO = {
  sha256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  sha512: Buffer.from('3051300d060960864801650304020305000440', 'hex')
}

/** The hash inside an RSASSA-PKCS1-v1_5 signature. */
export interface SignedHash {
  algorithm: 'sha256' | 'sha512'
  /** base64 */
  hash: string
}

/**
 * Opens the signature of a mismatch. It contains a hash only if the key in the evidence made it, over any text. This
 * explains a refusal and accepts nothing. Undefined also for signatures that do not reveal their hash (PSS, Ed25519).
 * Never throws.
 */
export function openSignature({
  record,
  signature,
  algorithm
}: Pick<EvidenceByCode['signature-mismatch'], 'record' | 'signature' | 'algorithm'>): SignedHash | undefined {
  const parsed = parseKey(record)
  if (!parsed.ok) return undefined
  const { key } = parsed.value
  const computation = computationFor(algorithm, key.type)
  if (computation === undefined || computation.digest === null || computation.options !== undefined)
    return undefined

  const start = DIGEST_INFO[computation.digest]
  try {
    const info = publicDecrypt(key.keyObject, Buffer.from(signature, 'base64'))
    const isStarted = info.compare(start, 0, start.length, 0, start.length) === 0
    return isStarted
      ? { algorithm: computation.digest, hash: info.toString('base64', start.length) }
      : undefined
  } catch {
    return undefined
  }
}
