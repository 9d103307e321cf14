import { importPublicKey, parseKeyRecord, verifySignature } from 'signed-requests'

/** Holds everything that a case needs: the key record, the text, the signature in base64, and the algorithm. */
export type SignatureCase = readonly [record: string, text: string, signature: string, algorithm: string]

/** Returns `1` for each that verifies, `0` for each that does not. */
export function judgeSignatures(cases: readonly SignatureCase[]): string[] {
  return cases.map(([text, signed, signature, algorithm]) => {
    const record = parseKeyRecord(text)
    const key = record.ok ? importPublicKey(record.value) : record
    return key.ok && verifySignature(signed, Buffer.from(signature, 'base64'), key.value, algorithm) ? '1' : '0'
  })
}
