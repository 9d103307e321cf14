import { expect, test, vi } from 'vitest'
import { createVerifier, type LambdaEvent, lambdaHandler } from '../../../../src/index.ts'
import { CHALLENGE, linesOf, service } from '../../../support/service.ts'

// ../handler.test.ts tests the promises of all handlers.

const verify = createVerifier(service.options)
const lookupTxt = () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
const unavailable = createVerifier({ ...service.options, lookupTxt })

function functionUrl(body = '{"id":1}'): LambdaEvent {
  const headers = Object.fromEntries(linesOf(service.sign({ target: '/hook', body: '{"id":1}' })))
  const requestContext = { domainName: 'id.lambda-url.eu-central-1.on.aws', http: { method: 'POST' } }
  return { version: '2.0', rawPath: '/hook', rawQueryString: '', headers, requestContext, body }
}

const loadBalancer = (headers: object): LambdaEvent => ({
  requestContext: { elb: {} },
  httpMethod: 'GET',
  path: '/',
  ...headers
})

test('passes on the verified request, the event and the context, and returns the result', async () => {
  const handle = vi.fn().mockReturnValue({ statusCode: 201, body: 'answer' })
  const event = functionUrl()
  expect(await lambdaHandler(verify, handle)(event, 'context')).toEqual({ statusCode: 201, body: 'answer' })
  expect(handle).toHaveBeenCalledWith(expect.objectContaining({ status: 'verified' }), event, 'context')
})

test('passes on the event and the context to onRefused', async () => {
  const onRefused = vi.fn()
  const event = functionUrl('{"id":2}')
  await lambdaHandler(verify, () => {}, { onRefused })(event, 'context')
  expect(onRefused).toHaveBeenCalledWith(expect.objectContaining({ status: 'rejected' }), event, 'context')
})

const REFUSED = { statusCode: 401, headers: { 'WWW-Authenticate': CHALLENGE }, body: '' }
const BALANCED = { ...REFUSED, isBase64Encoded: false }

test.each([
  ['a verified request', verify, functionUrl(), { statusCode: 204 }],
  ['a refused one', verify, functionUrl('{"id":2}'), REFUSED],
  ['one to send again', unavailable, functionUrl(), { statusCode: 503, headers: { 'Retry-After': '10' }, body: '' }],
  ['one of a load balancer', verify, loadBalancer({ headers: {} }), BALANCED],
  [
    'one of a load balancer with lists',
    verify,
    loadBalancer({ multiValueHeaders: {} }),
    { ...BALANCED, multiValueHeaders: { 'WWW-Authenticate': [CHALLENGE] } }
  ]
])(
  'the result for %s has what the caller knows, and changing it changes no other',
  async (_, verify, event, result) => {
    const handler = lambdaHandler(verify, () => {})
    const first = await handler(event, {})
    expect(first).toEqual(result)
    Object.assign(first.headers ?? {}, { Trailer: 'X' })
    expect(await handler(event, {})).toEqual(result)
  }
)

test('lambdaHandler has no option body', () => {
  expect(() => lambdaHandler(verify, () => {}, { body: '' } as never)).toThrow('lambdaHandler() has no option "body"')
})

test('an event without a request context, as one made by hand, has the same results', async () => {
  const { headers, body } = functionUrl() as Required<LambdaEvent>
  const event: LambdaEvent = { httpMethod: 'POST', path: '/hook', headers, body }
  const handler = lambdaHandler(verify, () => {})
  expect(await handler(event, {})).toEqual({ statusCode: 204 })
  expect(await handler({ ...event, body: '{"id":2}' }, {})).toEqual(REFUSED)
})
