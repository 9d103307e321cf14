import { Resolver } from 'node:dns/promises'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { kindOf, mistake, named, validateCall } from '../mistakes.ts'
import { isBun, isWorkers, keepsDnsAnswers } from '../runtime.ts'
import { joinIntoRecords } from './bun-strings.ts'
import { LookupOptions } from './lookup.ts'
import type { LookupTxt } from './types.ts'

/** Options of `dnsTxtLookup`; none is required. */
export interface DnsTxtLookupOptions {
  /** IP addresses, with a port if it is not 53: `127.0.0.1:5353`, `[::1]:5353`; the system's by default */
  servers?: readonly string[] | undefined
  /** milliseconds until the first retry, approximately; 1000 by default */
  timeout?: number | undefined
  /** how often each server is asked; 3 by default */
  tries?: number | undefined
}

const OPTIONS = ['servers', 'timeout', 'tries'] as const

/**
 * Makes a lookup by the resolver of `node:dns`. It caches no answers: every call asks the configured servers. Names are
 * absolute: no search list applies. A query is cancelled when its `signal` is aborted.
 *
 * @example
 * const verify = createVerifier({ ...options, lookupTxt: dnsTxtLookup({ servers: ['127.0.0.1:5353'] }) })
 *
 * @throws TypeError for a bad option
 */
export function dnsTxtLookup(options: DnsTxtLookupOptions = {}): LookupTxt {
  const [servers, timeout, tries] = validateCall(
    dnsTxtLookup,
    'dnsTxtLookup',
    options,
    OPTIONS,
    ({ servers, timeout = 1000, tries = 3 }) => [
      () => validateServers(servers, 'servers'),
      () => validatePositive(timeout, 'timeout', 'milliseconds'),
      () => validatePositive(tries, 'tries', 'queries')
    ]
  )
  const createResolver = () => {
    const resolver = new Resolver({ timeout, tries })
    if (servers !== undefined) resolver.setServers(servers)
    return resolver
  }
  // The resolvers of Bun and of Node.js 20.18 keep answers.
  const keepsResolvers = !isBun() && !keepsDnsAnswers()
  const idle: Resolver[] = []
  /** A resolver can only cancel all of its queries, so each has one at a time. */
  const resolve = async (name: string, options: LookupCall): Promise<string[][]> => {
    const resolver = idle.pop() ?? createResolver()
    const query = resolver.resolveTxt(absolute(name))
    const release = LookupOptions.onAbort(options, () => cancelQuery(resolver))
    try {
      return await query
    } finally {
      release()
      if (keepsResolvers && idle.length < MAX_IDLE) idle.push(resolver)
    }
  }
  // Bun returns each string of a record as a record of its own.
  const lookup: LookupTxt = isBun()
    ? async (name, options) => joinIntoRecords(await resolve(name, options))
    : (name, options) => resolve(name, options)
  return Object.assign(lookup, { servers: () => createResolver().getServers() })
}

type LookupCall = Parameters<LookupTxt>[1] | undefined

/** Limits how many resolvers are kept for the next queries. More are made while more queries are in flight. */
const MAX_IDLE = 16

/** Cancels a query on Node.js, Bun and Deno. Elsewhere the query goes on until the resolver gives up. */
function cancelQuery(resolver: Resolver): void {
  try {
    resolver.cancel()
  } catch {
    // The runtime lacks this function, or the function throws that it is not implemented.
  }
}

/**
 * Adds the trailing dot of RFC 1034 section 3.1. Without it Deno asks for the name under the domains of the system's
 * search list, whose owners could then answer with their own key. Workers have no search list; they put the name into a
 * URL as it is.
 */
const absolute = (name: string): string => (name.endsWith('.') || isWorkers() ? name : `${name}.`)

function validatePositive(value: unknown, option: string, unit: string): number {
  if (Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31) return value as number
  throw mistake([named(option), ' is'], value, `pass a positive integer, in ${unit}`)
}

/** Returns a copy of the addresses. */
function validateServers(servers: unknown, option: string): string[] | undefined {
  if (servers === undefined) return undefined
  if (Array.isArray(servers) && servers.length > 0 && servers.every(isServer)) return [...servers]
  if (!Array.isArray(servers) || servers.length === 0)
    throw mistake([named(option), ' is'], servers, 'pass IP addresses, such as ["127.0.0.1:5353"]')
  const bad = servers.find(server => !isServer(server))
  const received = (value: unknown) => (typeof value === 'string' ? 'a text that is not an IP address' : kindOf(value))
  throw mistake([named(option), ' has'], bad, 'write one such as "127.0.0.1:5353"', received)
}

const WITH_PORT = /^(?:\[(?<v6>[^[\]]+)\]|(?<v4>[^:[\]]+)):(?<port>\d{1,5})$/

/**
 * Returns whether this is an address of a server. Node accepts ports that cannot exist, and aborts the whole process
 * for port 0.
 */
function isServer(server: unknown): boolean {
  if (typeof server !== 'string') return false
  const { v6 = '', v4 = '', port } = WITH_PORT.exec(server)?.groups ?? {}
  if (port === undefined) return isIP(server) !== 0
  return (isIPv6(v6) || isIPv4(v4)) && Number(port) > 0 && Number(port) < 2 ** 16
}
