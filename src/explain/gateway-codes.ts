/** Describes a code of the log of the gateway that is no code of a check. */
export interface GatewayCodeEntry {
  readonly httpStatus: number
  readonly about: string
  readonly fix: string
}

/**
 * The codes of the gateway. With status 401 the request itself was verified, and the application would get something
 * else. Code marks (backticks) in the texts are for the page.
 */
export const GATEWAY_CODES = {
  'header-ambiguous': {
    httpStatus: 401,
    about:
      'PHP or WSGI takes the name of a header for a signed one or for one of `Signed-Request-*` (`X.Service.ID`), or ' +
      'two signed names for one (`X-Kind`, `X_Kind`).',
    fix: 'Drop that header in the proxy; if the service itself sends it, forward through the gateway.'
  },
  'header-repeated': {
    httpStatus: 401,
    about:
      'A signed header came in several lines, which are signed as one: the application gets the lines and may see ' +
      'one of them.',
    fix: 'Join the lines in the proxy, or forward through the gateway, which does.'
  },
  'header-overwritten': {
    httpStatus: 401,
    about:
      'A header is signed that `authorize` takes from the proxy (`X-Forwarded-Proto` with `--https ' +
      'x-forwarded-proto`, all four with `--from x-forwarded`): the application may get another value.',
    fix: 'Ask the service to sign without it, or forward through the gateway.'
  },
  'target-not-as-signed': {
    httpStatus: 401,
    about:
      'RFC 9421 with `@path`, `@query` or `@target-uri`, and the target has another form than the signed one ' +
      '(`/hook?` for `/hook`): the application gets it as it came.',
    fix: 'Have it signed with `@request-target`.'
  },
  'partial-body': {
    httpStatus: 413,
    about: '`x-envoy-auth-partial-body` is anything but one `false`: the proxy passed a part of the body.',
    fix: 'Let the proxy pass all of a body or refuse it (Envoy: `allow_partial_message: false`).'
  },
  framing: {
    httpStatus: 400,
    about:
      '`Transfer-Encoding` is anything but `chunked`, or the version of HTTP is not 1.0 or 1.1: two servers could ' +
      'see two different bodies.',
    fix: 'Nothing to fix for a scanner; a proxy in front must send HTTP/1.1 with `Content-Length` or `chunked`.'
  },
  target: {
    httpStatus: 400,
    about: 'The target is neither a path nor a URL whose authority is `Host`.',
    fix: 'Nothing to fix for a scanner; a proxy in front must pass the target as received.'
  },
  host: {
    httpStatus: 400,
    about: 'While observing, `Host` came more than once: two servers could see two different hosts.',
    fix: 'Nothing to fix for a scanner; a proxy in front must send one `Host`.'
  },
  expectation: {
    httpStatus: 417,
    about: '`Expect` has a value other than `100-continue`.',
    fix: 'Nothing to fix: no such value is in use.'
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    httpStatus: 408,
    about: 'The head did not come within 10 seconds, or the request within a minute.',
    fix: 'Nothing to fix for a scanner; a proxy in front that buffers requests sends them at once.'
  },
  HPE_HEADER_OVERFLOW: {
    httpStatus: 431,
    about: 'The head is larger than 16 KB (`authorize`: 32 KB).',
    fix: 'Let the proxy in front add fewer or shorter headers.'
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    httpStatus: 413,
    about: 'The extensions of the chunks of a body are larger than 16 KB.',
    fix: 'Nothing to fix: no genuine sender uses them.'
  },
  'HPE_*': {
    httpStatus: 400,
    about:
      'The parser of Node.js does not take the bytes as HTTP/1.1, such as TLS or HTTP/2 on a port for plain HTTP/1.1.',
    fix:
      'Nothing to fix for a scanner; a proxy in front must speak HTTP/1.1 to this port, with TLS only where ' +
      '`--tls-cert` is given.'
  }
} as const satisfies Record<string, GatewayCodeEntry>

export type GatewayCode = keyof typeof GATEWAY_CODES

/** Finds what is said about a code of the gateway; each code of the parser of Node.js that has no entry has `HPE_*`. */
export function gatewayEntryOf(code: string): GatewayCodeEntry | undefined {
  if (Object.hasOwn(GATEWAY_CODES, code) && code !== 'HPE_*') return GATEWAY_CODES[code as GatewayCode]
  return /^HPE_[A-Z_]+$/.test(code) ? GATEWAY_CODES['HPE_*'] : undefined
}

/** Removes the code marks of a text. */
export const withoutMarks = (text: string): string => text.replaceAll('`', '')
