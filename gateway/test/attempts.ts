import { buildSigningString } from '../../src/index.ts'
import type { SignedTestRequest, SignRequest, TestService } from '../../src/testing/index.ts'
import { createSigningKey } from '../../src/testing/sign.ts'

/** Describes an attempt to get an unverified request to the upstream. */
export interface Attempt {
  name: string
  octets: Buffer
  /** the verified requests that the upstream must see, in this order */
  reaches: readonly SignedTestRequest[]
  /** the statuses that the sender gets, or several where the order of reading decides */
  statuses: readonly number[] | { either: readonly (readonly number[])[] }
  /** header lines of `reaches` that must not be passed on, in lower case */
  removed?: readonly string[]
  /** several requests on one connection */
  isPipelined?: boolean
  /** the sender disconnects after the last octet */
  isCutOff?: boolean
}

const CRLF = '\r\n'
const BODY = '{"amount":100}'
const EITHER = { either: [[400], [401], [401, 400]] }
const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'] as const
const AT_ONCE = { either: [[400], [200, 400], [200]] }

/** A string has one character per octet. */
type Octets = Uint8Array | string

interface Wire {
  /** instead of `POST /hook HTTP/1.1` */
  requestLine?: string
  /** header lines in front of the request's own, and behind them, as they are sent */
  before?: readonly string[]
  after?: readonly string[]
  /** changes a line of the request's own: `name: value` */
  change?: (line: string) => string
  /** instead of the body that was signed */
  body?: Octets
  lineEnd?: string
  /** sent in front of the request, and behind it */
  inFront?: Octets
  behind?: Octets
}

/** Writes the octets of a request with the attempt's changes. */
export function wire(
  request: SignedTestRequest,
  { requestLine, before = [], after = [], change = line => line, lineEnd = CRLF, ...octets }: Wire = {}
): Buffer {
  const { inFront = '', body = request.body ?? '', behind = '' } = octets
  const own = request.headers.map(([name, value]) => change(`${name}: ${value}`))
  const line = requestLine ?? `${request.method} ${request.target} HTTP/1.1`
  const head = [line, ...before, ...own, ...after, '', ''].join(lineEnd)
  return Buffer.concat([inFront, head, body, behind].map(part => Buffer.from(part as string, 'latin1')))
}

/** Sends the body chunked, as a sender without a length does. */
export const chunked = (text: string): string => `${text.length.toString(16)}${CRLF}${text}${CRLF}0${CRLF}${CRLF}`

/** Signs a target that `service.sign` refuses, with a key of its own. */
function signAny(service: TestService, target: string): SignedTestRequest {
  service.records[anyKey.keyId] = [anyKey.record]
  const { headers, ...request } = service.sign({ body: BODY })
  const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
  const own = headers.filter(([name]) => name !== 'Signature')
  const signingString = buildSigningString({ ...request, target, headers: own }, covered)
  if (!signingString.ok) throw new Error(signingString.message)
  const signature = Buffer.from(anyKey.sign(signingString.value)).toString('base64')
  const value = `keyId="${anyKey.keyId}",headers="${covered.join(' ')}",signature="${signature}"`
  return { ...request, target, headers: [...own, ['Signature', value]] }
}
const anyKey = createSigningKey('any._domainkey.service.example', 1024)

const words = (text: string): string[] => text.trim().split(/\s+/)

