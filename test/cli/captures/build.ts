import type { SignedTestRequest } from '../../../src/testing/index.ts'
import { headOf } from '../../support/explain.ts'

/** Writes a request in a format, as the programs do that make such files. */
export interface Format {
  name: string
  write(request: SignedTestRequest): Buffer
  /** the format does not show the body */
  isBodyless?: boolean
}

/** Returns a request with everything that the formats need of it. */
function partsOf(request: SignedTestRequest) {
  const { method, target, headers, body } = request
  const headerIn = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''
  return {
    ...{ method, target, headers, host: headerIn('host'), type: headerIn('content-type') },
    url: `https://${headerIn('host')}${target}`,
    hasBody: body !== null,
    body: Buffer.from(body ?? '').toString('utf8'),
    without: (names: RegExp) => headers.filter(([name]) => !names.test(name))
  }
}
type Parts = ReturnType<typeof partsOf>

type Pairs = readonly (readonly [name: string, value: string])[]
const lines = (pairs: Pairs): string[] => pairs.map(pair => pair.join(': '))
const named = (pairs: Pairs) => pairs.map(([name, value]) => ({ name, value }))

const http1 = (parts: Parts): string => headOf(parts) + parts.body

const curl = ({ method, target, headers }: Parts, version: string): string =>
  [
    '*   Trying 127.0.0.1:443...\n* Connected to receiver.example (127.0.0.1) port 443',
    `* using HTTP/${version}.x`,
    ...[`${method} ${target} HTTP/${version}`, ...lines(headers), ''].map(line => `> ${line}`),
    '* upload completely sent off',
    '< HTTP/1.1 401 Unauthorized\n< Content-Length: 0\n< \n* Connection #0 left intact\n'
  ].join('\n')

/** HTTP/2 has no Host, and names in lower case. */
const http2Fields = ({ method, target, host, without }: Parts): Pairs => [
  ...Object.entries({ ':method': method, ':path': target, ':scheme': 'https', ':authority': host }),
  ...without(/^host$/i).map(([name, value]) => [name.toLowerCase(), value] as const)
]

const har = ({ method, url, type, headers, body }: Parts) => ({
  request: { method, url, httpVersion: 'HTTP/1.1', headers: named(headers), postData: { mimeType: type, text: body } },
  response: { status: 401, headers: [] }
})

const UNSIGNED = { request: { method: 'GET', url: 'https://receiver.example/', httpVersion: 'HTTP/1.1', headers: [] } }

function functionUrl({ method, target, headers, body }: Parts) {
  const [path, query = ''] = target.split('?')
  const http = { method, path }
  return {
    ...{ version: '2.0', rawPath: path, rawQueryString: query, headers: Object.fromEntries(headers) },
    requestContext: { http, domainName: 'x.lambda-url.eu-west-1.on.aws', stage: '$default' },
    ...{ body: Buffer.from(body).toString('base64'), isBase64Encoded: true }
  }
}

const restApi = ({ method, target, headers, body }: Parts) => ({
  ...{ httpMethod: method, path: target, headers: Object.fromEntries(headers) },
  multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])),
  ...{ requestContext: { path: target }, body, isBase64Encoded: false }
})

/**
 * Quotes for cmd.exe as Chrome, Edge and Firefox do: a caret before characters that cmd.exe may interpret, and a
 * backslash before quotes.
 */
