import { createVerifier, type Verdict } from 'signed-requests'
import { memoryReplayStore } from 'signed-requests/replay'
import { createTestService } from 'signed-requests/testing'
import { describe, expect, it } from 'vitest'
import type { HeaderLine } from '../src/exchange.ts'
import { answerHeaders, requestHeaders } from '../src/headers.ts'

const COVERED = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'content-type']
const HOST = ['Host', 'receiver.example'] as const

/** The lines of the sender that go on, when these names were covered. */
function forwarded(
  lines: readonly HeaderLine[],
  coveredHeaders: readonly string[] = COVERED,
  consumed: readonly string[] = []
): HeaderLine[] {
  const verdict = { status: 'verified', failures: [], coveredHeaders, date: new Date(0) }
  return requestHeaders(lines, verdict as unknown as Verdict, false, new Set(consumed)).slice(0, -3)
}

describe('requestHeaders', () => {
  it('keeps lines in their order and case, repeats included', () => {
    const lines = [HOST, ['x-B', '1'], ['X-a', ' 2'], ['x-b', '']] as const
    expect(forwarded(lines)).toEqual(lines)
  })

  it.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authenticate',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Content-Length',
    'Expect',
    'transfer_encoding',
    'Content_Length',
    'Proxy_Authorization'
  ])('removes %s', name => {
    expect(forwarded([HOST, [name, 'x']])).toEqual([HOST])
  })

  it('removes what Connection names, in any case and on any of its lines', () => {
    const lines = [
      ['Connection', 'close, X-One'],
      HOST,
      ['x-one', '1'],
      ['X-Two', '2'],
      ['connection', ' x-two ,']
    ] as const
    expect(forwarded(lines)).toEqual([HOST])
  })

  it('keeps what is signed, and Host, whatever Connection names', () => {
    const signed = [
      HOST,
      ['X-Service-ID', 'account-1'],
      ['Digest', 'x'],
      ['Content-Type', 'text/plain']
    ] as const
    const lines = [['Connection', 'host, x-service-id, digest, content-type'], ...signed] as const
    expect(forwarded(lines)).toEqual(signed)
    expect(forwarded([['Connection', 'host'], HOST], [])).toEqual([HOST])
  })

  it('keeps what RFC 9421 covers with parameters', () => {
    const signed = [HOST, ['Content-Type', 'text/plain'], ['Priority', 'u=1']] as const
    const covered = ['@method', 'content-type', 'priority;sf']
    expect(forwarded([['Connection', 'content-type, priority'], ...signed], covered)).toEqual(signed)
    expect(forwarded([...signed, ['Content_Type', 'x']], ['"content-type";bs'])).toEqual(signed)
  })

  it.each([
    'Signed-Request-Account',
    'signed-request-verdict',
    'Signed_Request_Account',
    'SIGNED_REQUEST-KEY',
    'Signed.Request.Account',
    'Signed-Request-Anything',
    'signed-request~id'
  ])('removes %s of the sender', name => {
    const lines = [HOST, [name, 'forged'], ['Connection', 'Signed-Request-Account']] as const
    expect(forwarded(lines)).toEqual([HOST])
  })

  it.each(['Signed_Request_Id', 'signed-request-id'])('removes %s even when it is signed', name => {
    expect(forwarded([HOST, [name, 'x']], [...COVERED, name.toLowerCase()])).toEqual([HOST])
  })

  it.each(['X_Service_ID', 'x_service-id', 'Content_Type', 'X.Service.ID', 'content~type'])(
    'removes %s, which an application could take for the header that is signed',
    name => {
      const signed = [HOST, ['X-Service-ID', 'account-1'], ['Content-Type', 'text/plain']] as const
      expect(forwarded([[name, 'forged'], ...signed, [name, 'forged']])).toEqual(signed)
    }
  )

  it('keeps a name with underscores that is signed itself', () => {
    const lines = [HOST, ['My_Header', '1']] as const
    expect(forwarded(lines, [...COVERED, 'my_header'])).toEqual(lines)
    expect(forwarded([...lines, ['My-Header', '2']], [...COVERED, 'my_header'])).toEqual(lines)
  })
})

