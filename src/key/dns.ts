import { Resolver } from 'node:dns/promises'

/**
 * Asks DNS for the TXT records at a name. Resolves and rejects as `resolveTxt` of `node:dns` does: one array of
 * chunks per record; errors carry `code`. `signal` is aborted when the verifier no longer waits.
 */
export type LookupTxt = (name: string, options: { readonly signal: AbortSignal }) => Promise<string[][]>

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
  const { servers, timeout = 1000, tries = 3 } = options
  if (!isPositiveInteger(timeout)) throw new TypeError('timeout must be a positive integer, in milliseconds')
  if (!isPositiveInteger(tries)) throw new TypeError('tries must be a positive integer')
  const resolver = new Resolver({ timeout, tries })
  if (servers !== undefined) {
    try {
      resolver.setServers(servers)
    } catch {
      throw new TypeError('servers must be IP addresses, such as ["127.0.0.1:5353"]')
    }
  }
  return name => resolver.resolveTxt(name)
}

const isPositiveInteger = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0
