import { createServer } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createVerifier,
  fetchHandler,
  fromFetchRequest,
  fromLambdaEvent,
  fromNodeRequest,
  lambdaHandler,
  nodeHandler,
  type ReceivedRequest,
  type Verdict
} from '../../../src/index.ts'
import { http2Fields, listenInTest } from '../../support/node-server.ts'
import { linesOf, service } from '../../support/service.ts'
import { exchangeBytes, wire } from '../../support/wire.ts'

// By the draft the signing string has the method in lower case, so one signature fits several methods. No adapter hands
// a method to the application that was not signed.

const verify = createVerifier({ ...service.options, requireHttps: false })

/** The request as it was signed, with its method in other letters. */
const changed = (signed: string, method: string): ReceivedRequest => ({
  ...service.sign({ method: signed, target: '/hook', body: '{}' }),
  method
})

/** Returns the method that the application sees, or why it sees none. */
type Ask = (request: ReceivedRequest) => Promise<string>

const reasonOf = ({ failures }: Verdict) =>
  failures.map(({ code, evidence }) => `${code} ${JSON.stringify(evidence)}`)[0] ?? ''

const overHttp2: Ask = async request => {
  const seen: string[] = []
  const receive = nodeHandler<never, never>(
    verify,
    (_, req: { method?: string }) => {
      seen.push(req.method ?? '')
    },
    { onRefused: verdict => seen.push(reasonOf(verdict)) }
  )
  const port = await listenInTest(createHttp2Server(receive as never))
  const session = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => session.close())
  const stream = session.request(http2Fields(request)).on('error', () => {})
  stream.resume().end(request.body)
  await new Promise(resolve => stream.once('close', resolve))
  return seen.join()
}

const overHttp1: Ask = async request => {
  const seen: string[] = []
  const server = createServer(
    nodeHandler(verify, (_, req) => void seen.push(req.method ?? ''), {
      onRefused: verdict => seen.push(reasonOf(verdict))
    })
  )
  await exchangeBytes(await listenInTest(server), wire(request, [['Connection', 'close']]))
  return seen.join()
}

const overFetch: Ask = async request => {
  const seen: string[] = []
  const init = { method: request.method, headers: linesOf(request) as [string, string][], body: '{}' }
  const receive = fetchHandler(verify, (_, { method }) => void seen.push(method), {
    onRefused: verdict => seen.push(reasonOf(verdict))
  })
  await receive(new Request('http://receiver.example/hook', init))
  return seen.join()
}

const lambda =
  (eventOf: (method: string) => object): Ask =>
  async request => {
    const seen: string[] = []
    const receive = lambdaHandler(verify, () => void seen.push(request.method), {
      onRefused: verdict => seen.push(reasonOf(verdict))
    })
    const headers = Object.fromEntries(linesOf(request))
    await receive({ ...eventOf(request.method), headers, body: '{}' }, {})
    return seen.join()
  }

const CALLS: Readonly<Record<string, Ask>> = {
  'node:http2': overHttp2,
  fetch: overFetch,
  'Lambda, REST': lambda(httpMethod => ({ httpMethod, path: '/hook', requestContext: {} })),
  'Lambda, function URL': lambda(method => ({
    version: '2.0',
    rawPath: '/hook',
    rawQueryString: '',
    requestContext: { domainName: 'id.lambda-url.eu-central-1.on.aws', http: { method } }
  }))
}

const REFUSED = 'request-malformed {"part":"method"}'

describe.each(Object.entries(CALLS))('%s', (_, ask) => {
  test.each([
    ['PATCH', 'patch'],
    ['PATCH', 'Patch'],
    ['REPORT', 'rePORT']
  ])('a signed %s does not come to the application as %s', async (signed, method) => {
    expect(await ask(changed(signed, method))).toBe(REFUSED)
    expect(await ask(changed(signed, signed))).toBe(signed)
  })

  test('a signed POST comes to the application as POST, or not at all', async () => {
    for (const method of ['post', 'PoSt']) expect(['POST', REFUSED]).toContain(await ask(changed('POST', method)))
  })
})

test('node:http, where Node.js knows methods in upper case alone, hands on none', async () => {
  for (const method of ['post', 'PoSt']) expect(await overHttp1(changed('POST', method))).toBe('')
})

test.each([
  ['fromNodeRequest', (method: string) => fromNodeRequest({ method, url: '/', rawHeaders: [], headers: {} } as never)],
  ['fromFetchRequest', (method: string) => fromFetchRequest(new Request('http://a/', { method }))],
  ['fromLambdaEvent', (method: string) => fromLambdaEvent({ httpMethod: method, path: '/', requestContext: {} })]
])('%s passes a method on as it came', (_, adapt) => {
  expect(adapt('rePORT').method).toBe('rePORT')
})
