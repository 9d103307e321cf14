import { isIPv4, isIPv6 } from 'node:net'
import type { Parse } from '../../../flags/flag.ts'
import { isPathPrefix, isToken } from '../../../src/internal/index.ts'

/** The address to listen on; port 0 is a free one. */
export type Address = Readonly<{ host: string; port: number }>

export const address: Parse<Address> = {
  expects: 'an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080',
  parse(text) {
    const [, v6 = '', v4 = '', port] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
    const isAddress = (isIPv6(v6) || isIPv4(v4)) && Number(port) < 2 ** 16
    return isAddress ? { host: v6 || v4, port: Number(port) } : undefined
  }
}

/** A timer cannot wait for more milliseconds. */
const MAX_TIMER = 2 ** 31 - 1

export const wholeNumber = (unit: string, min: number, max = MAX_TIMER): Parse<number> => ({
  expects: `a whole number${unit}, from ${min} to ${max}`,
  parse: text => (/^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined)
})

export const milliseconds = (min: number): Parse<number> => wholeNumber(' of milliseconds, such as 5000 for 5 s', min)

export const bytes: Parse<number> = wholeNumber(' of bytes, such as 1048576 for 1 MiB', 0, 2 ** 30)

export const prefix: Parse<string> = {
  expects: 'a path, such as /hooks, or x-forwarded-prefix',
  parse: text => (text === 'x-forwarded-prefix' || isPathPrefix(text) ? text : undefined)
}

export const headerName: Parse<string> = {
  expects: 'the name of a header, such as X-Request-ID',
  parse: text => (isToken(text) ? text.toLowerCase() : undefined)
}
