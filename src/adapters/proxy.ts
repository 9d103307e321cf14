import type { ReceivedHeaders, ReceivedRequest } from '../request.ts'

/** What a proxy in front of the receiver has changed. Nothing is believed unless it is asked for here. */
export interface ProxyOptions {
  /** did it arrive over TLS: yes, no, or as the proxy says in X-Forwarded-Proto; by default, what the socket says */
  https?: boolean | 'x-forwarded-proto'
  /** the Host that the sender signed: as the proxy says in X-Forwarded-Host, or a fixed name */
  host?: 'x-forwarded-host' | (string & {})
}

/** Puts right what the proxy changed. */
export function proxied(request: ReceivedRequest, options: ProxyOptions): ReceivedRequest {
  if (options.https === undefined && options.host === undefined) return request
  const lines = [...(request.headers as Iterable<readonly [string, string]>)]
  return {
    ...request,
    https: readHttps(lines, options.https, request.https),
    headers: replaceHost(lines, options.host)
  }
}

type Lines = readonly (readonly [name: string, value: string])[]

const valuesOf = (lines: Lines, name: string): string[] =>
  lines.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)

/** Exactly one word from exactly one proxy: a list has parts that the client may have written. */
function readHttps(lines: Lines, option: ProxyOptions['https'], received: boolean): boolean {
  if (option !== 'x-forwarded-proto') return option ?? received
  const values = valuesOf(lines, 'x-forwarded-proto')
  return values.length === 1 && values[0]!.trim().toLowerCase() === 'https'
}

function replaceHost(lines: Lines, option: ProxyOptions['host']): ReceivedHeaders {
  if (option === undefined) return lines
  const others = lines.filter(([name]) => name.toLowerCase() !== 'host')
  const hosts = option === 'x-forwarded-host' ? valuesOf(lines, 'x-forwarded-host') : [option]
  return [...others, ...hosts.map(host => ['Host', host] as const)]
}
