import type { SignedTestRequest, SignRequest, TestService } from '../../src/testing/index.ts'
import { type Attempt, chunked, wire } from './attempts.ts'

const CRLF = '\r\n'
const BODY = '{"amount":100}'
const CODING = 'Transfer-Encoding: chunked'

type Wire = Parameters<typeof wire>[1]

/** A request as it is changed on the wire, by its name. */
type Changes = Readonly<Record<string, Wire>>

/** The kinds of malformed and unusual requests that tests of llhttp have, and that `attempts` lacks. */
export function parserAttempts(service: TestService): Attempt[] {
  const all: Attempt[] = []
  const sign = (more: SignRequest = {}) => service.sign({ target: '/hook/orders?id=7', body: BODY, ...more })
  const smuggled = () => wire(sign({ target: '/smuggled' })).toString('latin1')
  const unmeasured: SignRequest = { headers: { 'Content-Length': undefined } }
  const isCutOff = { isCutOff: true }

  const add = (
    kind: string,
    changes: Changes,
    { signed = {}, ...how }: { signed?: SignRequest } & Partial<Attempt>,
    reaches = (_: SignedTestRequest): SignedTestRequest[] => []
  ) => {
    for (const [name, change] of Object.entries(changes)) {
      const request = sign(signed)
      all.push({
        ...{ name: `${kind}: ${name}`, octets: wire(request, change), reaches: reaches(request), statuses: [400] },
        ...how
      })
    }
  }
  const refuse = (kind: string, changes: Changes, how: { signed?: SignRequest } & Partial<Attempt> = {}) =>
    add(kind, changes, how)
  const accept = (kind: string, changes: Changes, how: { signed?: SignRequest } & Partial<Attempt> = {}) =>
    add(kind, changes, { statuses: [200], ...how }, request => [request])

  const startLine = (line: string): Wire => ({ requestLine: line })
  const version = (text: string): Wire => startLine(`POST /hook/orders?id=7${text}`)
  refuse('version', {
    'HTTP/1.1.1': version(' HTTP/1.1.1'),
    'HTTP/01.1': version(' HTTP/01.1'),
    'HTTP/1.10': version(' HTTP/1.10'),
    'HTTP/11': version(' HTTP/11'),
    'HTTP/1,1': version(' HTTP/1,1'),
    'HTTP/1.': version(' HTTP/1.'),
    'HTTP/2': version(' HTTP/2'),
    'HTTP /1.1': version(' HTTP /1.1'),
    'HTTPS/1.1': version(' HTTPS/1.1'),
    'HTTER/1.1': version(' HTTER/1.1'),
    'RTSP/2.0': version(' RTSP/2.0'),
    'ICE/1.0': version(' ICE/1.0'),
    'a tab in front': version('\tHTTP/1.1'),
    'a form feed in front': version('\fHTTP/1.1'),
    'a bare CR in front': version('\rHTTP/1.1'),
    'text behind': version(' HTTP/1.1 x')
  })

  const method = (text: string): Wire => startLine(`${text} /hook/orders?id=7 HTTP/1.1`)
  refuse('method', {
    'a name that nobody has': method('FOO'),
    'the start of one': method('POS'),
    'one letter more': method('POSTS'),
    'a tab behind it': startLine('POST\t/hook/orders?id=7 HTTP/1.1'),
    'a space inside': method('PO ST'),
    'a comma': method('POST,'),
    'DESCRIBE of RTSP': method('DESCRIBE'),
    'a byte order mark in front': { inFront: '\xef\xbb\xbf' },
    'a space in front': { inFront: ' ' },
    'a tab in front': { inFront: '\t' },
    'NUL in front': { inFront: '\0' }
  })
  // Node.js takes these for HTTP/1.0 and does not say so. The request goes on as HTTP/1.1, with one length.
  accept('version', { 'RTSP/1.0, which Node.js takes for HTTP/1.0': version(' RTSP/1.0') })
  refuse('method', { 'SOURCE of ICE': startLine('SOURCE /hook/orders?id=7 ICE/1.0') }, { statuses: [401] })
  accept('method', { 'a line break in front': { inFront: '\n' } })
  for (const name of ['M-SEARCH', 'REPORT', 'PURGE', 'LINK', 'QUERY'])
    accept('method', { [name]: {} }, { signed: { method: name } })

  refuse('target', {
    none: startLine('POST  HTTP/1.1'),
    'none, and one space': startLine('POST HTTP/1.1'),
    'a form feed': startLine('POST /hook\f HTTP/1.1'),
    'a vertical tab': startLine('POST /hook\x0b HTTP/1.1'),
    DEL: startLine('POST /hook\x7f HTTP/1.1'),
    'a bare CR': startLine('POST /hook\r?id=7 HTTP/1.1'),
    'a bare LF': startLine('POST /hook\n?id=7 HTTP/1.1'),
    'an IPv6 address without its bracket': startLine('POST http://[::1/hook HTTP/1.1'),
    'a scheme alone': startLine('POST http:// HTTP/1.1'),
    'two question marks in a scheme': startLine('POST ht?tp:// HTTP/1.1'),
    'an authority with two @': startLine('POST http://a@b@receiver.example/ HTTP/1.1')
  })

  const after = (...lines: string[]): Wire => ({ after: lines })
  refuse('line end', {
    'CR CR LF': { lineEnd: '\r\r\n' },
    'LF CR': { lineEnd: '\n\r' },
    'a bare LF behind the last line': { change: line => line.replace(/^(Signature: .*)$/s, '$1\nX-Note: 1') },
    'an empty line that is a bare LF': after('X-Note: 1\n'),
    'a bare CR before the empty line': after('X-Note: 1\r'),
    'CR and a letter': after('X-Note: 1\rx'),
    'CR at the start of a name': after('\rX-Note: 1'),
    'LF at the start of a name': after('\nX-Note: 1')
  })
  refuse(
    'cut off',
    {
      'behind the method': { inFront: 'POST', requestLine: '' },
      'within a size': { after: [CODING], body: 'e' },
      'behind a size': { after: [CODING], body: `e${CRLF}` },
      'within a chunk': { after: [CODING], body: `e${CRLF}{"amou` },
      'behind a chunk': { after: [CODING], body: `e${CRLF}${BODY}` },
      'within the trailers': { after: [CODING], body: `e${CRLF}${BODY}${CRLF}0${CRLF}X-Note: 1${CRLF}` }
    },
    { signed: unmeasured, ...isCutOff }
  )

  refuse('folding', {
    'a bare LF': after('X-Note: 1\n 2'),
    'an empty first line': after('X-Note:', ' 2'),
    'white space alone': after('X-Note: 1', ' '),
    'of Date, which is signed': { change: line => line.replace(/^Date: /, `Date:${CRLF} `) },
    'of Host': { change: line => line.replace(/^Host: /, `Host:${CRLF} `) },
    'of Content-Length': { change: line => line.replace(/^Content-Length: /, `Content-Length:${CRLF} `) },
    'that smuggles a coding': after('X-Note: 1', `\t${CODING}`)
  })

  for (let code = 1; code < 0x20; code++) {
    const char = String.fromCharCode(code)
    if (char === '\t' || char === '\n' || char === '\r') continue
    refuse('control character', {
      [`${code} in a value`]: after(`X-Note: 1${char}2`),
      [`${code} in a name`]: after(`X${char}Note: 1`)
    })
  }
  for (const char of '"(),/:;<=>?@[\\]{}') {
    // A colon ends the name.
    if (char !== ':') refuse('separator', { [`${char} in a name`]: after(`X${char}Note: 1`) })
  }

  refuse('length', {
    'a space before the colon': { change: line => line.replace('Content-Length:', 'Content-Length :') },
    'a vertical tab in front': { change: line => line.replace('Content-Length: ', 'Content-Length: \x0b') },
    'a minus zero': { change: line => line.replace(/^(Content-Length: ).*/, '$1-0') },
    'hexadecimal digits': { change: line => line.replace(/^(Content-Length: ).*/, '$1e') },
    'twenty nines': { change: line => line.replace(/^(Content-Length: ).*/, `$1${'9'.repeat(20)}`) },
    'a tab behind it': { change: line => line.replace(/^(Content-Length: .*)/, '$1\t') },
    'in quotes': { change: line => line.replace(/^(Content-Length: )(.*)/, '$1"$2"') },
    'an empty one in a second line': after('Content-Length:'),
    'and a coding in capitals': after('TRANSFER-ENCODING: CHUNKED'),
    'and a coding with a tab': after('Transfer-Encoding:\tchunked')
  })
  accept('length', {
    'a tab in front': { change: line => line.replace('Content-Length: ', 'Content-Length:\t') },
    'spaces behind it': { change: line => line.replace(/^(Content-Length: .*)/, '$1  ') },
    'no white space': { change: line => line.replace('Content-Length: ', 'Content-Length:') }
  })

  const coded = (line: string, body = chunked(BODY)): Wire => ({ after: [line], body })
  refuse(
    'coding',
    {
      'identity alone': coded('Transfer-Encoding: identity', BODY),
      'deflate alone': coded('Transfer-Encoding: deflate', BODY),
      'chunked, then deflate': coded('Transfer-Encoding: chunked, deflate'),
      'chunked in two lines': { after: [CODING, CODING], body: chunked(BODY) },
      'chunked with a parameter': coded('Transfer-Encoding: chunked;foo=bar'),
      'a tab behind it': coded('Transfer-Encoding: chunked\t'),
      'NUL behind it': coded('Transfer-Encoding: chunked\0'),
      'a long name that ends as chunked does': coded(`Transfer-Encoding: ${'x'.repeat(300)}chunked`),
      'a space before the colon': coded('Transfer-Encoding : chunked'),
      'empty, with a chunked body': coded('Transfer-Encoding:')
    },
    { signed: unmeasured }
  )
  accept(
    'coding',
    {
      'a tab in front': coded('Transfer-Encoding:\tchunked'),
      'spaces behind it': coded('Transfer-Encoding: chunked  ')
    },
    { signed: unmeasured, removed: ['transfer-encoding'] }
  )

  const chunk = (size: string, rest = `${CRLF}${BODY}${CRLF}0${CRLF}${CRLF}`): Wire => coded(CODING, size + rest)
  const trailer = (...lines: string[]): Wire => coded(CODING, ['e', BODY, '0', ...lines, '', ''].join(CRLF))
  refuse(
    'chunk',
    {
      'a tab behind the size': chunk('e\t'),
      'an underscore in the size': chunk('0_e'),
      'a comma in the size': chunk('0,e'),
      'a size that is not hexadecimal': chunk('g'),
      'two sizes': chunk('e e'),
      'NUL in an extension': chunk('e;a\0'),
      'a bare CR in an extension': chunk('e;a\rb'),
      'a bare CR in a quoted value': chunk('e;a="b\rc"'),
      'a bare LF in a quoted value': chunk('e;a="b\nc"'),
      'an extension without its quote, with a request behind it': chunk(
        `e;a="${CRLF}${BODY}${CRLF}0${CRLF}${CRLF}${smuggled()}"`,
        ''
      ),
      'the body of another request behind the last size': chunk(`e${CRLF}${BODY}${CRLF}0 ${CRLF}`, smuggled()),
      'CR CR LF behind a size': chunk('e\r'),
      'CR CR LF behind a chunk': coded(CODING, `e${CRLF}${BODY}\r${CRLF}0${CRLF}${CRLF}`),
      'a line break less behind a chunk': coded(CODING, `e${CRLF}${BODY}0${CRLF}${CRLF}`),
      'a trailer without a colon': trailer('X-Note'),
      'a trailer with a space in its name': trailer('X Note: 1'),
      'a folded trailer': trailer('X-Note: 1', ' 2'),
      'a trailer with a bare LF': trailer('X-Note: 1\nX-Other: 2'),
      'a coding in the trailers': trailer(CODING)
    },
    { signed: unmeasured }
  )
  accept(
    'chunk',
    {
      'a size in capitals': chunk('E'),
      'an extension with a value in quotes and an escape': chunk('e;a="b\\"c";d'),
      'a line of trailers that are dropped': trailer('X-Note: 1', 'Digest: SHA-256=AAAA')
    },
    { signed: unmeasured, removed: ['transfer-encoding'] }
  )

  const upgrading = ['Connection: Upgrade', 'Upgrade: websocket']
  accept('upgrade', { 'with a body': after(...upgrading) }, { removed: ['connection', 'upgrade'] })
  accept('upgrade', { 'without Connection': after('Upgrade: websocket') }, { removed: ['upgrade'] })
  accept('upgrade', { 'Connection alone': after('Connection: Upgrade') }, { removed: ['connection'] })
  accept(
    'upgrade',
    { 'with a chunked body': { after: [...upgrading, CODING], body: chunked(BODY) } },
    { signed: unmeasured, removed: ['connection', 'upgrade', 'transfer-encoding'] }
  )

  const [one, two, three] = [
    sign({ target: '/one', method: 'GET', body: null }),
    sign({ target: '/two', ...unmeasured }),
    sign({ target: '/three' })
  ]
  all.push({
    name: 'pipelining: without a body, chunked, with a length',
    octets: Buffer.concat([wire(one), wire(two, coded(CODING)), wire(three)]),
    reaches: [one, two, three],
    statuses: [200, 200, 200],
    removed: ['transfer-encoding'],
    isPipelined: true
  })
  return all
}
