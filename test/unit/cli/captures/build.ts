import type { SignedTestRequest } from '../../../../src/testing/index.ts'

/** How each format writes a request down, as the programs do that make such files. */
export interface Format {
  name: string
  write(request: SignedTestRequest): Buffer
  /** the format does not show the body */
  isBodyless?: boolean
}

const bodyOf = (request: SignedTestRequest): string => Buffer.from(request.body ?? '').toString('utf8')
const headerIn = (request: SignedTestRequest, name: string): string =>
  request.headers.find(([header]) => header.toLowerCase() === name)?.[1] ?? ''

function http1(request: SignedTestRequest, lineEnd = '\r\n'): string {
  const head = [`${request.method} ${request.target} HTTP/1.1`, ...request.headers.map(pair => pair.join(': '))]
  return `${head.join(lineEnd)}${lineEnd}${lineEnd}${bodyOf(request)}`
}

function curl(request: SignedTestRequest, version: string): string {
  return [
    '*   Trying 127.0.0.1:443...',
    '* Connected to receiver.example (127.0.0.1) port 443',
    `* using HTTP/${version}.x`,
    `> ${request.method} ${request.target} HTTP/${version}`,
    ...request.headers.map(pair => `> ${pair.join(': ')}`),
    '> ',
    '* upload completely sent off',
    '< HTTP/1.1 401 Unauthorized',
    '< Content-Length: 0',
    '< ',
    '* Connection #0 left intact',
    ''
  ].join('\n')
}

/** HTTP/2 has no Host, and names in lower case. */
const http2Fields = (request: SignedTestRequest): string[][] => [
  [':method', request.method],
  [':path', request.target],
  [':scheme', 'https'],
  [':authority', headerIn(request, 'host')],
  ...request.headers
    .filter(([name]) => name.toLowerCase() !== 'host')
    .map(([name, value]) => [name.toLowerCase(), value])
]

const har = (request: SignedTestRequest): object => ({
  request: {
    method: request.method,
    url: `https://${headerIn(request, 'host')}${request.target}`,
    httpVersion: 'HTTP/1.1',
    headers: request.headers.map(([name, value]) => ({ name, value })),
    postData: { mimeType: 'application/json', text: bodyOf(request) }
  },
  response: { status: 401, headers: [] }
})

const UNSIGNED = { request: { method: 'GET', url: 'https://receiver.example/', httpVersion: 'HTTP/1.1', headers: [] } }

function functionUrl(request: SignedTestRequest): object {
  const [rawPath, rawQueryString = ''] = request.target.split('?')
  return {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: Object.fromEntries(request.headers),
    requestContext: {
      http: { method: request.method, path: rawPath },
      domainName: 'x.lambda-url.eu-west-1.on.aws',
      stage: '$default'
    },
    body: Buffer.from(bodyOf(request)).toString('base64'),
    isBase64Encoded: true
  }
}

const urlOf = (request: SignedTestRequest): string => `https://${headerIn(request, 'host')}${request.target}`

const pairsOf = (request: SignedTestRequest, leftOut: RegExp): string[][] =>
  request.headers.filter(([name]) => !leftOut.test(name)).map(pair => [...pair])

/** As Chrome, Edge and Firefox quote for cmd.exe: a caret before what it may know, and a backslash before quotes. */
export const quoteForCmd = (text: string): string => {
  const characters = [...text.replaceAll('\r\n', '\n')].map(character => {
    if (character === '\n') return '^\n\n'
    const escaped = character === '"' || character === '\\' ? `\\${character}` : character
    return escaped.replace(/[^a-zA-Z0-9\s_\-:=+~'/.,?;()*`]/gu, '^$&')
  })
  // A name of a variable must not follow a percent sign.
  return `^"${characters.join('').replace(/%(?=\w)/g, '%^')}^"`
}

/** As older versions did: quotes are doubled, and a line break stands between strings. */
export const quoteForOldCmd = (text: string): string =>
  `"${text.replaceAll('"', '""').replaceAll('%', '"%"').replaceAll('\\', '\\\\').replaceAll('\n', '"^\n\n"')}"`

/** As browsers quote for PowerShell: a backtick before what expands, and other characters by their number. */
export const quoteForPowerShell = (text: string): string =>
  `"${text.replace(/["$`]/g, '`$&').replace(/[^ -~]/g, character => `$([char]${character.charCodeAt(0)})`)}"`

function curlForCmd(request: SignedTestRequest, quote: (text: string) => string): string {
  const data = request.body === null ? [] : [`--data-raw ${quote(bodyOf(request))}`]
  const headers = pairsOf(request, /^(?:host|content-length)$/i).map(pair => `-H ${quote(pair.join(': '))}`)
  return ['curl', quote(urlOf(request)), '-X', quote(request.method), ...headers, ...data].join(' ^\n  ')
}

