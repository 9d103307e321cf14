import type { ReceivedRequest } from '../http/request.ts'
import { isHost } from '../options/hosts.ts'
import { describe, ownOptions } from '../options/own-options.ts'

/** What a proxy in front of the receiver has changed. Nothing is believed unless it is asked for here. */
export interface ProxyOptions {
  /** did it arrive over TLS: yes, no, or as the proxy says in X-Forwarded-Proto; by default, what the receiver saw */
  https?: boolean | 'x-forwarded-proto'
  /** the Host that the sender signed: as the proxy says in X-Forwarded-Host, or a fixed name; by default, as received */
  host?: 'x-forwarded-host' | (string & {})
}

export type HeaderLine = readonly [name: string, value: string]

/** What every adapter makes of its framework's request: the header lines one by one, repeats included. */
export interface RequestAsSeen extends ReceivedRequest {
  headers: readonly HeaderLine[]
}

/** The request as it reached the proxy: what the proxy changed is put right, where the options say how. */
export function beforeProxy(seen: RequestAsSeen, { https, host }: ProxyOptions): ReceivedRequest {
  return {
    ...seen,
    headers: readHost(seen.headers, host),
    https: readHttps(seen.headers, https, seen.https)
  }
}

const valuesOf = (lines: readonly HeaderLine[], name: string): string[] =>
  lines.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)

/** Exactly one word from exactly one proxy: a list or a repeat has parts that the client may have written. */
function readHttps(lines: readonly HeaderLine[], option: ProxyOptions['https'], seen: boolean): boolean {
  if (option !== 'x-forwarded-proto') return option ?? seen
  const values = valuesOf(lines, 'x-forwarded-proto')
  return values.length === 1 && values[0]!.toLowerCase() === 'https'
}

/** None, a repeat or a list stays what it is: the host check refuses each of them. */
function readHost(lines: readonly HeaderLine[], option: ProxyOptions['host']): readonly HeaderLine[] {
  if (option === undefined) return lines
  const hosts = option === 'x-forwarded-host' ? valuesOf(lines, 'x-forwarded-host') : [option]
  const others = lines.filter(([name]) => name.toLowerCase() !== 'host')
  return [...others, ...hosts.map(host => ['Host', host] as const)]
}

/**
 * The options as the caller wrote them.
 *
 * @throws TypeError for a bad option: a misspelled one must not be ignored
 */
export function validateProxyOptions<T extends ProxyOptions>(
  options: T,
  adapter: string,
  names: readonly (keyof T & string)[]
): Partial<T> {
  const own = ownOptions(adapter, options, names)
  const { https, host } = own
  if (https !== undefined && typeof https !== 'boolean' && https !== 'x-forwarded-proto') {
    throw new TypeError(`options.https is ${describe(https)}: write true, false or "x-forwarded-proto"`)
  }
  if (host !== undefined && !isHost(host)) {
    throw new TypeError(
      `options.host is ${describe(host)}: write "x-forwarded-host" or a host name, such as "hooks.example.com"`
    )
  }
  return own
}
