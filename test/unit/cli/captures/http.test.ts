import { describe, expect, test } from 'vitest'
import { parseHttp } from '../../../../src/cli/captures/http.ts'
import { createVerifier } from '../../../../src/index.ts'
import { cpuTime } from '../../../support/cpu-time.ts'
import { service } from '../../../support/service.ts'
import { sniff } from '../../../support/sniff.ts'
import { failuresOf } from '../../../support/verdicts.ts'

const verify = createVerifier(service.options)
const BODY = Buffer.from('{"event":"published","\xe9":"\0\xff"}\r\n', 'latin1')
const capture = await sniff(service.sign({ target: '/hook?id=1', body: BODY }))

const readAll = (text: string | Buffer) => parseHttp(Buffer.from(text as string, 'latin1'))
const read = (text: string | Buffer) => readAll(text)[0]!
const bodyOf = (text: string): string => Buffer.from(read(text).request.body as Uint8Array).toString('latin1')
const withLineFeeds = (bytes: Buffer): string => {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n') + 4
  return text.slice(0, end).replaceAll('\r\n', '\n') + text.slice(end)
}

describe('a request captured from a socket', () => {
  test.each([
    ['as it was', capture],
    ['with LF in the head', withLineFeeds(capture)],
    ['with more after the body', `${capture.toString('latin1')}\nHTTP/1.1 200 OK\r\n\r\n`],
    ['with empty lines before it', `\r\n\n${capture.toString('latin1')}`]
  ])('%s is verified', async (_, bytes) => {
    const { request, notes } = read(bytes)
    expect(failuresOf(await verify(request))).toEqual([])
    expect(notes).toEqual([])
    expect(request.body).toEqual(BODY)
  })

  test('is verified with LF everywhere and without its last newline', async () => {
    const text = (await sniff(service.sign({ body: '{"a":1}' }))).toString('latin1')
    expect(failuresOf(await verify(read(text.replaceAll('\r\n', '\n')).request))).toEqual([])
    expect(failuresOf(await verify(read(`${text}\n`).request))).toEqual([])
  })

  test('without a body, with and without a final newline', async () => {
    const get = (await sniff(service.sign({ method: 'GET' }))).toString('latin1')
    for (const text of [get, get.slice(0, -2), get.slice(0, -4), `${get}\r\n`, get.replaceAll('\r', '')]) {
      const { request, notes } = read(text)
      expect(failuresOf(await verify(request))).toEqual([])
      expect(notes).toEqual([])
    }
  })

  test('is decoded from chunks; extensions and trailers are ignored', async () => {
    const signed = service.sign({ body: BODY, covered: ['(request-target)', 'host', 'date', 'x-service-id', 'digest'] })
    const lines = [...(signed.headers as Iterable<readonly [string, string]>)]
    const headers = [...lines.filter(([name]) => name !== 'Content-Length'), ['Transfer-Encoding', 'chunked'] as const]
    const text = (await sniff({ ...signed, headers }, { chunked: true })).toString('latin1')
    expect(text).toContain('\r\n\r\na\r\n{"event":"\r\n')

    const spellings = [
      text,
      text.replace('\r\na\r\n', '\r\nA;name="v"\r\n'),
      text.replace(/0\r\n\r\n$/, '0\r\nX-Trailer: 1\r\n\r\nmore')
    ]
    for (const spelling of spellings) {
      const { request, notes } = read(spelling)
      expect(request.body).toEqual(BODY)
      expect(failuresOf(await verify(request))).toEqual([])
      expect(notes).toEqual([])
    }
  })
})

