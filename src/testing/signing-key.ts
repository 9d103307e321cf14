import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'

/** A private key, the DNS name of its public half, and the TXT record to serve there. */
export interface SigningKey {
  keyId: string
  /** the record's chunks of at most 255 characters */
  record: string[]
  sign(signingString: string): Uint8Array
}

/** A fresh RSA key, or the given private key (PEM). */
export function createSigningKey(keyId: string, rsaBits: number, privateKeyPem?: string): SigningKey {
  const privateKey =
    privateKeyPem === undefined
      ? generateKeyPairSync('rsa', { modulusLength: rsaBits }).privateKey
      : createPrivateKey(privateKeyPem)
  if (privateKey.asymmetricKeyType !== 'rsa') throw new TypeError('the private key must be an RSA key')
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return {
    keyId,
    record: chunks(`v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`),
    // Header values are octets, one per character.
    sign: signingString => sign('sha256', Buffer.from(signingString, 'latin1'), privateKey)
  }
}

/** A TXT character-string holds 255 octets (RFC 1035 section 3.3.14). */
const chunks = (text: string): string[] => text.match(/.{1,255}/g) ?? []
