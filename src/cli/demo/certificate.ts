import { generateKeyPairSync, sign } from 'node:crypto'

/** A self-signed certificate for one host name, for a day (RFC 5280 section 4.1). Node makes keys, but no certificates. */
export function makeCertificate(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(host))))) // commonName
  const time = (offset: number) => {
    const text = new Date(Date.now() + offset).toISOString().replace(/^\d\d|[-:T]|\.\d+/g, '')
    return der(0x17, Buffer.from(text)) // UTCTime
  }
  const altName = sequence(oid('551d11'), der(0x04, sequence(der(0x82, Buffer.from(host)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))), // version 3
    der(0x02, Buffer.of(1)), // serial number
    algorithm,
    name,
    sequence(time(-3_600_000), time(86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName))
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey))
  const base64 = sequence(body, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  }
}

/** Tag, length and contents (X.690 section 8.1); nothing here is longer than 65,535 octets. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const contents = Buffer.concat(parts)
  const { length } = contents
  const octets = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...octets), contents])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
