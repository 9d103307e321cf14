import { constants, generateKeyPairSync, sign, verify } from 'node:crypto'
import { verifySignature } from 'signed-requests'
import { toInteger, toOctets } from '../../support/big-integer.ts'

/**
 * Holds the behaviour of the runtime itself, which shows when a reason for code of ours is gone, and our results on it.
 */
export interface Platform {
  /** does `crypto.verify` respect the padding option? */
  verifiesPss: boolean
  /** does `crypto.verify` take s + n for s? */
  takesModulusAdded: boolean
  /** results of `verifySignature` for s, s + n, n - 1, n and n + 1 */
  ours: readonly boolean[]
}

const TEXT = '(request-target): post /hook\nhost: receiver.example'
const DATA = Buffer.from(TEXT)
const BITS = 2048
const PSS = { name: 'RSA-PSS', hash: 'SHA-512' }

/** Tries RSASSA-PSS with SHA-512, as hs2019 of the draft has it. */
export async function tryPlatform(): Promise<Platform> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: BITS })
  const modulus = toInteger(Buffer.from(publicKey.export({ format: 'jwk' }).n!, 'base64url'))
  // Web Crypto signs, because it is the same on every runtime. A salt is random: some signature is small enough.
  const der = new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }))
  const signer = await crypto.subtle.importKey('pkcs8', der, PSS, false, ['sign'])
  let signature: Buffer
  do signature = Buffer.from(await crypto.subtle.sign({ ...PSS, saltLength: 64 }, signer, DATA))
  while (toInteger(signature) + modulus >= 1n << BigInt(BITS))

  const s = toInteger(signature)
  const key = { type: 'rsa', bits: BITS, keyObject: publicKey } as const
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
  const platformKey = { key: publicKey.export({ type: 'spki', format: 'pem' }), ...padding }
  const platform = (value: bigint) => verify('sha512', DATA, platformKey, toOctets(value, BITS / 8))
  const pkcs1 = sign('sha512', DATA, privateKey)
  return {
    verifiesPss: platform(s) && !platform(toInteger(pkcs1)),
    takesModulusAdded: platform(s + modulus),
    ours: [s, s + modulus, modulus - 1n, modulus, modulus + 1n].map(value =>
      verifySignature(TEXT, toOctets(value, BITS / 8), key, 'hs2019')
    )
  }
}
