import { describe, expect, test } from 'vitest'
import { completeEntry } from '../../../cli/captures/capture.ts'
import { parseHttp } from '../../../cli/captures/http.ts'
import { createVerifier } from '../../../src/index.ts'
import { captureBytes } from '../../support/capture-bytes.ts'
import { service, withHeaders } from '../../support/service.ts'
import { failuresOf } from '../../support/verdicts.ts'

const verify = createVerifier(service.options)
const BODY = Buffer.from('{"event":"published","\xe9":"\0\xff"}\r\n', 'latin1')
const captureText = async (...args: Parameters<typeof captureBytes>) => (await captureBytes(...args)).toString('latin1')
const capture = await captureText(service.sign({ target: '/hook?id=1', body: BODY }))
const json = await captureText(service.sign({ target: '/hook?id=1', body: '{"a":1}' }))
const get = await captureText(service.sign({ method: 'GET', target: '/second' }))
const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
const inChunks = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }
const chunked = await captureText(withHeaders(service.sign({ body: BODY, covered }), inChunks), { chunked: true })

const readAll = (text: string) => parseHttp(Buffer.from(text, 'latin1')).map(completeEntry)
const read = (text: string) => readAll(text)[0]!
const bodyOf = (text: string): string => Buffer.from(read(text).request.body as Uint8Array).toString('latin1')

describe('a request captured from a socket', () => {
  test.each<[spelling: string, text: string, body?: Buffer]>([
    ['as it was', capture, BODY],
    ['with LF in the head', capture.replace(/^.*?\r\n\r\n/s, head => head.replaceAll('\r\n', '\n')), BODY],
    ['with more after the body', `${capture}\nHTTP/1.1 200 OK\r\n\r\n`, BODY],
    ['with empty lines before it', `\r\n\n${capture}`, BODY],
    ['with LF everywhere', json.replaceAll('\r\n', '\n')],
    ['with LF behind its body', `${json}\n`],
    ['with other text behind its body', `${json} \n?`, Buffer.from('{"a":1}')],
    ['without a body', get],
    ['without a body and its last line end', get.slice(0, -2)],
    ['without a body and its last two line ends', get.slice(0, -4)],
    ['without a body and with a line end', `${get}\r\n`],
    ['without a body and with LF', get.replaceAll('\r', '')],
    ['in chunks', chunked, BODY],
    ['in chunks with extensions', chunked.replace('\r\na\r\n', '\r\nA;name="v"\r\n'), BODY],
    ['in chunks with trailers', chunked.replace(/0\r\n\r\n$/, '0\r\nX-Trailer: 1\r\n\r\nmore'), BODY]
  ])('a request captured from a socket is verified %s', async (_, text, body) => {
    const { request, notes } = read(text)
    expect(failuresOf(await verify(request))).toEqual([])
    expect(notes).toEqual([])
    if (body !== undefined) expect(request.body).toEqual(body)
  })

  test('the capture of a request in chunks has the chunks', () =>
    expect(chunked).toContain('\r\n\r\na\r\n{"event":"\r\n'))
})