describe('what reroutes a request that was verified', () => {
  const REROUTING = [
    'Forwarded',
    'Proxy',
    'X-Forwarded-Host',
    'X-Forwarded-Port',
    'X-Forwarded-Prefix',
    'X-HTTP-Method',
    'x-http-method-override',
    'X-Method-Override',
    'X-Original-URL',
    'X-Rewrite-URL'
  ]

  it.each([...REROUTING, 'SCRIPT_NAME', 'PATH_INFO', 'wsgi.input', 'X~Note'])('removes %s', name => {
    expect(forwarded([HOST, [name, '/other']])).toEqual([HOST])
  })

  it.each([...REROUTING, 'SCRIPT_NAME'])('keeps %s when it was signed', name => {
    const lines = [HOST, [name, '/other']] as const
    expect(forwarded(lines, [...COVERED, name.toLowerCase()])).toEqual(lines)
  })

  it('removes what the proxy in front sets for this gateway, and nothing else of it', () => {
    const lines = [HOST, ['X-Forwarded-Proto', 'https'], ['X-Forwarded-For', '192.0.2.1']] as const
    expect(forwarded(lines, COVERED, ['x-forwarded-proto'])).toEqual([HOST, lines[2]])
    expect(forwarded(lines)).toEqual(lines)
  })
})

describe('answerHeaders', () => {
  const bytes = (...texts: string[]) => texts.map(text => Buffer.from(text, 'latin1'))

  it('keeps lines in their order and case, without those that end at this hop', () => {
    const raw = bytes('Set-Cookie', 'a', 'content-length', '4', 'Connection', 'X-One', 'x-one', '1')
    const more = bytes('Set-Cookie', 'b', 'Keep-Alive', 'timeout=5', 'Transfer-Encoding', 'chunked')
    expect(answerHeaders(200, [...raw, ...more])).toEqual([
      ...['Set-Cookie', 'a'],
      ...['content-length', '4'],
      ...['Set-Cookie', 'b']
    ])
  })

  it('keeps Content-Length whatever Connection names', () => {
    expect(answerHeaders(200, bytes('Connection', 'content-length', 'Content-Length', '4'))).toEqual([
      'Content-Length',
      '4'
    ])
  })

  it('keeps every byte of a value', () => {
    expect(answerHeaders(200, [Buffer.from('X-A'), Buffer.from([0xc3, 0xa9, 0xff])])).toEqual([
      'X-A',
      '\u00c3\u00a9\u00ff'
    ])
  })
})

describe('what the gateway adds', async () => {
  const service = createTestService({ rsaBits: 1024 })
  const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
  const signed = service.sign({ target: '/', date: new Date(Date.now() - 1000) })
  const verified = await verify(signed)
  const rejected = await verify({ ...signed, https: false, target: '/other' })

  const added = (verdict: Verdict, isObserved: boolean) => requestHeaders([], verdict, isObserved, new Set())

  it('names account, key, date and id of a verified request', () => {
    const headers = new Headers(added(verified, false) as [string, string][])
    expect(Object.fromEntries(headers)).toEqual({
      'signed-request-account': '1234',
      'signed-request-key': 'key1._domainkey.service.example',
      'signed-request-date': new Headers(signed.headers as [string, string][]).get('date'),
      'signed-request-id': expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)
    })
  })

  it('marks what it observes, and names nothing of a refused request', () => {
    expect(added(rejected, true)).toEqual([['Signed-Request-Verdict', 'rejected; not-https']])
    expect(added(rejected, false)).toEqual([])
    expect(added(verified, true)[0]).toEqual(['Signed-Request-Verdict', 'verified'])
  })
})