describe('several requests in one file', () => {
  const second = service.sign({ method: 'GET', target: '/second' })

  test('finds each of them, with answers in between', async () => {
    const get = (await sniff(second)).toString('latin1')
    const answer = 'HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n'
    const first = capture.toString('latin1')
    for (const text of [first + get, first + answer + get, get + first, get + answer + first, `${first}\n\n${get}`]) {
      const entries = readAll(text)
      expect(entries.map(({ request }) => request.target).sort()).toEqual(['/hook?id=1', '/second'])
      for (const { request } of entries) expect(failuresOf(await verify(request))).toEqual([])
    }
  })

  test('does not look for one inside a body', () => {
    const body = 'POST /inner HTTP/1.1\r\nHost: a\r\n\r\n'
    const text = `POST / HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    expect(readAll(text)).toHaveLength(1)
    expect(readAll(`POST / HTTP/1.1\r\nHost: a\r\n\r\nsome text\nPOST /inner HTTP/1.1\r\n`)).toHaveLength(1)
  })
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
  ])('%j with the digest %s and %j: %s', (header, digest, body, isMissing) => {
    const text = `POST / HTTP/1.1\r\n${header}Digest: SHA-256=${digest}\r\n\r\n${body}`
    expect(read(text).missingBody !== undefined).toBe(isMissing)
  })
})

describe('a file that contradicts itself, or is cut off', () => {
  const POST = 'POST / HTTP/1.1\r\n'
  test.each([
    ['a Content-Length beyond the end', `${POST}Content-Length: 9\r\n\r\nabc`, 'abc', 'the file has 3 of the 9 bytes'],
    ['no Content-Length', `${POST}\r\nabc`, 'abc', 'without a Content-Length, all 3 bytes'],
    ['a Content-Length that is no number', `${POST}Content-Length: 1e9\r\n\r\nabc`, 'abc', 'without a Content-Length'],
    [
      'chunks that were undone before',
      `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n{"a":1}`,
      '{"a":1}',
      'without a Content-Length, all'
    ],
    [
      'a chunk size beyond the end',
      `${POST}transfer-encoding: chunked\r\n\r\nffffffff\r\nabc`,
      'abc',
      'the chunks break off after 1 chunk'
    ],
    [
      'a chunk size that is too small',
      `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n`,
      'ab',
      'the chunks break off after 1 chunk'
    ],
    [
      'a chunk size that is no number',
      `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n-1\r\nb`,
      'a',
      'the chunks break off after 1 chunk'
    ],
    [
      'a chunk without an end',
      `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\na`,
      'a',
      'the chunks break off after 1 chunk'
    ],
    [
      'an endless chunk size',
      `${POST}Transfer-Encoding: chunked\r\n\r\n${'1'.repeat(5000)}\r\na`,
      '1'.repeat(5000),
      'without a Content-Length, all'
    ]
  ])('%s: the rest of the file is the body, and a note says so', (_, text, body, note) => {
    expect(bodyOf(text)).toContain(body)
    expect(read(text).notes).toEqual([expect.stringContaining(note)])
  })

  test('has no body without an empty line', () => {
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
  ])('%s is kept, for the verdict to refuse', async (_, text) => {
    expect(failuresOf(await verify(read(text).request))).toEqual(['request: request-malformed'])
  })

  test.each([
    ['nothing', ''],
    ['line breaks', '\r\n\r\n'],
    ['text', 'hello\n'],
    ['an answer', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['bytes', '\x7fELF\0\0\x01\n\n']
  ])('%s is not a request', (_, text) => expect(readAll(text)).toEqual([]))

  test.each([
    ['one line', 'a'.repeat(2_000_000)],
    ['a header line', `${POST}X: ${'a'.repeat(2_000_000)}`],
    ['header lines', `${POST}${'a:b\n'.repeat(200_000)}`],
    ['methods', `${'GET '.repeat(200_000)}\nGET / HTTP/1.1`],
    ['a body', `${POST}\r\n${'\n'.repeat(2_000_000)}`],
    ['chunks', `${POST}Transfer-Encoding: chunked\r\n\r\n${'1\na\n'.repeat(200_000)}`],
    ['a chunk size', `${POST}Transfer-Encoding: chunked\r\n\r\n${'1'.repeat(2_000_000)}`]
  ])('two megabytes of %s are read in time', async (_, text) => {
    expect(await cpuTime(() => void readAll(text))).toBeLessThan(600)
  })
})