export const quoteForCmd = (text: string): string => {
  const characters = [...text.replaceAll('\r\n', '\n')].map(character => {
    if (character === '\n') return '^\n\n'
    const escaped = character === '"' || character === '\\' ? `\\${character}` : character
    return escaped.replace(/[^a-zA-Z0-9\s_\-:=+~'/.,?;()*`]/gu, '^$&')
  })
  // A name of a variable must not follow a percent sign.
  return `^"${characters.join('').replace(/%(?=\w)/g, '%^')}^"`
}

/** Quotes as older versions did: quotes are doubled, and a line break stands between strings. */
export const quoteForOldCmd = (text: string): string =>
  `"${text.replaceAll('"', '""').replaceAll('%', '"%"').replaceAll('\\', '\\\\').replaceAll('\n', '"^\n\n"')}"`

function curlForShell({ method, url, headers, hasBody, body }: Parts): string {
  const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`
  const words = [
    '-X',
    method,
    ...lines(headers).flatMap(line => ['-H', line]),
    ...(hasBody ? ['--data-raw', body] : [])
  ]
  return `curl --path-as-is ${quote(url)} \\\n  ${words.map(quote).join(' ')}`
}

function curlForCmd({ method, url, hasBody, body, without }: Parts, quote: (text: string) => string): string {
  const headers = lines(without(/^(?:host|content-length)$/i)).map(line => `-H ${quote(line)}`)
  const data = hasBody ? [`--data-raw ${quote(body)}`] : []
  return ['curl', '--path-as-is', quote(url), '-X', quote(method), ...headers, ...data].join(' ^\n  ')
}

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** A format that returns an object is JSON. */
function format(name: string, build: (parts: Parts) => string | object, isBodyless = false): Format {
  const write = (request: SignedTestRequest) => {
    const built = build(partsOf(request))
    return Buffer.isBuffer(built)
      ? built
      : Buffer.from(typeof built === 'string' ? built : JSON.stringify(built, null, 2))
  }
  return { name, write, isBodyless }
}

export const FORMATS: readonly Format[] = [
  format('raw HTTP/1.1', parts => latin1(http1(parts))),
  format('raw HTTP/1.1 with LF', parts => latin1(http1(parts).replaceAll('\r\n', '\n'))),
  format('UTF-16, as PowerShell writes', parts => utf16(http1(parts))),
  format('curl -v', parts => curl(parts, '1.1'), true),
  format('curl -v over HTTP/2 in UTF-16', parts => utf16(curl(parts, '2')), true),
  format('a curl command', curlForShell),
  format('a curl command for cmd.exe', parts => curlForCmd(parts, quoteForCmd)),
  format('a curl command for cmd.exe, as older browsers write it', parts => curlForCmd(parts, quoteForOldCmd)),
  format('an HTTP/2 head', parts => `${lines(http2Fields(parts)).join('\n')}\n\n${parts.body}`),
  format('HTTP/2 fields as a browser copies them', parts => http2Fields(parts).flat().join('\n'), true),
  format('a HAR', parts => ({ log: { version: '1.2', entries: [UNSIGNED, har(parts)] } })),
  format('the event of a function URL', functionUrl),
  format('the event of a REST API', restApi),
  format('a JSON export with headers as an object', ({ method, url, headers, body }) => {
    const values = headers.map(([name, value]) => [name.toLowerCase(), [value]])
    return { uuid: '1', method, url, headers: Object.fromEntries(values), content: body }
  }),
  format('a list of JSON exports with headers as { name, value }', ({ method, target, headers, body }) => ({
    data: [{ method, path: target, headers: named(headers), body }]
  })),
  format('a JSON export with headers as pairs', ({ method, target, headers, body }) => ({
    method,
    target,
    headers,
    body
  }))
]

/** Prints one packet on Ethernet as tcpdump 4.99 does; a zero octet of its headers may also be a line feed. */
export function packet(payload: string, flow = '127.0.0.1.40000 > 127.0.0.1.8080', version = ''): string {
  const length = `length ${payload.length}${payload.startsWith('POST') ? `: HTTP: ${payload.split('\r', 1)[0]}` : ''}`
  const options = 'options [nop,nop,TS val 1563080302 ecr 2482374446]'
  const octets = `E..4.4@.@.B...........J7mWZ&]. x...@.(.....${'.'.repeat(version === '6' ? 20 : 0)}\n]*.n\n..v`
  const printed = payload.replaceAll('\r\n', '\n').replace(/[^\n -~]/g, '.')
  return `17:47:58.245410 IP${version} ${flow}: Flags [P.], seq 1:9, ack 1, win 64, ${options}, ${length}\n${octets}${printed}\n`
}
