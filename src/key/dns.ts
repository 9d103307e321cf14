import { Resolver } from 'node:dns/promises'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { ownOptions } from '../mistakes/mistakes.ts'
import { isBun, isWorkers } from '../runtime.ts'
import { looksLikeKeyRecord, parseKeyRecord } from './record.ts'
import { parseRsaDer } from './rsa-der.ts'
import type { LookupTxt } from './types.ts'

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
 * The resolver of `node:dns`. It keeps no answers: every call asks the configured servers. Names are absolute: no
 * search list applies.
 *
 * @example
 * const verify = createVerifier({ ...options, lookupTxt: dnsTxtLookup({ servers: ['127.0.0.1:5353'] }) })
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
    throw new TypeError('servers must be IP addresses, such as "127.0.0.1:5353"')
  }
  const createResolver = () => {
    const resolver = new Resolver({ timeout, tries })
    if (servers !== undefined) resolver.setServers(servers)
    return resolver
  }
  const about = { servers: () => createResolver().getServers() }
  // A resolver of Bun answers from its own cache, and returns each string of a record as a record.
  if (isBun())
    return Object.assign(
      async (name: string) => joinStrings(await createResolver().resolveTxt(absolute(name))),
      about
    )
  const resolver = createResolver()
  return Object.assign((name: string) => resolver.resolveTxt(absolute(name)), about)
}

/**
 * With the trailing dot of RFC 1034 section 3.1. Without it Deno asks for the name under the domains of the system's
 * search list, whose owners could then answer with their own key. Workers have no search list; they put the name into a
 * URL as it is.
 */
const absolute = (name: string): string => (name.endsWith('.') || isWorkers() ? name : `${name}.`)

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

/**
 * Bun returns the strings of all TXT records in their order, each as a record of its own. This joins the strings of one
 * record again. Record boundaries are lost. A string is appended to the previous record if it can belong to it, even if
 * that makes a key invalid; otherwise it starts a record.
 */
export function joinStrings(answer: readonly (readonly string[])[]): string[][] {
  const records: string[][] = []
  let text = ''
  for (const strings of answer) {
    const next = strings.join('')
    if (records.length === 0 || startsRecord(next, text)) {
      records.push([...strings])
      text = next
    } else {
      records.at(-1)!.push(...strings)
      text += next
    }
  }
  return records
}

/** "This tag MUST be the first tag in the record if present" (RFC 6376 section 3.6.1). */
const KEY_VERSION = /^[ \t]*v[ \t]*=[ \t]*DKIM/i

/** `v=spf1`; not `v=` or `v==`, with which base64 can end. */
const VERSION = /^[ \t]*v[ \t]*=[ \t]*[A-Za-z0-9]/

/** `google-site-verification=`: tag names have no hyphen (RFC 6376 section 3.2), and neither does base64. */
const OTHER_NAME = /^[\w.]*-[\w.-]*=/

/** Whether the string cannot belong to the record before it. */
function startsRecord(string: string, before: string): boolean {
  if (KEY_VERSION.test(string)) return true
  if (before.length > MAX_LENGTH) return false
  const last = before.slice(before.lastIndexOf(';') + 1)
  if (!looksLikeKeyRecord(before)) {
    // `p=...` after other text; after a semicolon a tag list continues.
    return last.trim() !== '' && /^[ \t]*[a-z][ \t]*=/.test(string) && looksLikeKeyRecord(string)
  }
  const tag = /^[ \t]*(\w+)[ \t]*=/.exec(last)?.[1]
  // Notes and unknown tags may contain anything.
  if (tag !== undefined && !/^[phkst]$/.test(tag)) return false
  if (VERSION.test(string) || OTHER_NAME.test(string)) return true
  // After a whole key only white space and the next tag may follow.
  if (tag === 'p') return !/^(?:[ \t\r\n;]|$)/.test(string) && isWholeKey(before)
  // A restriction after the key may be continued, but `t=y` never becomes `t=yes`.
  return tag !== undefined && /(?:^|;)[ \t]*p[ \t]*=/.test(before) && !parseKeyRecord(before).ok
}

/** Much longer than any key record; a longer text is not parsed again for each of its strings. */
const MAX_LENGTH = 4096

/** DER states its own length, so nothing can follow. After white space at the end more base64 could. */
function isWholeKey(text: string): boolean {
  const record = parseKeyRecord(text)
  if (!record.ok || /[ \t\r\n]$/.test(text)) return false
  const { type, publicKey } = record.value
  return type === 'rsa' ? typeof parseRsaDer(publicKey) === 'object' : publicKey.length === 32
}
