import { Resolver } from 'node:dns/promises'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { ownOptions } from '../options/own-options.ts'

/**
 * Asks DNS for the TXT records at a name. Resolves and rejects as `resolveTxt` of `node:dns` does: one array of
 * chunks per record; errors carry `code`. `signal` is aborted when the verifier no longer waits.
 */
export type LookupTxt = (name: string, options: { readonly signal: AbortSignal }) => Promise<string[][]>

/** How `dnsTxtLookup` asks; all of it is optional. */
export interface DnsTxtLookupOptions {
  /** IP addresses, with a port if it is not 53: `127.0.0.1:5353`, `[::1]:5353`; the system's by default */
  servers?: readonly string[]
  /** milliseconds until the first retry, approximately; 1000 by default */
  timeout?: number
  /** how often each server is asked; 3 by default */
  tries?: number
}

/**
 * Node's own resolver. It keeps no answers: every call asks the configured servers.
 *
 * @throws TypeError for a bad option
 */
export function dnsTxtLookup(options: DnsTxtLookupOptions = {}): LookupTxt {
  const {
    servers,
    timeout = 1000,
    tries = 3
  } = ownOptions('dnsTxtLookup', options, ['servers', 'timeout', 'tries'])
  if (!isPositiveInt32(timeout)) throw new TypeError('timeout must be a positive integer, in milliseconds')
  if (!isPositiveInt32(tries)) throw new TypeError('tries must be a positive integer')
  if (servers !== undefined && !(Array.isArray(servers) && servers.length > 0 && servers.every(isServer))) {
    throw new TypeError('servers must be IP addresses, such as ["127.0.0.1:5353"]')
  }
  const resolver = new Resolver({ timeout, tries })
  if (servers !== undefined) resolver.setServers(servers)
  const lookUp: LookupTxt = name => resolver.resolveTxt(name)
  return 'Bun' in globalThis ? async (name, options) => joinStrings(await lookUp(name, options)) : lookUp
}

/**
 * Bun makes a record of its own of each string of a record. A string that fills its 255 octets goes on in the next
 * (RFC 1035 section 3.3).
 */
function joinStrings(records: string[][]): string[][] {
  if (!records.every(strings => strings.length === 1)) return records
  const joined: string[][] = []
  for (const [string = ''] of records) {
    const last = joined.at(-1)
    if (last?.at(-1)?.length === 255) last.push(string)
    else joined.push([string])
  }
  return joined
}

const isPositiveInt32 = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31

const WITH_PORT = /^(?:\[(?<v6>[^[\]]+)\]|(?<v4>[^:[\]]+)):(?<port>\d{1,5})$/

/** Checked here: Node accepts ports that cannot exist, and aborts the whole process for port 0. */
function isServer(server: unknown): boolean {
  if (typeof server !== 'string') return false
  const { v6 = '', v4 = '', port } = WITH_PORT.exec(server)?.groups ?? {}
  if (port === undefined) return isIP(server) !== 0
  return (isIPv6(v6) || isIPv4(v4)) && Number(port) > 0 && Number(port) < 2 ** 16
}