function powerShell(request: SignedTestRequest): string {
  const quote = quoteForPowerShell
  const headers = pairsOf(request, /^(?:host|content-length|content-type)$/i)
  const bytes = `([System.Text.Encoding]::UTF8.GetBytes(${quote(bodyOf(request))}))`
  return [
    '$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession\n$session.UserAgent = "Mozilla/5.0"',
    '$session.Cookies.Add((New-Object System.Net.Cookie("a", "b", "/", "receiver.example")))',
    [
      `Invoke-WebRequest -UseBasicParsing -Uri ${quote(urlOf(request))}`,
      `-Method ${quote(request.method)}`,
      '-WebSession $session',
      `-Headers @{\n${headers.map(([name, value]) => `${quote(name!)}=${quote(value!)}`).join('\n  ')}\n}`,
      ...(request.body === null ? [] : [`-ContentType ${quote(headerIn(request, 'content-type'))}`, `-Body ${bytes}`])
    ].join(' `\n')
  ].join('\n')
}

function fetchCall(request: SignedTestRequest): string {
  const headers = Object.fromEntries(pairsOf(request, /^(?:host|content-length)$/i))
  const body = request.body === null ? null : bodyOf(request)
  return `fetch(${JSON.stringify(urlOf(request))}, ${JSON.stringify({ headers, body, method: request.method }, null, 2)});`
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value, null, 2))
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')

export const FORMATS: readonly Format[] = [
  { name: 'raw HTTP/1.1', write: request => Buffer.from(http1(request), 'latin1') },
  { name: 'raw HTTP/1.1 with LF', write: request => Buffer.from(http1(request, '\n'), 'latin1') },
  { name: 'UTF-16, as PowerShell writes', write: request => utf16(http1(request)) },
  { name: 'curl -v', write: request => Buffer.from(curl(request, '1.1')), isBodyless: true },
  { name: 'curl -v over HTTP/2 in UTF-16', write: request => utf16(curl(request, '2')), isBodyless: true },
  {
    name: 'a curl command',
    write: request => {
      const words = request.headers.flatMap(pair => ['-H', pair.join(': ')])
      const data = request.body === null ? [] : ['--data-raw', bodyOf(request)]
      const url = `https://${headerIn(request, 'host')}${request.target}`
      const quoted = ['-X', request.method, ...words, ...data].map(word => `'${word.replaceAll("'", "'\\''")}'`)
      return Buffer.from(`curl '${url.replaceAll("'", "'\\''")}' \\\n  ${quoted.join(' ')}`)
    }
  },
  { name: 'a curl command for cmd.exe', write: request => Buffer.from(curlForCmd(request, quoteForCmd)) },
  {
    name: 'a curl command for cmd.exe, as older browsers write it',
    write: request => Buffer.from(curlForCmd(request, quoteForOldCmd))
  },
  { name: 'PowerShell', write: request => Buffer.from(powerShell(request)) },
  { name: 'a call of fetch()', write: request => Buffer.from(fetchCall(request)) },
  {
    name: 'an HTTP/2 head',
    write: request =>
      Buffer.from(
        `${http2Fields(request)
          .map(pair => pair.join(': '))
          .join('\n')}\n\n${bodyOf(request)}`
      )
  },
  {
    name: 'HTTP/2 fields as a browser copies them',
    write: request => Buffer.from(http2Fields(request).flat().join('\n')),
    isBodyless: true
  },
  { name: 'a HAR', write: request => json({ log: { version: '1.2', entries: [UNSIGNED, har(request)] } }) },
  { name: 'the event of a function URL', write: request => json(functionUrl(request)) },
  {
    name: 'the event of a REST API',
    write: request =>
      json({
        httpMethod: request.method,
        path: request.target,
        headers: Object.fromEntries(request.headers),
        multiValueHeaders: Object.fromEntries(request.headers.map(([name, value]) => [name, [value]])),
        requestContext: { path: request.target },
        body: bodyOf(request),
        isBase64Encoded: false
      })
  },
  {
    name: 'a JSON export with headers as an object',
    write: request =>
      json({
        uuid: '1',
        method: request.method,
        url: `https://${headerIn(request, 'host')}${request.target}`,
        headers: Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), [value]])),
        content: bodyOf(request)
      })
  },
  {
    name: 'a list of JSON exports with headers as { name, value }',
    write: request =>
      json({
        data: [
          {
            method: request.method,
            path: request.target,
            headers: request.headers.map(([name, value]) => ({ name, value })),
            body: bodyOf(request)
          }
        ]
      })
  },
  {
    name: 'a JSON export with headers as pairs',
    write: request =>
      json({ method: request.method, target: request.target, headers: request.headers, body: bodyOf(request) })
  }
]
