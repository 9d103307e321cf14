import { constants, createHash, privateEncrypt, sign } from 'node:crypto'
import type { TestKey } from './keys.ts'

/**
 * A signer that shares nothing with the verifier in `src/`: the vectors are evidence because two independent readings
 * of the draft agree.
 */

export type Header = readonly [name: string, value: string]

export interface Times {
  created?: number
  expires?: number
}

/** draft-cavage-http-signatures-12 section 2.3. Names stand in the list in any case. */
export function signingString(
  request: { method: string; target: string; headers: readonly Header[] },
  covered: readonly string[],
  times: Times = {}
): string {
  const lines = covered.map(listed => {
    const name = listed.toLowerCase()
    if (name === '(request-target)') return `${name}: ${request.method.toLowerCase()} ${request.target}`
    if (name === '(created)') return `${name}: ${times.created}`
    if (name === '(expires)') return `${name}: ${times.expires}`
    const values = request.headers.filter(([each]) => each.toLowerCase() === name)
    if (values.length === 0) throw new Error(`${name} is not in the request: say what is signed instead`)
    return `${name}: ${values.map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, '')).join(', ')}`
  })
  return lines.join('\n')
}

export type Scheme =
  | 'pkcs1-sha256'
  | 'pkcs1-sha512'
  | 'pkcs1-sha1'
  | 'pkcs1-md5'
  | 'pss-sha512'
  | 'pss-sha512-salt-32'
  | 'pss-sha512-salt-0'
  | 'pss-sha256'
  | 'ed25519'

/** Signs the octets of a text, one per character. Every scheme gives the same signature every time. */
export function signText(text: string, key: TestKey, scheme: Scheme): Buffer {
  const octets = Buffer.from(text, 'latin1')
  if (scheme === 'ed25519') return sign(null, octets, key.privateKey)
  const [padding, hash, , salt] = scheme.split('-') as ['pkcs1' | 'pss', string, string?, string?]
  if (padding === 'pkcs1') return sign(hash, octets, key.privateKey)
  return signPss(octets, key, hash, salt === undefined ? undefined : Number(salt))
}

/** The RSA operation on an encoded message as it is (RFC 8017 section 5.2.1). */
export const signEncoded = (encoded: Uint8Array, { privateKey }: Pick<TestKey, 'privateKey'>): Buffer =>
  privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encoded)

/** RFC 8017 section 9.2: EMSA-PKCS1-v1_5, 00 01 FF … FF 00 and what is signed. */
export const encodePkcs1 = (signed: Uint8Array, length: number): Buffer =>
  Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(length - 3 - signed.length, 0xff), Buffer.from([0]), signed])

/** RFC 8017 section 9.2 note 1: DigestInfo up to the hash. */
const DIGEST_INFO = {
  sha256: '3031300d060960864801650304020105000420',
  sha512: '3051300d060960864801650304020305000440'
}

/** RFC 8017 section 9.2 note 1: DigestInfo. */
export const digestInfo = (text: string, hash: keyof typeof DIGEST_INFO = 'sha256'): Buffer =>
  Buffer.concat([Buffer.from(DIGEST_INFO[hash], 'hex'), createHash(hash).update(Buffer.from(text, 'latin1')).digest()])

/** RFC 8017 section 9.1.1: EMSA-PSS for 2048 bits, with a salt made from the message, as long as the hash if not said otherwise. */
function signPss(message: Uint8Array, key: TestKey, hash: string, saltLength?: number): Buffer {
  const digest = (...parts: Uint8Array[]) => createHash(hash).update(Buffer.concat(parts)).digest()
  const length = 256
  const messageDigest = digest(message)
  const salt = digest(Buffer.from('salt'), messageDigest).subarray(0, saltLength)
  const h = digest(Buffer.alloc(8), messageDigest, salt)

  const dbLength = length - h.length - 1
  const db = Buffer.concat([Buffer.alloc(dbLength - salt.length - 1), Buffer.from([1]), salt])
  const blocks = Array.from({ length: Math.ceil(dbLength / h.length) }, (_, i) => digest(h, Buffer.from([0, 0, 0, i])))
  const mask = Buffer.concat(blocks)
  const maskedDb = db.map((byte, i) => byte ^ mask[i]!)
  maskedDb[0] = maskedDb[0]! & 0x7f
  return signEncoded(Buffer.concat([maskedDb, h, Buffer.from([0xbc])]), key)
}
