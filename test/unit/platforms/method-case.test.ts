import { connect, createServer } from 'node:http2'
import { expect, onTestFinished, test } from 'vitest'
import {
  createVerifier,
  fromFetchRequest,
  fromLambdaEvent,
  nodeHandler,
  type ReceivedRequest,
  type Verdict
} from '../../../src/index.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { http2Fields, listenInTest } from '../../support/node-server.ts'
import { linesOf, service } from '../../support/service.ts'

const verify = createVerifier({ ...service.options, requireHttps: false })
const expectMalformed = (verdict: Verdict) =>
  expect(verdict.failures).toMatchObject([{ code: 'request-malformed', evidence: { part: 'method' } }])

test.each(['post', 'PoSt', 'pOST'])('HTTP/2 hands %s to no application under the signature of POST', async method => {
  const verdicts: Verdict[] = []
  let handled = 0
  const handler = nodeHandler(
    verify,
    (_verified, _req, res) => {
      handled++
      res.end()
    },
    {
      onRefused: verdict => {
        verdicts.push(verdict)
        return undefined
      }
    }
  )
  const session = connect(`http://127.0.0.1:${await listenInTest(createServer(handler as never))}`)
  onTestFinished(() => session.close())
  const statusOf = (request: ReceivedRequest) =>
    new Promise(resolve => {
      const stream = session.request(http2Fields(request))
      stream.on('response', head => resolve(head[':status']))
      stream.resume().end(request.body)
    })
  const signed = service.sign({ method: 'POST', target: '/hook', body: '{}' })
  expect(await statusOf(signed)).toBe(200)
  expect(await statusOf({ ...signed, method })).toBe(401)
  expect(handled).toBe(1)
  expectMalformed(verdicts[0]!)
})

test('fromFetchRequest: patch is not PATCH', async () => {
  const signed = service.sign({ method: 'PATCH', target: '/hook', body: '{}' })
  const headers = linesOf(signed).map(([name, value]): [string, string] => [name, value])
  const request = (method: string) =>
    fromFetchRequest(new Request('https://receiver.example/hook', { method, headers, body: '{}' }))
  expect((await verify(request('PATCH'))).status).toBe('verified')
  expectMalformed(await verify(request('patch')))
})

test('fromLambdaEvent: post is not POST', async () => {
  const signed = service.sign({ method: 'POST', target: '/hook', body: '{}' })
  const event = (method: string) => ({
    version: '2.0',
    rawPath: '/hook',
    rawQueryString: '',
    headers: Object.fromEntries(linesOf(signed).map(([name, value]) => [name.toLowerCase(), value])),
    requestContext: { http: { method, path: '/hook' } },
    body: '{}',
    isBase64Encoded: false
  })
  expect((await verify(fromLambdaEvent(event('POST') as never))).status).toBe('verified')
  expectMalformed(await verify(fromLambdaEvent(event('post') as never)))
})

test('by RFC 9421 a method is signed as it is: post under the signature of post alone', async () => {
  const both = createVerifier({ ...service.options, schemes: [rfc9421] })
  const signed = service.sign({ scheme: 'rfc9421', method: 'post', target: '/hook', body: '{}' })
  expect((await both(signed)).status).toBe('verified')
  expect((await both({ ...signed, method: 'POST' })).failures).toMatchObject([{ code: 'signature-mismatch' }])
})
