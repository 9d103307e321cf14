import { buildSigningString } from '../../src/index.ts'
import type { SignedTestRequest, SignRequest, TestService } from '../../src/testing/index.ts'
import { createSigningKey } from '../../src/testing/sign.ts'

/** One attempt to bring something to the upstream that was not verified. */
export interface Attempt {
  name: string
  octets: Buffer
  /** what the upstream must see, in this order: the requests that are verified */
  reaches: readonly SignedTestRequest[]
  /** the statuses that the sender gets, or any of several where it depends on what is read first */
  statuses: readonly number[] | { either: readonly (readonly number[])[] }
  /** header lines of `reaches` that must not be passed on, in lower case */
  removed?: readonly string[]
  /** several requests on one connection */
  isPipelined?: boolean
  /** the sender dies after the last octet */
  isCutOff?: boolean
}

const CRLF = '\r\n'
const BODY = '{"amount":100}'
const EITHER = { either: [[400], [401], [401, 400]] }
const AT_ONCE = { either: [[400], [200, 400], [200]] }

interface Wire {
  /** instead of `POST /hook HTTP/1.1` */
  requestLine?: string
  /** header lines in front of the request's own, and behind them, as they are sent */
  before?: readonly string[]
  after?: readonly string[]
  /** changes a line of the request's own: `name: value` */
  change?: (line: string) => string
  /** instead of the body that was signed; one character per octet */
  body?: string
  lineEnd?: string
}

