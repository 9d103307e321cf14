import { readFileSync } from 'node:fs'
import { createVerifier, type Verdict } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'
import { describe, expect, test } from 'vitest'
import { service } from '../../test/support/service.ts'
import type { HeaderLine } from '../src/exchange.ts'
import { requestHeaders } from '../src/headers.ts'
import { fileOfPage } from './engines/engine.ts'
import { REROUTING } from './support/rerouting.ts'

const COVERED = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'content-type']
const HOST = ['Host', 'receiver.example'] as const

/** One set, as a gateway has: what was decided for an earlier request is remembered. */
const NOTHING: ReadonlySet<string> = new Set()

/** Returns the sender's lines that are forwarded when these names were covered. */
function forwarded(
  lines: readonly HeaderLine[],
  coveredHeaders: readonly string[] = COVERED,
  consumed: ReadonlySet<string> = NOTHING
): HeaderLine[] {
  const verdict = { status: 'verified', failures: [], coveredHeaders, date: new Date(0) }
  return requestHeaders(lines, verdict as unknown as Verdict, false, consumed).slice(3)
}

describe('the lines of a signed header', () => {
  const covered = [...COVERED, 'authorization', 'x_kind', 'x-kind', 'x-sorted;sf', 'x-bytes;bs']

  test('the lines of a signed header go on as the one line that was signed, in the place of the first', () => {
    const lines = [
      HOST,
      ['authorization', 'a'],
      ['X-Other', '1'],
      ['AUTHORIZATION', 'b'],
      ['Authorization', '']
    ] as const
    expect(forwarded(lines, covered)).toEqual([HOST, ['authorization', 'a, b, '], ['X-Other', '1']])
  })

  test.each(['Content-Type', 'X-Sorted', 'X-Bytes'])(
    'the lines of a signed header are one line of %s, however it was covered',
    name => {
      const lines = [HOST, [name, 'a'], [name, 'b']] as const
      expect(forwarded(lines, covered)).toEqual([HOST, [name, 'a, b']])
    }
  )

  test('the lines of two names that CGI takes for one are in the order in which they were signed', () => {
    const expected = [HOST, ['X_Kind', '1'], ['X-Kind', '2']] as const
    const lines = [HOST, expected[2], expected[1]]
    expect(forwarded(lines, covered)).toEqual(expected)
    expect(forwarded(expected, covered)).toEqual(expected)
  })

  test('the lines of a signed header stay several where they are not signed', () => {
    const lines = [HOST, ['X-Other', '1'], ['X-Other', '2']] as const
    expect(forwarded(lines, covered)).toEqual(lines)
  })

  test('the lines of a signed header stay several in a request that is not verified', () => {
    const lines = [HOST, ['Authorization', 'a'], ['Authorization', 'b']] as const
    const verdict = { status: 'rejected', failures: [{ code: 'replayed' }] } as unknown as Verdict
    expect(requestHeaders(lines, verdict, true, new Set())).toEqual([
      ['Signed-Request-Verdict', 'rejected; replayed'],
      ...lines
    ])
  })
})

test('keeps what RFC 9421 covers with parameters', () => {
  const signed = [HOST, ['Content-Type', 'text/plain'], ['Priority', 'u=1']] as const
  const covered = ['@method', 'content-type', 'priority;sf']
  expect(forwarded([['Connection', 'content-type, priority'], ...signed], covered)).toEqual(signed)
  expect(forwarded([...signed, ['Content_Type', 'x']], ['"content-type";bs'])).toEqual(signed)
})

