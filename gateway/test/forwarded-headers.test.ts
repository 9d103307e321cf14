import { describe, expect, it } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { memoryReplayStore } from '../../src/replay/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { answerHeaders, requestHeaders, verdictHeaders } from '../src/forwarded-headers.ts'

const COVERED = ['(request-target)', 'host', 'date', 'x-service-id', 'digest', 'content-type']
const HOST = ['Host', 'receiver.example'] as const

describe('requestHeaders', () => {
  it('keeps lines in their order and case, repeats included', () => {
    const lines = [HOST, ['x-B', '1'], ['X-a', ' 2'], ['x-b', '']] as const
    expect(requestHeaders(lines, COVERED, [])).toEqual(lines)
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
    expect(requestHeaders([HOST, [name, 'x']], COVERED, [])).toEqual([HOST])
  })

  it('removes what Connection names, in any case and on any of its lines', () => {
    const lines = [
      ['Connection', 'close, X-One'],
      HOST,
      ['x-one', '1'],
      ['X-Two', '2'],
      ['connection', ' x-two ,']
    ] as const
    expect(requestHeaders(lines, COVERED, [])).toEqual([HOST])
  })

  it('keeps what is signed, and Host, whatever Connection names', () => {
    const signed = [
      HOST,
      ['X-Service-ID', 'account-1'],
      ['Digest', 'x'],
      ['Content-Type', 'text/plain']
    ] as const
    const lines = [['Connection', 'host, x-service-id, digest, content-type'], ...signed] as const
    expect(requestHeaders(lines, COVERED, [])).toEqual(signed)
    expect(requestHeaders([['Connection', 'host'], HOST], [], [])).toEqual([HOST])
  })

  it('keeps what RFC 9421 covers with parameters', () => {
    const signed = [HOST, ['Content-Type', 'text/plain'], ['Priority', 'u=1']] as const
    const covered = ['@method', 'content-type', 'priority;sf']
    expect(requestHeaders([['Connection', 'content-type, priority'], ...signed], covered, [])).toEqual(signed)
    expect(requestHeaders([...signed, ['Content_Type', 'x']], ['"content-type";bs'], [])).toEqual(signed)
  })

  it.each([
    'Signed-Request-Account',
    'signed-request-verdict',
    'Signed_Request_Account',
    'SIGNED_REQUEST-KEY',
    'Signed.Request.Account',
    'Signed-Request-Anything',
    'signed-request~id'
  ])('removes %s of the sender, and Connection does not remove ours', name => {
    const added = [['Signed-Request-Account', '1234']] as const
    const lines = [HOST, [name, 'forged'], ['Connection', 'Signed-Request-Account']] as const
    expect(requestHeaders(lines, COVERED, added)).toEqual([HOST, ...added])
  })

  it.each(['Signed_Request_Id', 'signed-request-id'])('removes %s even when it is signed', name => {
    expect(requestHeaders([HOST, [name, 'x']], [...COVERED, name.toLowerCase()], [])).toEqual([HOST])
  })

  it.each(['X_Service_ID', 'x_service-id', 'Content_Type', 'X.Service.ID', 'content~type'])(
    'removes %s, which an application could take for the header that is signed',
    name => {
      const signed = [HOST, ['X-Service-ID', 'account-1'], ['Content-Type', 'text/plain']] as const
      expect(requestHeaders([[name, 'forged'], ...signed, [name, 'forged']], COVERED, [])).toEqual(signed)
    }
  )

  it('keeps a name with underscores that is signed itself', () => {
    const lines = [HOST, ['My_Header', '1']] as const
    expect(requestHeaders(lines, [...COVERED, 'my_header'], [])).toEqual(lines)
    expect(requestHeaders([...lines, ['My-Header', '2']], [...COVERED, 'my_header'], [])).toEqual(lines)
  })
})

describe('answerHeaders', () => {
  it('keeps lines in their order and case, without those that end at this hop', () => {
    const raw = [
      'Set-Cookie',
      'a',
      'content-length',
      '4',
      'Connection',
      'X-One',
      'x-one',
      '1',
      'Set-Cookie',
      'b'
    ]
    expect(answerHeaders([...raw, 'Keep-Alive', 'timeout=5', 'Transfer-Encoding', 'chunked'])).toEqual([
      ['Set-Cookie', 'a'],
      ['content-length', '4'],
      ['Set-Cookie', 'b']
    ])
  })

  it('keeps Content-Length whatever Connection names', () => {
    expect(answerHeaders(['Connection', 'content-length', 'Content-Length', '4'])).toEqual([
      ['Content-Length', '4']
    ])
  })
})

describe('verdictHeaders', async () => {
  const service = createTestService()
  const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
  const signed = service.sign({ target: '/', date: new Date(Date.now() - 1000) })
  const verified = await verify(signed)
  const rejected = await verify({ ...signed, https: false, target: '/other' })

  it('names account, key, date and id of a verified request', () => {
    const headers = new Headers(verdictHeaders(verified, false) as [string, string][])
    expect(Object.fromEntries(headers)).toEqual({
      'signed-request-account': '1234',
      'signed-request-key': 'key1._domainkey.service.example',
      'signed-request-date': new Headers(signed.headers as [string, string][]).get('date'),
      'signed-request-id': expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)
    })
  })

  it('marks what it observes, and names nothing of a refused request', () => {
    expect(verdictHeaders(rejected, true)).toEqual([['Signed-Request-Verdict', 'rejected; not-https']])
    expect(verdictHeaders(rejected, false)).toEqual([])
    expect(verdictHeaders(verified, true)[0]).toEqual(['Signed-Request-Verdict', 'verified'])
  })
})
