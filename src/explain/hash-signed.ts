import { importPublicKey } from '../key/import.ts'
import { parseKeyRecord } from '../key/record.ts'
import { signedHash } from '../signature/signed-hash.ts'
import type { Evidence } from './facts.ts'

/** The hash of what was signed, in base64, if the key in the evidence made the signature: then a line is another. */
export function hashSigned({ record, signature, algorithm }: Evidence): string | undefined {
  const parsed = parseKeyRecord(String(record))
  const key = parsed.ok ? importPublicKey(parsed.value) : parsed
  return key.ok
    ? signedHash(Buffer.from(String(signature), 'base64'), key.value, String(algorithm))
    : undefined
}