describe('several requests in one file', () => {
  const answer = 'HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n'

  test.each([
    ['behind each other', capture + get],
    ['right behind a body without a line end', json + get],
    ['with an answer in between', capture + answer + get],
    ['with the body last', get + capture],
    ['with an answer and the body last', get + answer + capture],
    ['with empty lines in between', `${capture}\n\n${get}`]
  ])('each of several requests in one file is found: %s', async (_, text) => {
    const entries = readAll(text)
    expect(entries.map(({ request }) => request.target).sort()).toEqual(['/hook?id=1', '/second'])
    for (const { request } of entries) expect(failuresOf(await verify(request))).toEqual([])
  })

  const FIRST = 'GET /a HTTP/1.1\r\nContent-Length: 0\r\n\r\n'

  test.each([
    'GET http://b/ HTTP/1.0',
    'OPTIONS * HTTP/1.1\r',
    'AB / HTTP/1.1',
    ':path: /b\n:method: GET',
    ':method\nGET\n:path:\n/b',
    ':scheme:a\n:path:/b\n:method:GET',
    ':authority\na\n:method\nA\n:path\n/'
  ])('a head behind other text begins another request: %j', head =>
    expect(readAll(`${FIRST}text\n${head}`)).toHaveLength(2)
  )

  test.each([
    'x GET /b HTTP/1.1',
    'GET b HTTP/1.1',
    'G /b HTTP/1.1',
    'get /b HTTP/1.1',
    'GET /b HTTP/1.1x',
    'GET /b HTTP/1.2',
    'GET / b HTTP/1.1',
    'a:path: /b\n:method: A',
    ':path /b\n:method: A'
  ])('a text that is only similar to a head begins no other request: %j', text =>
    expect(readAll(`${FIRST}text\n${text}`)).toHaveLength(1)
  )

  test('other text may come before the first request, but a head that is not whole ends the search', () => {
    expect(readAll(`text\n${FIRST}text\n${FIRST}`)).toHaveLength(2)
    expect(readAll(`${FIRST}:method: GET\n\n${FIRST}`)).toHaveLength(1)
  })

  const INNER = 'POST /inner HTTP/1.1\r\nHost: a\r\n\r\n'
  test.each([
    ['of a counted length', `Content-Length: ${INNER.length}\r\n\r\n${INNER}`],
    ['without a length', `Host: a\r\n\r\nsome text\n${INNER}`],
    ['in chunks', `Transfer-Encoding: chunked\n\n1f\nGET /inner HTTP/1.1\n:path: /b\n\n\n\n0\n\n`]
  ])('no request is looked for inside a body %s', (_, rest) =>
    expect(readAll(`POST /a HTTP/1.1\r\n${rest}`)).toHaveLength(1)
  )

  test.each(['\r\n', '\n'])('a request right behind the last chunk is found whole, with line ends %j', end => {
    const chunked = ['POST /a HTTP/1.1', 'Transfer-Encoding: chunked', '', '2', '{}', '0']
    const next = ['GET /b HTTP/1.1', '', '']
    const found = (lines: readonly string[]) =>
      readAll(lines.join(end)).map(({ request }) => `${request.method} ${request.target}`)
    expect(found([...chunked, ...next])).toEqual(['POST /a', 'GET /b'])
    expect(found([...chunked, '', ...next])).toEqual(['POST /a', 'GET /b'])
  })

  test('a request behind a body is not a part of it, and there is nothing to note', () =>
    expect(read(`POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\na\n${FIRST}`).notes).toEqual([]))

  test.each<readonly [text: string, body: string]>([
    ['', ''],
    ['HTTP/1', ''],
    ['\r\n'.repeat(4), ''],
    ['\nGET /x HTTP/1.1\n', ''],
    ['\nOPTIONS * HTTP/1.0\r\n', ''],
    [':path', ''],
    [':scheme: a', ''],
    ['\n'.repeat(9), '\n'.repeat(9)],
    ...['HTTP/x', ' HTTP/1', 'GET /x HTTP/1.1', 'G /x HTTP/1.1\n', 'GET x HTTP/1.1\n', 'get /x HTTP/1.1\n'].map(
      text => [text, text] as const
    ),
    ...['GET /x HTTP/1.2\n', 'GET /x y HTTP/1.1\n', ':paths', 'a:path', ':a', 'a'].map(text => [text, text] as const)
  ])('a head without a length has the text behind it as its body, but no response and no request: %j', (text, body) =>
    expect(bodyOf(`POST / HTTP/1.1\r\n\r\n${text}`)).toBe(body)
  )

  test.each<[text: string, expected: object]>([
    ["M!#$%&'*+-.^_`|~09az / HTTP/2", { method: "M!#$%&'*+-.^_`|~09az", target: '/' }],
    ['GET a b  HTTP/1.0', { target: 'a b ' }],
    ['GET  HTTP/1.1', { target: '' }],
    [
      ':path: /a\n:method: B\n:a: b\nc:d:e\n f :  g\t',
      {
        target: '/a',
        method: 'B',
        headers: [
          [':a', 'b'],
          ['c', 'd:e'],
          [' f ', 'g']
        ]
      }
    ],
    [
      ':path:\n/\n:method:\nGET\nx:\ny\nz',
      {
        headers: [
          ['x', 'y'],
          ['z', '']
        ]
      }
    ],
    [':path\n/\n:method\nGET\n:\ny', { headers: [[':', 'y']] }],
    [
      ':path:/\n:method:GET\n:authority:a\nx:y',
      {
        headers: [
          ['Host', 'a'],
          ['x', 'y']
        ]
      }
    ],
    [
      ':1\n/\n:path: /\n:method: A',
      {
        target: '/',
        headers: [
          [':1', ''],
          ['/', '']
        ]
      }
    ],
    [
      ':PATH\n/\n:path: /\n:method: A',
      {
        target: '/',
        headers: [
          [':PATH', ''],
          ['/', '']
        ]
      }
    ]
  ])('the head %j is read as %j', (text, expected) => expect(read(text).request).toMatchObject(expected))

  test.each([
    ...['', '\r\n\r\n', 'hello\n', 'HTTP/1.1 200 OK\r\n\r\n', '\x7fELF\0\0\x01\n\n'],
    ...['G(T / HTTP/1.1', 'GET / HTTP/1.1 ', 'GET / HTTP/12', 'GET / HTTP/a', 'GET / HTTP/1.a', 'GET HTTP/1.1']
  ])('a text without a request line or pseudo-headers is not a request: %j', text => expect(readAll(text)).toEqual([]))
})

