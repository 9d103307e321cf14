import { UsageError } from '../../flags/usage-error.ts'

/** The request as the options of a command describe it; texts have one octet a character. */
export interface CurlRequest {
  readonly urls: string[]
  /** the lines of --header, as they are written */
  readonly lines: string[]
  readonly data: CurlData[]
  /** parts of the query that --url-query adds */
  readonly queries: CurlData[]
  readonly cookies: string[]
  method?: string
  target?: string
  /** the file of --upload-file */
  upload?: string
  user?: string
  bearer?: string
  agent?: string
  referer?: string
  range?: string
  defaultProtocol?: string
  isHead?: boolean
  isGet?: boolean
  isJson?: boolean
  isPathAsIs?: boolean
  isGlobOff?: boolean
}

/** A part of a body or a query; undefined if it is in a file. */
export interface CurlData {
  readonly text: string | undefined
  /** as curl before 7.77 writes it, if it writes it in another way */
  readonly before?: string
  /** the separator between it and the part before */
  readonly separator: '&' | ''
}

/** One option of curl. */
interface CurlOption {
  /** changes the request; an option without this function concerns the transfer alone */
  readonly apply?: (request: CurlRequest, value: string) => void
  readonly takesValue: boolean
  /** the reason why it is unknown what curl sends */
  readonly refusal?: string
}

/** Options that change the request, with a value. */
const VALUES: Readonly<Record<string, (request: CurlRequest, value: string) => void>> = {
  'X request': (request, value) => {
    request.method = value
  },
  'H header': ({ lines }, value) => {
    if (value.startsWith('@'))
      throw new UsageError(`curl's --header reads the lines from a file: write them into the command`)
    lines.push(value)
  },
  'd data': ({ data }, value) => data.push(fileOrText(value)),
  'data-ascii': ({ data }, value) => data.push(fileOrText(value)),
  'data-binary': ({ data }, value) => data.push(fileOrText(value)),
  'data-raw': ({ data }, text) => data.push({ text, separator: '&' }),
  'data-urlencode': ({ data }, value) => data.push(urlEncoded(value)),
  json: (request, value) => {
    request.data.push({ ...fileOrText(value), separator: '' })
    request.isJson = true
  },
  'url-query': ({ queries }, value) =>
    queries.push(value.startsWith('+') ? { text: value.slice(1), separator: '&' } : urlEncoded(value)),
  url: ({ urls }, value) => urls.push(value),
  'T upload-file': (request, value) => {
    request.upload = value
  },
  'u user': (request, value) => {
    if (!value.includes(':'))
      throw new UsageError(`curl's --user has no password, so curl asks for it: write NAME:PASSWORD`)
    request.user = value
  },
  'oauth2-bearer': (request, value) => {
    request.bearer = value
  },
  'A user-agent': (request, value) => {
    request.agent = value
  },
  'e referer': (request, value) => {
    // ";auto" is about redirects.
    request.referer = value.replace(/;auto.*$/s, '')
  },
  'b cookie': ({ cookies }, value) => {
    if (value.startsWith('@') || (value !== '' && !value.includes('=')))
      throw new UsageError(`curl's --cookie reads the cookies from a file: write them as NAME=VALUE`)
    if (value !== '') cookies.push(value)
  },
  'r range': (request, value) => {
    request.range = /^\d+$/.test(value) ? `${value}-` : value
  },
  'request-target': (request, value) => {
    request.target = value
  },
  'proto-default': (request, value) => {
    request.defaultProtocol = value
  }
}

/** Options that change the request, without a value. */
const SWITCHES: Readonly<Record<string, (request: CurlRequest) => void>> = {
  'I head': request => {
    request.isHead = true
  },
  'G get': request => {
    request.isGet = true
  },
  'path-as-is': request => {
    request.isPathAsIs = true
  },
  'g globoff': request => {
    request.isGlobOff = true
  }
}

const FORM = 'curl makes up its boundary: capture the request where it arrives'
const FILE = 'what it adds is in a file: write it out'
const AUTHENTICATION = 'curl makes up what it sends for it: save the output of curl -v'
const SEVERAL = 'it begins another request: save each command in a file of its own'
const COMPUTED = 'the command does not show what curl sends for it: save the output of curl -v'

