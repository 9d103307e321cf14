import type { Values } from '../../flags/flag.ts'
import { UsageError } from '../../flags/usage-error.ts'
import {
  type CountingDnsServer,
  createSigningKey,
  normalizeName,
  type SigningKey,
  startDnsServer
} from '../../src/internal/index.ts'
import { type Io, readBytes } from '../command.ts'
import { describeError } from '../exchange.ts'
import type { FLAGS } from './flags.ts'

const RSA_BITS = 2048

/** Returns the key that signs: the given one, or a fresh one. @throws UsageError */
export async function loadKey(
  { selector, serviceDomain, key: file }: Values<typeof FLAGS>,
  io: Io
): Promise<SigningKey> {
  const name = normalizeName(`${selector}._domainkey.${serviceDomain}`)
  if (name === undefined) throw new UsageError('--selector and --domain must form a DNS name')
  const pem = file && (await readBytes(file, '--key', io)).toString('utf8')
  try {
    return createSigningKey(name, RSA_BITS, pem)
  } catch {
    throw new UsageError(`${file} is not an RSA private key in PEM`)
  }
}

/**
 * Serves one TXT record over UDP and TCP, on a loopback address only: a test key must not be visible to other machines,
 * and an open DNS server would answer the whole network.
 */
export async function serveRecord(address: string, { keyId, record }: SigningKey): Promise<CountingDnsServer> {
  const [, ip, port] = /^(127(?:\.\d{1,3}){3}|\[::1\]):(\d{1,5})$/.exec(address) ?? []
  if (ip === undefined || Number(port) >= 2 ** 16)
    throw new UsageError('--serve-dns takes a loopback address and a port: 127.0.0.1:5353 or [::1]:5353')
  try {
    return await startDnsServer({ [keyId]: [record] }, ip.replace(/[[\]]/g, ''), Number(port))
  } catch (error) {
    throw new UsageError(`cannot serve DNS on ${address} (--serve-dns): ${describeError(error)}`)
  }
}

/**
 * Writes a TXT record in the form of a zone file. Strings are joined with nothing between, so short ones work as well.
 */
export const zoneRecord = ({ keyId, record }: SigningKey): string =>
  `${keyId}. 300 IN TXT (\n${record.join('').replace(/.{1,70}/g, '  "$&"\n')})`
