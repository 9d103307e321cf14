import { describe } from '../mistakes/describe.ts'
import { orUndefined } from '../mistakes/own-options.ts'

/** uri-host with an optional port (RFC 3986 section 3.2.2): a name, an IPv4 address or an IPv6 literal in brackets. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/

export const isHost = (host: unknown): host is string =>
  typeof host === 'string' && HOST.test(host.toLowerCase())

/** The receiver's own names, in lower case. */
export function validateHosts(hosts: unknown): string[] {
  const list = typeof hosts === 'string' ? [hosts] : hosts
  if (!Array.isArray(list) || list.length === 0) {
    throw new TypeError(
      `hosts is ${orUndefined(hosts)}: name this receiver as senders do, such as "hooks.example.com"`
    )
  }
  for (const host of list) {
    if (isHost(host)) continue
    throw new TypeError(
      `hosts has ${orUndefined(host)}: write a host name without scheme and path, such as ${nameIn(host)} or ` +
        '"hooks.example.com:8443"'
    )
  }
  return list.map(host => host.toLowerCase())
}

/** The host of a URL that was passed by mistake. */
function nameIn(host: unknown): string {
  const name = typeof host === 'string' ? /^[a-z]+:\/\/([^/?#@]+)/i.exec(host)?.[1] : undefined
  return isHost(name) ? describe(name) : '"hooks.example.com"'
}

/** A default port may be written or left out: 443, and 80 where HTTPS is not required. */
export function hostSpellings(host: string, requireHttps: boolean): string[] {
  const port = /:(\d+)$/.exec(host)?.[1]
  const name = port === undefined ? host : host.slice(0, -port.length - 1)
  const defaults = requireHttps ? ['443'] : ['443', '80']
  if (port !== undefined && !defaults.includes(port)) return [host]
  return [name, ...defaults.map(defaultPort => `${name}:${defaultPort}`)]
}