/** Options that change the request in a way that the command does not show. */
const REFUSED: readonly (readonly [names: string, refusal: string])[] = [
  ['F form|form-string', FORM],
  ['K config|netrc-file|etag-compare|hsts', FILE],
  ['n netrc|netrc-optional', FILE],
  ['digest|ntlm|ntlm-wb|negotiate|anyauth', AUTHENTICATION],
  ['aws-sigv4', AUTHENTICATION],
  [': next', SEVERAL],
  ['z time-cond|C continue-at', COMPUTED],
  ['tr-encoding|crlf', COMPUTED]
]

/**
 * Options that concern the transfer: output, connection, TLS, proxies, retries, redirects. --compressed is among them:
 * the Accept-Encoding that it adds depends on how curl was built.
 */
const TRANSFER = [
  '# progress-bar|0 http1.0|1 tlsv1|2 sslv2|3 sslv3|4 ipv4|6 ipv6|J remote-header-name|L location|N buffer',
  'O remote-name|R remote-time|S show-error|Z parallel|a append|f fail|i include|j junk-session-cookies|k insecure',
  'p proxytunnel|q disable|s silent|v verbose|alpn|basic|ca-native|cert-status|clobber|compressed|create-dirs',
  'disallow-username-in-url|doh-cert-status|doh-insecure|fail-early|fail-with-body|false-start|haproxy-protocol',
  'http0.9|http1.1|http2|http2-prior-knowledge|http3|http3-only|ignore-content-length|keepalive|location-trusted',
  'mptcp|npn|parallel-immediate|post301|post302|post303|progress-meter|proxy-anyauth|proxy-basic|proxy-ca-native',
  'proxy-digest|proxy-http2|proxy-insecure|proxy-negotiate|proxy-ntlm|proxy-ssl-allow-beast',
  'proxy-ssl-auto-client-cert|proxy-tlsv1|raw|remote-name-all|remove-on-error|retry-all-errors|retry-connrefused',
  'sessionid|skip-existing|socks5-basic|socks5-gssapi|socks5-gssapi-nec|ssl|ssl-allow-beast|ssl-auto-client-cert',
  'ssl-no-revoke|ssl-reqd|ssl-revoke-best-effort|styled-output|suppress-connect-headers|tcp-fastopen|tcp-nodelay',
  'tls-earlydata|tlsv1.0|tlsv1.1|tlsv1.2|tlsv1.3|trace-ids|trace-time|xattr|V version|h help|M manual'
].join('|')

/** The same with a value. */
const TRANSFER_VALUES = [
  'D dump-header|E cert|U proxy-user|Y speed-limit|c cookie-jar|m max-time|o output|w write-out|x proxy|y speed-time',
  'abstract-unix-socket|alt-svc|cacert|capath|cert-type|ciphers|connect-timeout|connect-to|create-file-mode|crlfile',
  'curves|delegation|dns-interface|dns-ipv4-addr|dns-ipv6-addr|dns-servers|doh-url|ech|egd-file|engine|etag-save',
  'expect100-timeout|happy-eyeballs-timeout-ms|haproxy-clientip|interface|ip-tos|keepalive-cnt|keepalive-time|key',
  'key-type|libcurl|limit-rate|local-port|max-filesize|max-redirs|noproxy|output-dir|parallel-max|parallel-max-host',
  'pass|pinnedpubkey|preproxy|proto|proto-redir|proxy-cacert|proxy-capath|proxy-cert|proxy-cert-type|proxy-ciphers',
  'proxy-crlfile|proxy-header|proxy-key|proxy-key-type|proxy-pass|proxy-pinnedpubkey|proxy-service-name',
  'proxy-tls13-ciphers|proxy-tlsauthtype|proxy-tlspassword|proxy-tlsuser|proxy1.0|random-file|rate|resolve|retry',
  'retry-delay|retry-max-time|service-name|signature-algorithms|socks4|socks4a|socks5|socks5-gssapi-service',
  'socks5-hostname|stderr|tls-max|tls13-ciphers|tlsauthtype|tlspassword|tlsuser|trace|trace-ascii|trace-config',
  'unix-socket|vlan-priority'
].join('|')