/** The octets of a request, with what the attempt makes of it. One character of a header is one octet. */
export function wire(
  request: SignedTestRequest,
  { requestLine, before = [], after = [], change = line => line, body, lineEnd = CRLF }: Wire = {}
): Buffer {
  const own = request.headers.map(([name, value]) => change(`${name}: ${value}`))
  const line = requestLine ?? `${request.method} ${request.target} HTTP/1.1`
  const head = [line, ...before, ...own, ...after, '', ''].join(lineEnd)
  const bytes = body === undefined ? (request.body ?? Buffer.alloc(0)) : Buffer.from(body, 'latin1')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

/** Chunked, as a sender without a length sends it. */
export const chunked = (text: string): string => `${text.length.toString(16)}${CRLF}${text}${CRLF}0${CRLF}${CRLF}`

/** Signs a target that `service.sign` refuses, with a key of its own. */
function signAny(service: TestService, method: string, target: string): SignedTestRequest {
  service.records[anyKey.keyId] = [anyKey.record]
  const { headers, ...request } = service.sign({ method, body: BODY })
  const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const own = headers.filter(([name]) => name !== 'Signature')
  const signingString = buildSigningString({ method, target, headers: own }, covered)
  if (!signingString.ok) throw new Error(signingString.message)
  const signature = Buffer.from(anyKey.sign(signingString.value)).toString('base64')
  const value = `keyId="${anyKey.keyId}",headers="${covered.join(' ')}",signature="${signature}"`
  return { ...request, target, headers: [...own, ['Signature', value]] }
}
const anyKey = createSigningKey('any._domainkey.service.example', 1024)

/** @param stranger signs with a key that is not in DNS */
export function attempts(service: TestService, stranger: TestService): Attempt[] {
  const all: Attempt[] = []
  const order: SignRequest = { target: '/hook/orders?id=7', body: BODY }
  const sign = (more: SignRequest = {}) => service.sign({ ...order, ...more })
  const forged = () => stranger.sign({ ...order, target: '/forged' })
  const joined = (...parts: (Buffer | string)[]) =>
    Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))

  const attempt = (
    name: string,
    octets: Buffer,
    reaches: readonly SignedTestRequest[],
    statuses: Attempt['statuses'],
    more: Partial<Attempt> = {}
  ) => {
    all.push({ name, octets, reaches, statuses, ...more })
  }
  const pipelined = (...[name, octets, reaches, statuses]: Parameters<typeof attempt>) =>
    attempt(name, octets, reaches, statuses, { isPipelined: true })
  /** One request, changed on the wire, that must never arrive. */
  const refuse = (name: string, status: number, change: Wire, more: SignRequest = {}) =>
    attempt(name, wire(sign(more), change), [], [status])
  /** One request that is verified whatever was added on the wire. */
  const accept = (name: string, change: Wire, more: SignRequest = {}, removed: readonly string[] = []) => {
    const request = sign(more)
    attempt(name, wire(request, change), [request], [200], { removed })
  }

  // Two framings. The smuggled request is well signed: it may not arrive by way of the other's body.
  const smuggled = () => wire(sign({ target: '/smuggled' })).toString('latin1')
  const withoutLength = { 'Content-Length': undefined }
  refuse('CL.TE: a length and chunked', 400, {
    after: ['Transfer-Encoding: chunked'],
    body: `0${CRLF}${CRLF}${smuggled()}`
  })
  refuse('TE.CL: chunked and a length', 400, {
    before: ['Transfer-Encoding: chunked'],
    body: chunked(BODY) + smuggled()
  })
  const coding = 'Transfer-Encoding:'
  for (const [name, ...lines] of [
    ['chunked, then identity in a line of its own', `${coding} chunked`, `${coding} identity`],
    ['identity, then chunked in a line of its own', `${coding} identity`, `${coding} chunked`],
    ...[
      'chunked, identity',
      'identity, chunked',
      'chunked, chunked',
      'identity',
      'xchunked',
      'chunkedx',
      'gzip, chunked',
      '"chunked"',
      'chunked;q=1'
    ].map(value => [value, `${coding} ${value}`] as const),
    ['nothing', coding],
    ['chunked after a vertical tab', `${coding} \x0bchunked`],
    ['chunked, with a space before the colon', 'Transfer-Encoding : chunked'],
    ['chunked, folded', coding, ' chunked'],
    ['chunked, in a line with a bare LF', `X-Note: 1\n${coding} chunked`],
    ['chunked, in a line with a bare CR', `X-Note: 1\r${coding} chunked`]
  ] as const) {
    refuse(`TE.CL: a length, and Transfer-Encoding: ${name}`, 400, { after: lines })
  }

  // Lengths. Each is the one that was signed, so that nothing but the framing can refuse it.
  const withLength = (value: string): SignRequest => ({ headers: { 'Content-Length': value } })
  for (const length of '+14|-14|1 4|0x0e|14abc|1e1|14.0||14, 14|14,14|14;|٣'.split('|')) {
    const value = Buffer.from(length).toString('latin1')
    refuse(`Content-Length: ${JSON.stringify(length)}`, 400, {}, withLength(value))
  }
  refuse('Content-Length beyond 64 bits', 400, {}, withLength('18446744073709551630'))
  refuse('the same length twice', 400, { after: ['Content-Length: 14'] })
  refuse('two lengths that differ', 400, { after: ['Content-Length: 5'] })
  refuse('two lengths that differ, the right one last', 400, { before: ['Content-Length: 5'] })
  accept('a length with zeros in front', {}, withLength('0014'))
  attempt('a length that is more than comes', wire(sign(withLength('15'))), [], [400], { isCutOff: true })
  attempt('a length that is less than comes: the rest is no request', wire(sign(withLength('10'))), [], EITHER)

  // Chunked.
  const stream = (body: string): Wire => ({ after: ['Transfer-Encoding: chunked'], body })
  const chunkedOrder: SignRequest = { headers: withoutLength }
  const acceptStream = (name: string, body: string) =>
    accept(`chunked: ${name}`, stream(body), chunkedOrder, ['transfer-encoding'])
  const refuseStream = (name: string, body: string) => refuse(`chunked: ${name}`, 400, stream(body), chunkedOrder)
  const LAST = `0${CRLF}${CRLF}`
  acceptStream('as it should be', chunked(BODY))
  acceptStream('in fourteen chunks', `${[...BODY].map(char => `1${CRLF}${char}${CRLF}`).join('')}${LAST}`)
  acceptStream('a size with zeros in front', `0000e${CRLF}${BODY}${CRLF}00${LAST}`)
  acceptStream('extensions', `e;name=value;other="quoted"${CRLF}${BODY}${CRLF}0;last${CRLF}${CRLF}`)
  acceptStream(
    'trailers with Signed-Request-Account, Host and Content-Length',
    `e${CRLF}${BODY}${CRLF}0${CRLF}Signed-Request-Account: 9999${CRLF}Host: evil.example${CRLF}X-Extra: 1${CRLF}${CRLF}`
  )
  refuseStream('a size that overflows 64 bits', `1000000000000000e${CRLF}${BODY}${CRLF}${LAST}`)
  refuseStream('a size with 0x', `0xe${CRLF}${BODY}${CRLF}${LAST}`)
  refuseStream('a size with a sign', `+e${CRLF}${BODY}${CRLF}${LAST}`)
  refuseStream('a size with a minus', `-e${CRLF}${BODY}${CRLF}${LAST}`)
  refuseStream('a space in front of a size', ` e${CRLF}${BODY}${CRLF}${LAST}`)
  refuseStream('no size', `${CRLF}${BODY}${CRLF}${LAST}`)
  refuseStream('more octets than the size says', `d${CRLF}${BODY}${CRLF}${LAST}`)
  refuseStream('a bare LF after a size', `e\n${BODY}${CRLF}${LAST}`)
  refuseStream('a bare LF after the octets', `e${CRLF}${BODY}\n${LAST}`)
  refuseStream('a bare LF in an extension', `e;a\n${BODY}${CRLF}${LAST}`)
  refuseStream('a bare CR after a size', `e\r${BODY}${CRLF}${LAST}`)
  attempt('chunked: no last chunk', wire(sign(chunkedOrder), stream(`e${CRLF}${BODY}${CRLF}`)), [], [400], {
    isCutOff: true
  })
  attempt(
    'chunked: octets after the last chunk that are no request',
    wire(sign(chunkedOrder), stream(`${LAST}${BODY}`)),
    [],
    EITHER
  )

  // Pipelined.
  {
    const [first, second] = [sign({ target: '/first' }), sign({ target: '/second' })]
    pipelined('two that are verified, in one segment', joined(wire(first), wire(second)), [first, second], [200, 200])
  }
  {
    const first = sign()
    pipelined('a forged one behind a verified one', joined(wire(first), wire(forged())), [first], [200, 401])
  }
  pipelined('a verified one behind a forged one', joined(wire(forged()), wire(sign())), [], [401])
  pipelined('a verified one behind one that is malformed', joined('POST / HTTP/9.9\r\n\r\n', wire(sign())), [], [400])
  {
    const first = sign()
    const last = { after: ['Connection: close'] }
    // Node.js answers what follows at once, and closes: the first one was let in, its sender does not learn it.
    pipelined('a verified one behind the last one', joined(wire(first, last), wire(sign())), [first], AT_ONCE)
  }
  {
    const first = sign()
    pipelined('garbage behind a verified one', joined(wire(first), '\x00\x01\x02\r\n\r\n'), [first], AT_ONCE)
  }
  {
    const [first, second] = [sign({ method: 'HEAD', body: null }), sign({ target: '/second' })]
    pipelined('one behind a HEAD', joined(wire(first), wire(second)), [first, second], [200, 200])
  }
  {
    const first = sign({ body: smuggled() })
    attempt('a request inside a body that was signed', wire(first), [first], [200])
  }

  // Header lines.
  for (const [name, line] of [
    ['a space in a name', 'X Note: 1'],
    ['a space before the colon', 'X-Note : 1'],
    ['a tab before the colon', 'X-Note\t: 1'],
    ['no colon', 'X-Note'],
    ['no name', ': 1'],
    ['NUL in a name', 'X-\x00Note: 1'],
    ['NUL in a value', 'X-Note: 1\x002'],
    ['DEL in a value', 'X-Note: 1\x7f2'],
    ['a bare CR in a value', 'X-Note: 1\rSigned-Request-Account: 9999'],
    ['a bare LF in a value', 'X-Note: 1\nSigned-Request-Account: 9999'],
    ['an octet above 127 in a name', 'X-N\xf6te: 1'],
    ['a name in brackets', 'X-Note[]: 1']
  ] as const) {
    refuse(`a header line with ${name}`, 400, { after: [line] })
  }
  refuse('a header line that is folded', 400, { after: ['X-Note: 1', ' 2'] })
  refuse('a header line that is folded with a tab', 400, { after: ['X-Note: 1', '\tSigned-Request-Account: 9999'] })
  refuse('a first header line that begins with a space', 400, { before: [' X-Note: 1'] })
  refuse('all lines end in a bare LF', 400, { lineEnd: '\n' })
  refuse('all lines end in a bare CR', 400, { lineEnd: '\r' })
  accept('octets above 127 in a value', { after: ['X-Note: Zo\xeb \xff'] })
  refuse('a head of 100 KB in one line', 431, { after: [`X-Note: ${'x'.repeat(100_000)}`] })
  refuse('a head of 100 KB in many lines', 431, { after: Array(10_000).fill('X-Note: 1') })
  refuse('two thousand header lines', 401, { after: Array(2000).fill('a:') })
  attempt('octets that end in the head', wire(sign()).subarray(0, 100), [], [400], { isCutOff: true })

  // Whose request is it?
  refuse('a second Host', 401, { after: ['Host: evil.example'] })
  refuse('a second Host in front', 401, { before: ['Host: evil.example'] })
  refuse('the same Host twice', 401, { after: ['Host: receiver.example'] })
  refuse('no Host', 400, { change: line => line.replace(/^Host:.*/, 'X-Host: receiver.example') })
  refuse('an empty Host', 401, { change: line => line.replace(/^Host:.*/, 'Host:') })
  refuse('a second account', 401, { after: ['X-Service-ID: account-9999'] })
  refuse('a second Date', 401, { after: [`Date: ${new Date().toUTCString()}`] })
  refuse('a second Signature', 401, { after: ['Signature: keyId="a",signature="AAAA"'] })
  refuse('a second Digest', 401, { after: [`Digest: SHA-256=${'A'.repeat(43)}=`] })
  refuse('another body', 401, { body: '{"amount":900}' })

  // Targets.
  const at = (target: string): SignRequest => ({ target })
  for (const target of [
    '/',
    '//evil.example/hook',
    '/a%2Fb//c/../%2e%2e/?x=/y?z&%00=%0d%0a',
    '/a?#fragment',
    '/\\evil.example',
    '/"<>^`{|}'
  ]) {
    accept(`the target ${JSON.stringify(target)} as it is`, {}, at(target))
  }
  const line = (target: string, method = 'POST'): Wire => ({ requestLine: `${method} ${target} HTTP/1.1` })
  refuse('octets above 127 in the target', 400, {}, at('/caf\xe9'))
  refuse('a space in the target', 400, line('/hook orders'))
  refuse('a tab in the target', 400, line('/hook\torders'))
  refuse('NUL in the target', 400, line('/hook\x00orders'))
  refuse('a target without a slash', 400, line('hook'))
  refuse('an absolute target of another host', 400, line('http://evil.example/hook/orders?id=7'))
  refuse('an absolute target with user information', 400, line('http://receiver.example@evil.example/hook'))
  refuse('an absolute target with our name as user', 400, line('http://evil@receiver.example/hook/orders?id=7'))
  refuse('an absolute target with another port', 400, line('http://receiver.example:8080/hook/orders?id=7'))
  refuse('an absolute target of another scheme', 400, line('ftp://receiver.example/hook/orders?id=7'))
  refuse('an absolute target that was signed in origin form', 401, line('http://receiver.example/hook/orders?id=7'))
  refuse('an authority as target', 400, line('receiver.example:443'))
  for (const target of [
    'http://receiver.example/hook?id=7',
    'https://receiver.example:443/hook',
    'http://Receiver.EXAMPLE:80/hook#x'
  ]) {
    const request = signAny(service, 'POST', target)
    attempt(`${target}, signed as it is, when Host is the same`, wire(request), [request], [200])
  }
  for (const target of [
    'http://evil.example/hook',
    'http://receiver.example:443/hook',
    'https://receiver.example:80/hook',
    'http://receiver.example@evil.example/hook',
    'http://evil@receiver.example/hook',
    'http://receiver.example.evil.example/hook',
    'http://receiver.example\\@evil.example/hook',
    'http://receiver.example%2eevil.example/hook',
    'http:///hook',
    'http:/receiver.example/hook',
    'ftp://receiver.example/hook',
    'javascript://receiver.example/hook',
    'receiver.example:443',
    'receiver.example/hook',
    '?id=7',
    '*'
  ]) {
    attempt(`${target}, signed as it is`, wire(signAny(service, 'POST', target)), [], [400])
  }
  attempt(
    'CONNECT',
    joined(`CONNECT receiver.example:443 HTTP/1.1${CRLF}Host: receiver.example:443${CRLF}${CRLF}`, wire(sign())),
    [],
    []
  )
  attempt(
    'CONNECT to the upstream, with the lines of a signed request',
    wire(sign(), { requestLine: 'CONNECT 127.0.0.1:80 HTTP/1.1' }),
    [],
    []
  )
  const absolute = signAny(service, 'POST', 'http://receiver.example/hook')
  attempt('an absolute target and two Hosts', wire(absolute, { after: ['Host: receiver.example'] }), [], [400])
  attempt('OPTIONS *', wire(sign({ method: 'OPTIONS', target: '*', body: null })), [], [400])

  // Methods.
  refuse('a method in lower case', 400, line('/hook/orders?id=7', 'post'))
  refuse('a method with odd characters', 400, line('/hook/orders?id=7', 'P@ST'))
  refuse('a method with NUL', 400, line('/hook/orders?id=7', 'POST\x00'))
  refuse('another method than was signed', 401, line('/hook/orders?id=7', 'PUT'))
  accept('two spaces after the method', { requestLine: 'POST  /hook/orders?id=7 HTTP/1.1' })
  accept('a method that is rare', {}, { method: 'PROPFIND' })
  accept('a GET with a body that was signed', {}, { method: 'GET' })
  accept('a DELETE without a body', {}, { method: 'DELETE', body: null })
  attempt(
    'a GET with a body that was not signed',
    wire(sign({ method: 'GET', body: null }), { after: ['Content-Length: 14'], body: BODY }),
    [],
    [401]
  )
  {
    const first = sign({ method: 'GET', body: null })
    attempt('a GET with a body and no length', wire(first, { body: `${BODY}${CRLF}` }), [first], AT_ONCE)
  }

  // What belongs to one connection.
  const hop = (name: string, after: readonly string[], removed: readonly string[], more: SignRequest = {}) =>
    accept(`hop by hop: ${name}`, { after }, more, ['connection', ...removed])
  hop('Connection: Signed-Request-Account', ['Connection: Signed-Request-Account, Signed-Request-Key'], [])
  hop('Connection: Host', ['Connection: Host'], [])
  hop('Connection: Date, X-Service-ID, Digest, X-Nonce', ['Connection: Date, X-Service-ID, Digest, X-Nonce'], [])
  hop('Connection: Signature, which is not signed itself', ['Connection: Signature'], ['signature'])
  hop('Connection: Content-Length, Content-Type', ['Connection: Content-Length, Content-Type'], [])
  hop('Connection: Cookie', ['Cookie: session=1', 'Connection: cookie'], ['cookie'])
  hop(
    'a Connection of many lines',
    ['X-A: 1', 'Connection: keep-alive', 'X-B: 2', 'Connection: x-a,, X-B'],
    ['x-a', 'x-b']
  )
  hop(
    'Keep-Alive, TE, Trailer, Proxy-*',
    [
      'Connection: keep-alive, te',
      'Keep-Alive: timeout=5',
      'TE: trailers',
      'Trailer: Signed-Request-Account',
      'Proxy-Connection: keep-alive',
      'Proxy-Authorization: Basic YTpi',
      'Proxy-Authenticate: Basic'
    ],
    ['keep-alive', 'te', 'trailer', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate']
  )
  hop('Upgrade to a websocket', ['Connection: Upgrade', 'Upgrade: websocket'], ['upgrade'])
  hop(
    'Upgrade to h2c',
    ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
    ['upgrade', 'http2-settings']
  )
  {
    const first = sign({ method: 'GET', body: null })
    const upgrade = wire(first, { after: ['Connection: Upgrade', 'Upgrade: websocket'] })
    attempt('octets of a tunnel behind an Upgrade', joined(upgrade, '\x81\x05hello\r\n\r\n'), [first], AT_ONCE, {
      removed: ['connection', 'upgrade']
    })
  }
  accept('Expect: 100-continue', { after: ['Expect: 100-continue'] }, {}, ['expect'])
  attempt('another Expect', wire(sign(), { after: ['Expect: 200-maybe'] }), [], { either: [[417]] })

  // Names that the application would take for the gateway's, or for one that was signed.
  for (const name of [
    'Signed-Request-Account',
    'signed-request-account',
    'SIGNED-REQUEST-ACCOUNT',
    'Signed_Request_Account',
    'signed-Request_account',
    'Signed.Request.Account',
    'Signed~Request!Account',
    'Signed-Request-Key',
    'Signed_Request_Date',
    'Signed-Request-Id',
    'Signed-Request-Verdict',
    'Signed-Request-Anything'
  ]) {
    accept(`the sender's own ${name}`, { before: [`${name}: 9999`], after: [`${name}: 9999`] }, {}, [
      name.toLowerCase()
    ])
  }
  for (const name of ['Signed-Request-Account', 'Signed_Request_Account']) {
    const covered = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest', name]
    accept(`a ${name} that was signed`, {}, { headers: { [name]: '9999' }, covered }, [name.toLowerCase()])
  }
  for (const name of [
    'X_Service_ID',
    'x_service-id',
    'X.Service.ID',
    'Content_Type',
    'Content_Length',
    'X_Nonce',
    'Transfer_Encoding',
    'Proxy_Connection'
  ]) {
    accept(`${name} beside the one with hyphens`, { before: [`${name}: 9999`], after: [`${name}: 9999`] }, {}, [
      name.toLowerCase()
    ])
  }
  accept('Proxy, which CGI has as HTTP_PROXY', { after: ['Proxy: http://evil.example:8080'] }, {}, ['proxy'])
  accept('unsigned names with an underscore or a dot', { after: ['X_Note: 1', 'X.Other: 2'] }, {}, [
    'x_note',
    'x.other'
  ])

  // Versions.
  accept('HTTP/1.0', { requestLine: 'POST /hook/orders?id=7 HTTP/1.0' })
  accept(
    'HTTP/1.0 with keep-alive',
    { requestLine: 'POST /hook/orders?id=7 HTTP/1.0', after: ['Connection: keep-alive'] },
    {},
    ['connection']
  )
  // RFC 9112 section 6.1: its framing is faulty.
  attempt(
    'HTTP/1.0, chunked',
    wire(sign(chunkedOrder), { ...stream(chunked(BODY)), requestLine: 'POST /hook/orders?id=7 HTTP/1.0' }),
    [],
    [400]
  )
  refuse('HTTP/1.2', 400, { requestLine: 'POST /hook/orders?id=7 HTTP/1.2' })
  refuse('HTTP/2.0', 400, { requestLine: 'POST /hook/orders?id=7 HTTP/2.0' })
  refuse('http/1.1', 400, { requestLine: 'POST /hook/orders?id=7 http/1.1' })
  refuse('no version', 400, { requestLine: 'POST /hook/orders?id=7' })
  refuse('a space after the version', 400, { requestLine: 'POST /hook/orders?id=7 HTTP/1.1 ' })
  attempt('HTTP/0.9', joined(`GET /hook${CRLF}`, wire(sign())), [], [400])
  attempt('the preface of HTTP/2', joined('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', wire(sign())), [], [400])
  attempt('a TLS hello', joined('\x16\x03\x01\x00\x05hello', wire(sign())), [], [400])
  {
    const request = sign()
    attempt('empty lines in front', joined(CRLF, CRLF, wire(request)), [request], [200])
  }
  attempt('a bare CR in front', joined('\rX', wire(sign())), [], [400])
  return all
}