test('what was decided for one request decides nothing for another that differs in one part', () => {
  const lines = (value: string, ...names: string[]): HeaderLine[] => names.map((name, at) => [name, `${value}${at}`])
  const kept = (from: readonly HeaderLine[], ...at: number[]) => at.map(n => from[n])
  for (const value of ['a', 'b']) {
    const two = lines(value, 'Connection', 'X-One', 'x-two')
    const named = [['Connection', 'x-two'] as const, ...two.slice(1)]
    const swapped = lines(value, 'Connection', 'x-two', 'X-One')
    const underscore = lines(value, 'Connection', 'X-One', 'x_two')
    expect(forwarded(two)).toEqual(kept(two, 1, 2))
    expect(forwarded(named)).toEqual(kept(named, 1))
    expect(forwarded(named, ['x-two'])).toEqual(kept(named, 1, 2))
    expect(forwarded(two, COVERED, new Set(['x-one']))).toEqual(kept(two, 2))
    expect(forwarded(swapped)).toEqual(kept(swapped, 1, 2))
    expect(forwarded(underscore)).toEqual(kept(underscore, 1))
    expect(forwarded(underscore, ['x_two'])).toEqual(kept(underscore, 1, 2))
    expect(forwarded(lines(value, '__proto__', 'constructor'), ['constructor'])).toEqual(
      lines(value, '', 'constructor').slice(1)
    )
  }
})

test('keeps a name with underscores that is signed itself', () => {
  const lines = [HOST, ['My_Header', '1']] as const
  expect(forwarded(lines, [...COVERED, 'my_header'])).toEqual(lines)
  expect(forwarded([...lines, ['My-Header', '2']], [...COVERED, 'my_header'])).toEqual(lines)
})

describe('what reroutes a request that was verified', () => {
  test.each([...REROUTING, 'SCRIPT_NAME', 'PATH_INFO', 'wsgi.input', 'X~Note'])('removes %s', name => {
    for (const written of [name, name.toUpperCase()]) expect(forwarded([HOST, [written, '/other']])).toEqual([HOST])
  })

  test.each(['X-Forwarded-Anything', 'X-Original-', 'X-Rewrite-Host', 'X-HTTP-Path-Override', 'X-Envoy-New'])(
    'removes %s, which no list names',
    name => expect(forwarded([HOST, [name, '/other']])).toEqual([HOST])
  )

  test.each(['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded', 'X-Originality', 'X-Real-IP', 'X-Request-ID'])(
    'keeps %s',
    name => expect(forwarded([HOST, [name, 'value']])).toEqual([HOST, [name, 'value']])
  )

  test.each([...REROUTING, 'SCRIPT_NAME'])('keeps %s when it was signed', name => {
    const lines = [HOST, [name, '/other']] as const
    expect(forwarded(lines, [...COVERED, name.toLowerCase()])).toEqual(lines)
  })

  const apisix = /^ {6}remove: \[\n([^\]]+)\]/m.exec(readFileSync('docs/engines.md', 'utf8'))
  test.each([
    ['njs.conf', fileOfPage('njs.conf'), /proxy_set_header ([\w-]+) "";/g],
    ['hooks.yaml', fileOfPage('hooks.yaml'), /^ {10}([\w-]+): ""$/gm],
    ['the plugin of APISIX', apisix?.[1] ?? '', /([\w-]*\w)/g]
  ])('%s, which cannot drop by pattern, drops each known name', (_, text, line) => {
    const names = [...text.matchAll(line)].map(([, name = '']) => name.toLowerCase())
    expect(names.filter(name => name !== 'connection').sort()).toEqual(REROUTING.map(name => name.toLowerCase()).sort())
  })

  test('removes what the proxy in front sets for this gateway, and nothing else of it', () => {
    const lines = [HOST, ['X-Forwarded-Proto', 'https'], ['X-Forwarded-For', '192.0.2.1']] as const
    expect(forwarded(lines, COVERED, new Set(['x-forwarded-proto']))).toEqual([HOST, lines[2]])
    expect(forwarded(lines)).toEqual(lines)
  })
})

test('what the gateway adds names account, key, date and id of a verified request', async () => {
  const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
  const signed = service.sign({ target: '/', date: new Date(Date.now() - 1000) })
  const added = requestHeaders([], await verify(signed), false, new Set())
  expect(added).toEqual([
    ['Signed-Request-Account', '1234'],
    ['Signed-Request-Key', 'key1._domainkey.service.example'],
    ['Signed-Request-Date', new Headers(signed.headers).get('date')],
    ['Signed-Request-Id', expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)]
  ])
})