/** All options by `--name` and `-n`; those without a value also by `--no-name`. */
const OPTIONS: ReadonlyMap<string, CurlOption> = new Map([
  ...entriesOf(TRANSFER, { takesValue: false }, true),
  ...entriesOf(TRANSFER_VALUES, { takesValue: true }),
  ...REFUSED.flatMap(([names, refusal]) => entriesOf(names, { takesValue: false, refusal })),
  ...Object.entries(VALUES).flatMap(([names, apply]) => entriesOf(names, { takesValue: true, apply })),
  ...Object.entries(SWITCHES).flatMap(([names, apply]) => entriesOf(names, { takesValue: false, apply }))
])

function entriesOf(names: string, option: CurlOption, canBeNegated = false): (readonly [string, CurlOption])[] {
  const long = (name: string) => (canBeNegated ? [`--${name}`, `--no-${name}`] : [`--${name}`])
  return names
    .split(/[ |]/)
    .flatMap(name => (name.length === 1 ? [`-${name}`] : long(name)))
    .map(key => [key, option] as const)
}

/**
 * Reads the arguments of a curl command by the table above.
 *
 * @throws UsageError that names an option which is not in the table, or whose effect the command does not show
 */
export function readCurlArguments(args: readonly string[]): CurlRequest {
  const request: CurlRequest = { urls: [], lines: [], data: [], queries: [], cookies: [] }
  const rest = [...args].reverse()
  let areOptionsOver = false
  for (let arg = rest.pop(); arg !== undefined; arg = rest.pop()) {
    if (areOptionsOver || !arg.startsWith('-')) request.urls.push(arg)
    else if (arg === '--') areOptionsOver = true
    else if (arg.startsWith('--')) apply(arg, rest, request)
    else {
      // Letters without a value may stand together; the rest of the word is the value of the one that takes it.
      for (let at = 1; at < Math.max(arg.length, 2); at++) {
        const name = `-${arg[at] ?? ''}`
        const attached = arg.slice(at + 1)
        if (!OPTIONS.get(name)?.takesValue || attached === '') apply(name, rest, request)
        else {
          apply(name, [attached], request)
          break
        }
      }
    }
  }
  return request
}

/** Applies one option. @param rest the words that follow, the next one last */
function apply(name: string, rest: string[], request: CurlRequest): void {
  const option = OPTIONS.get(name)
  if (option === undefined)
    throw new UsageError(
      `${shown(name)} of curl is not supported, and may change the request: save the output of curl -v`
    )
  if (option.refusal !== undefined) throw new UsageError(`${shown(name)} of curl is not supported: ${option.refusal}`)
  const value = option.takesValue ? rest.pop() : ''
  if (value === undefined) throw new UsageError(`${shown(name)} of curl has no value: is the command cut off?`)
  option.apply?.(request, value)
}

/** Shows a name from the file, without the text after "=", which may be a secret. */
const shown = (name: string): string => (/^[!-~]{1,40}$/.test(name) ? name.replace(/=.*/, '=...') : 'an option')

const fileOrText = (value: string): CurlData => ({
  text: value.startsWith('@') ? undefined : value,
  separator: '&'
})

/** Encodes `content`, `=content`, `name=content`, or with a file `@file` and `name@file`; a name stays as it is. */
function urlEncoded(value: string): CurlData {
  const equals = value.indexOf('=')
  if (equals < 0 && value.includes('@')) return { text: undefined, separator: '&' }
  const name = equals > 0 ? value.slice(0, equals + 1) : ''
  const escaped = value.slice(equals + 1).replace(/[^A-Za-z0-9\-._~]/g, escapeOctet)
  const text = name + escaped.replaceAll('%20', '+')
  return { text, separator: '&', ...(escaped.includes('%20') && { before: name + escaped }) }
}

const escapeOctet = (octet: string): string => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