/** @param attacker signs with a key that is not in DNS */
export function attempts(service: TestService, attacker: TestService): Attempt[] {
  const all: Attempt[] = []
  const order: SignRequest = { target: '/hook/orders?id=7', body: BODY }
  const sign = (more: SignRequest = {}) => service.sign({ ...order, ...more })

  const attempt = (
    name: string,
    octets: Buffer,
    reaches: readonly SignedTestRequest[],
    status: number | Attempt['statuses'],
    more: Partial<Attempt> = {}
  ) => {
    all.push({ name, octets, reaches, statuses: typeof status === 'number' ? [status] : status, ...more })
  }
  /** Adds a request, changed on the wire, that must never arrive. */
  const refuse = (
    name: string,
    status: number | Attempt['statuses'],
    change: Wire,
    signed: SignRequest = {},
    more: Partial<Attempt> = {}
  ) => attempt(name, wire(sign(signed), change), [], status, more)
  /** Adds a request that is verified despite the change on the wire. */
  const accept = (name: string, change: Wire, signed: SignRequest = {}, more: Partial<Attempt> = {}) => {
    const request = sign(signed)
    attempt(name, wire(request, change), [request], 200, more)
  }
  /** Adds such a request with headers that are not passed on. */
  const drop = (name: string, removed: readonly string[], change: Wire, signed: SignRequest = {}) =>
    accept(name, change, signed, { removed: removed.map(header => header.toLowerCase()) })

  // Two framings. The smuggled request is well signed: it must not arrive inside the other's body.
  const smuggled = () => wire(sign({ target: '/smuggled' })).toString('latin1')
  const LAST = `0${CRLF}${CRLF}`
  const coding = 'Transfer-Encoding:'
  refuse('CL.TE: a length and chunked', 400, { after: [`${coding} chunked`], body: LAST + smuggled() })
  refuse('TE.CL: chunked and a length', 400, { before: [`${coding} chunked`], body: chunked(BODY) + smuggled() })
  const lists = ['chunked, identity', 'identity, chunked', 'chunked, chunked', 'gzip, chunked']
  for (const [name, ...after] of [
    ['chunked, then identity in a line of its own', `${coding} chunked`, `${coding} identity`],
    ['identity, then chunked in a line of its own', `${coding} identity`, `${coding} chunked`],
    ...[...lists, ...words('identity xchunked chunkedx "chunked" chunked;q=1')].map(
      value => [value, `${coding} ${value}`] as const
    ),
    ['nothing', coding],
    ['chunked after a vertical tab', `${coding} \x0bchunked`],
    ['chunked, with a space before the colon', 'Transfer-Encoding : chunked'],
    ['chunked, folded', coding, ' chunked'],
    ['chunked, in a line with a bare LF', `X-Note: 1\n${coding} chunked`],
    ['chunked, in a line with a bare CR', `X-Note: 1\r${coding} chunked`]
  ] as const) {
    refuse(`TE.CL: a length, and Transfer-Encoding: ${name}`, 400, { after })
  }

  // Without a length, the coding is all the framing there is.
  const anyLength: SignRequest = { headers: { 'Content-Length': undefined } }
  for (const value of ['gzip, chunked', 'identity, chunked', 'xchunked, chunked', ', chunked', 'chunked,']) {
    refuse(`Transfer-Encoding: ${value}`, 400, { after: [`${coding} ${value}`], body: chunked(BODY) }, anyLength)
  }
  drop(
    'Transfer-Encoding: Chunked',
    ['transfer-encoding'],
    { after: [`${coding} Chunked`], body: chunked(BODY) },
    anyLength
  )

  // Lengths. Each is the signed one, so that only the framing can refuse it.
  const withLength = (value: string): SignRequest => ({ headers: { 'Content-Length': value } })
  for (const length of '+14|-14|1 4|0x0e|14abc|1e1|14.0||14, 14|14,14|14;|٣'.split('|')) {
    refuse(`Content-Length: ${JSON.stringify(length)}`, 400, {}, withLength(Buffer.from(length).toString('latin1')))
  }
  refuse('Content-Length beyond 64 bits', 400, {}, withLength('18446744073709551630'))
  refuse('the same length twice', 400, { after: ['Content-Length: 14'] })
  refuse('two lengths that differ', 400, { after: ['Content-Length: 5'] })
  refuse('two lengths that differ, the right one last', 400, { before: ['Content-Length: 5'] })
  accept('a length with zeros in front', {}, withLength('0014'))
  refuse('a length that is more than comes', 400, {}, withLength('15'), { isCutOff: true })
  refuse('a length that is less than comes: the rest is no request', EITHER, {}, withLength('10'))

  // Chunked.
  const stream = (body: string): Wire => ({ after: [`${coding} chunked`], body })
  const unmeasured: SignRequest = { headers: { 'Content-Length': undefined } }
  const hostile = ['Signed-Request-Account: 9999', 'Host: evil.example', 'X-Extra: 1']
  const withTrailers = (...lines: string[]) => ['e', BODY, '0', ...lines, '', ''].join(CRLF)
  for (const [name, body] of [
    ['as it should be', chunked(BODY)],
    ['in fourteen chunks', `${[...BODY].map(char => `1${CRLF}${char}${CRLF}`).join('')}${LAST}`],
    ['a size with zeros in front', `0000e${CRLF}${BODY}${CRLF}00${LAST}`],
    ['extensions', `e;name=value;other="quoted"${CRLF}${BODY}${CRLF}0;last${CRLF}${CRLF}`],
    ['trailers with Signed-Request-Account and Host', withTrailers(...hostile)]
  ] as const) {
    drop(`chunked: ${name}`, ['transfer-encoding'], stream(body), unmeasured)
  }
  for (const [name, body] of [
    ['a size that overflows 64 bits', `1000000000000000e${CRLF}${BODY}${CRLF}${LAST}`],
    ['a size with 0x', `0xe${CRLF}${BODY}${CRLF}${LAST}`],
    ['a size with a sign', `+e${CRLF}${BODY}${CRLF}${LAST}`],
    ['a size with a minus', `-e${CRLF}${BODY}${CRLF}${LAST}`],
    ['a space in front of a size', ` e${CRLF}${BODY}${CRLF}${LAST}`],
    ['no size', `${CRLF}${BODY}${CRLF}${LAST}`],
    ['more octets than the size says', `d${CRLF}${BODY}${CRLF}${LAST}`],
    ['a bare LF after a size', `e\n${BODY}${CRLF}${LAST}`],
    ['a bare LF after the octets', `e${CRLF}${BODY}\n${LAST}`],
    ['a bare LF in an extension', `e;a\n${BODY}${CRLF}${LAST}`],
    ['a bare CR after a size', `e\r${BODY}${CRLF}${LAST}`],
    ['Content-Length in the trailers', withTrailers('Content-Length: 0')]
  ] as const) {
    refuse(`chunked: ${name}`, 400, stream(body), unmeasured)
  }
  refuse('chunked: no last chunk', 400, stream(`e${CRLF}${BODY}${CRLF}`), unmeasured, { isCutOff: true })
  refuse('chunked: octets after the last chunk that are no request', EITHER, stream(`${LAST}${BODY}`), unmeasured)

  // Pipelined.
  for (const [name, signed] of [
    ['two that are verified, in one segment', { target: '/first' }],
    ['one behind a HEAD', { method: 'HEAD', body: null }]
  ] as const) {
    const [first, second] = [sign(signed), sign({ target: '/second' })]
    const octets = wire(first, { behind: wire(second) })
    attempt(name, octets, [first, second], [200, 200], { isPipelined: true })
  }
  const forged = wire(attacker.sign({ ...order, target: '/forged' }))
  const isLast = { after: ['Connection: close'], behind: wire(sign()) }
  // Node.js answers the next request at once, and closes: the first one was let in, but its sender does not learn that.
  for (const [name, change, statuses] of [
    ['a forged one behind a verified one', { behind: forged }, [200, 401]],
    ['a verified one behind the last one', isLast, AT_ONCE],
    ['garbage behind a verified one', { behind: '\x00\x01\x02\r\n\r\n' }, AT_ONCE]
  ] as const) {
    accept(name, change, {}, { statuses, isPipelined: true })
  }
  const honest = sign()
  attempt('a verified one behind a forged one', wire(honest, { inFront: forged }), [honest], [401, 200], {
    isPipelined: true
  })
  const malformed = 'POST / HTTP/9.9\r\n\r\n'
  refuse('a verified one behind one that is malformed', 400, { inFront: malformed }, {}, { isPipelined: true })
  accept('a request inside a body that was signed', {}, { body: smuggled() })

  // Header lines.
  for (const [name, ...after] of [
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
    ['a name in brackets', 'X-Note[]: 1'],
    ['a folded value', 'X-Note: 1', ' 2'],
    ['a value that is folded with a tab', 'X-Note: 1', '\tSigned-Request-Account: 9999']
  ] as const) {
    refuse(`a header line with ${name}`, 400, { after })
  }
  refuse('a first header line that begins with a space', 400, { before: [' X-Note: 1'] })
  refuse('all lines end in a bare LF', 400, { lineEnd: '\n' })
  refuse('all lines end in a bare CR', 400, { lineEnd: '\r' })
  accept('octets above 127 in a value', { after: ['X-Note: Zo\xeb \xff'] })
  refuse('a head of 100 KB in one line', 431, { after: [`X-Note: ${'x'.repeat(100_000)}`] })
  refuse('a head of 100 KB in many lines', 431, { after: Array(10_000).fill('X-Note: 1') })
  refuse('two thousand header lines', 401, { after: Array(2000).fill('a:') })
  attempt('octets that end in the head', wire(sign()).subarray(0, 100), [], 400, { isCutOff: true })

  // Ownership: a Host, account or signature that is not the request's own.
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
  const unusual = words('/ //evil.example/hook /a%2Fb//c/../%2e%2e/?x=/y?z&%00=%0d%0a /a?#fragment')
  for (const target of [...unusual, '/\\evil.example', '/"<>^`{|}']) {
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
  for (const target of words(`
    http://receiver.example/hook?id=7 https://receiver.example:443/hook http://Receiver.EXAMPLE:80/hook#x`)) {
    const request = signAny(service, target)
    attempt(`${target}, signed as it is, when Host is the same`, wire(request), [request], 200)
  }
  for (const target of words(String.raw`
    http://evil.example/hook http://receiver.example:443/hook https://receiver.example:80/hook
    http://receiver.example@evil.example/hook http://evil@receiver.example/hook
    http://receiver.example.evil.example/hook http://receiver.example\@evil.example/hook
    http://receiver.example%2eevil.example/hook http:///hook http:/receiver.example/hook
    ftp://receiver.example/hook javascript://receiver.example/hook
    receiver.example:443 receiver.example/hook ?id=7 *`)) {
    attempt(`${target}, signed as it is`, wire(signAny(service, target)), [], 400)
  }
  const connecting = 'CONNECT receiver.example:443 HTTP/1.1\r\nHost: receiver.example:443\r\n\r\n'
  refuse('CONNECT', [], { inFront: connecting })
  const toUpstream = { requestLine: 'CONNECT 127.0.0.1:80 HTTP/1.1' }
  refuse('CONNECT to the upstream, with the lines of a signed request', [], toUpstream)
  const absolute = signAny(service, 'http://receiver.example/hook')
  attempt('an absolute target and two Hosts', wire(absolute, { after: ['Host: receiver.example'] }), [], 400)
  refuse('OPTIONS *', 400, {}, { method: 'OPTIONS', target: '*', body: null })

  // Methods.
  refuse('a method in lower case', 400, line('/hook/orders?id=7', 'post'))
  refuse('a method with odd characters', 400, line('/hook/orders?id=7', 'P@ST'))
  refuse('a method with NUL', 400, line('/hook/orders?id=7', 'POST\x00'))
  refuse('another method than was signed', 401, line('/hook/orders?id=7', 'PUT'))
  accept('two spaces after the method', { requestLine: 'POST  /hook/orders?id=7 HTTP/1.1' })
  accept('a method that is rare', {}, { method: 'PROPFIND' })
  accept('a GET with a body that was signed', {}, { method: 'GET' })
  accept('a DELETE without a body', {}, { method: 'DELETE', body: null })
  const bodiless: SignRequest = { method: 'GET', body: null }
  refuse('a GET with a body that was not signed', 401, { after: ['Content-Length: 14'], body: BODY }, bodiless)
  accept('a GET with a body and no length', { body: `${BODY}${CRLF}` }, bodiless, { statuses: AT_ONCE })

  // Headers of one connection.
  for (const [name, removed, ...after] of [
    ['Connection: Signed-Request-Account', [], 'Connection: Signed-Request-Account, Signed-Request-Key'],
    ['Connection: Host', [], 'Connection: Host'],
    ['Connection: Date, X-Service-ID, Digest, X-Nonce', [], 'Connection: Date, X-Service-ID, Digest, X-Nonce'],
    ['Connection: Signature, which is not signed itself', ['signature'], 'Connection: Signature'],
    ['Connection: Content-Length, Content-Type', [], 'Connection: Content-Length, Content-Type'],
    ['Connection: Cookie', ['cookie'], 'Cookie: session=1', 'Connection: cookie'],
    ['many lines', ['x-a', 'x-b'], 'X-A: 1', 'Connection: keep-alive', 'X-B: 2', 'Connection: x-a,, X-B'],
    ['Keep-Alive, TE', ['keep-alive', 'te'], 'Connection: keep-alive, te', 'Keep-Alive: timeout=5', 'TE: trailers'],
    ['Trailer', ['trailer'], 'Trailer: Signed-Request-Account'],
    ['Proxy-Connection', ['proxy-connection'], 'Proxy-Connection: keep-alive'],
    ['Proxy-Authorization', ['proxy-authorization'], 'Proxy-Authorization: Basic YTpi'],
    ['Proxy-Authenticate', ['proxy-authenticate'], 'Proxy-Authenticate: Basic'],
    ['Upgrade to a websocket', ['upgrade'], 'Connection: Upgrade', 'Upgrade: websocket'],
    ['Upgrade to h2c', ['upgrade', 'http2-settings'], ...H2C]
  ] as const) {
    drop(`hop by hop: ${name}`, ['connection', ...removed], { after })
  }
  const upgrade = { after: ['Connection: Upgrade', 'Upgrade: websocket'], behind: '\x81\x05hello\r\n\r\n' }
  const tunnel = { statuses: AT_ONCE, removed: ['connection', 'upgrade'] }
  accept('octets of a tunnel behind an Upgrade', upgrade, bodiless, tunnel)
  drop('Expect: 100-continue', ['expect'], { after: ['Expect: 100-continue'] })
  refuse('another Expect', { either: [[417]] }, { after: ['Expect: 200-maybe'] })

  // Names that the application could take for the gateway's headers, or for signed ones.
  const around = (name: string): Wire => ({ before: [`${name}: 9999`], after: [`${name}: 9999`] })
  for (const name of words(`
    Signed-Request-Account signed-request-account SIGNED-REQUEST-ACCOUNT
    Signed_Request_Account signed-Request_account Signed.Request.Account Signed~Request!Account
    Signed-Request-Key Signed_Request_Date Signed-Request-Id Signed-Request-Verdict Signed-Request-Anything`)) {
    drop(`the sender's own ${name}`, [name], around(name))
  }
  for (const name of ['Signed-Request-Account', 'Signed_Request_Account']) {
    const covered = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest', name]
    drop(`a ${name} that was signed`, [name], {}, { headers: { [name]: '9999' }, covered })
  }
  for (const name of words(`
    X_Service_ID x_service-id X.Service.ID Content_Type Content_Length X_Nonce Transfer_Encoding Proxy_Connection`)) {
    drop(`${name} beside the one with hyphens`, [name], around(name))
  }
  drop('Proxy, which CGI has as HTTP_PROXY', ['proxy'], { after: ['Proxy: http://evil.example:8080'] })
  drop('unsigned names with an underscore or a dot', ['x_note', 'x.other'], { after: ['X_Note: 1', 'X.Other: 2'] })

  // Versions.
  const version = (end: string, more: Wire = {}): Wire => ({ ...more, requestLine: `POST /hook/orders?id=7${end}` })
  accept('HTTP/1.0', version(' HTTP/1.0'))
  drop('HTTP/1.0 with keep-alive', ['connection'], version(' HTTP/1.0', { after: ['Connection: keep-alive'] }))
  // RFC 9112 section 6.1: its framing is faulty.
  refuse('HTTP/1.0, chunked', 400, version(' HTTP/1.0', stream(chunked(BODY))), unmeasured)
  refuse('HTTP/1.2', 400, version(' HTTP/1.2'))
  refuse('HTTP/2.0', 400, version(' HTTP/2.0'))
  refuse('http/1.1', 400, version(' http/1.1'))
  refuse('no version', 400, version(''))
  refuse('a space after the version', 400, version(' HTTP/1.1 '))
  refuse('HTTP/0.9', 400, { inFront: `GET /hook${CRLF}` })
  refuse('the preface of HTTP/2', 400, { inFront: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' })
  refuse('a TLS hello', 400, { inFront: '\x16\x03\x01\x00\x05hello' })
  accept('empty lines in front', { inFront: CRLF + CRLF })
  refuse('a bare CR in front', 400, { inFront: '\rX' })
  return all
}