describe('a body that the file does not have', () => {
  const OTHER = 'X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE='
  test.each([
    ['Content-Length: 5\r\n', OTHER, '', true],
    ['Transfer-Encoding: chunked\r\n', OTHER, '', true],
    ['', OTHER, '', true],
    ['Content-Length: 5\r\n', OTHER, 'ab', false],
    ['Content-Length: 0\r\n', OTHER, '', false],
    ['', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', '', false]
  ])(
    'a body is missing where its digest is not that of the body: %j, the digest %s and %j: %s',
    (header, digest, body, isMissing) => {
      const text = `POST / HTTP/1.1\r\n${header}Digest: SHA-256=${digest}\r\n\r\n${body}`
      expect(read(text).missingBody !== undefined).toBe(isMissing)
      const newer = text.replace(/Digest: SHA-256=(.*)/, 'Content-Digest: sha-256=:$1:')
      expect(read(newer).missingBody !== undefined).toBe(isMissing)
      expect(read(text).notes).toHaveLength(body === '' ? 0 : 1)
    }
  )
})

describe('a file that contradicts itself, or is cut off', () => {
  const POST = 'POST / HTTP/1.1\r\n'
  const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`
  const ONES = '1'.repeat(5000)
  const BREAKS_OFF = 'the chunks break off after 1 chunk'
  test.each([
    ['a Content-Length beyond the end', `${POST}Content-Length: 9\r\n\r\nabc`, 'abc', 'the file has 3 of the 9 bytes'],
    ['no Content-Length', `${POST}\r\nabc`, 'abc', 'without a Content-Length, all 3 bytes'],
    ['a Content-Length that is no number', `${POST}Content-Length: 1e9\r\n\r\nabc`, 'abc', 'without a Content-Length'],
    ['a long Content-Length', `${POST}Content-Length: ${'0'.repeat(16)}\r\n\r\nabc`, 'abc', 'without a Content-Length'],
    ['two of Content-Length', `${POST}Content-Length: x\r\nContent-Length: 2\r\n\r\nabc`, 'abc', 'without a Content-L'],
    [
      'a Content-Length of 15 digits',
      `${POST}Content-Length: ${'0'.repeat(14)}5\r\n\r\nabc`,
      'abc',
      'has 3 of the 5 bytes'
    ],
    [
      'one byte too many',
      `${POST}Content-Length: 2\r\n\r\nabc`,
      'abc',
      '1 byte is left over in the capture after the 2 that'
    ],
    [
      'two bytes too many',
      `${POST}Content-Length: 1\r\n\r\nabc`,
      'abc',
      '2 bytes are left over in the capture after the 1'
    ],
    [
      'two chunks',
      `${CHUNKED.replace('chun', 'gzip ,\t Chun')}1 \t;x\na\n0000000A\r\n0123456789\n`,
      'a0123456789',
      'off after 2 chunks'
    ],
    ['a chunk size of nine digits', `${CHUNKED}1\r\na\r\n000000001\r\nb`, 'a', BREAKS_OFF],
    ['a chunk size with text', `${CHUNKED}1\r\na\r\n1 x\r\nb`, 'a', BREAKS_OFF],
    ['chunks that were undone', `${CHUNKED.replace(': ', ': gzip, ')}{}`, '{}', 'without a Content-Length, all'],
    ['a chunk size beyond the end', `${CHUNKED.replace('T', 't')}ffffffff\r\nabc`, 'abc', BREAKS_OFF],
    ['a chunk size that is too small', `${CHUNKED}2\r\nabc\r\n0\r\n\r\n`, 'ab', BREAKS_OFF],
    ['a chunk size that is no number', `${CHUNKED}1\r\na\r\n-1\r\nb`, 'a', BREAKS_OFF],
    ['a chunk without an end', `${CHUNKED}1\r\na`, 'a', BREAKS_OFF],
    ['an endless chunk size', `${CHUNKED}${ONES}\r\na`, ONES, 'without a Content-Length, all']
  ])('the rest of the file is the body, and a note says so, with %s', (_, text, body, note) => {
    expect(bodyOf(text)).toContain(body)
    expect(read(text).notes).toEqual([expect.stringContaining(note)])
  })

  test('a request without an empty line behind its head has no body', () => {
    const { request } = read(`${POST}Host: a\r\nX: b`)
    expect([...(request.headers as Iterable<unknown>)]).toEqual([
      ['Host', 'a'],
      ['X', 'b']
    ])
    expect(request.body).toHaveLength(0)
  })

  test.each([
    ['a bare CR in a value', `${POST}Host: a\rX: b\r\n\r\n`],
    ['a NUL in a value', `${POST}Host: a\0b\r\n\r\n`],
    ['a bare CR in the target', 'POST /a\rb HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a line without a colon', `${POST}Host a\r\n\r\n`],
    ['a folded line', `${POST}Host: a\r\n b: c\r\n\r\n`],
    ['a space before the colon', `${POST}Host : a\r\n\r\n`]
  ])('a head with %s is kept, for the verdict to refuse', async (_, text) => {
    expect(failuresOf(await verify(read(text).request))).toEqual(['request: request-malformed'])
  })

  test.each([
    ['gzip ,\tchunked \t', '{}'],
    ['CHUNKED', '{}'],
    ['gzip\r\nTransfer-Encoding: chunked', '{}'],
    ['unchunked', '2\r\n{}\r\n0\r\n\r\n'],
    ['chunked, gzip', '2\r\n{}\r\n0\r\n\r\n']
  ])('chunks are undone only where the Transfer-Encoding ends with chunked: %j', (encoding, body) => {
    expect(bodyOf(`POST / HTTP/1.1\r\nTransfer-Encoding: ${encoding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)).toBe(body)
  })
})
