import { describe, expect, test, vi } from 'vitest'
import { createVerifier, type LambdaEvent, lambdaHandler } from '../../../../src/index.ts'
import { memoryReplayStore } from '../../../../src/replay/index.ts'
import { pairs } from '../../../meta/examples/kinds.ts'
import { service } from '../../../support/service.ts'

const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })

function functionUrl(body = '{"id":1}'): LambdaEvent {
  const signed = service.sign({ target: '/hook', body: '{"id":1}' })
  return {
    version: '2.0',
    rawPath: '/hook',
    rawQueryString: '',
    headers: Object.fromEntries(pairs(signed)),
    requestContext: { domainName: 'id.lambda-url.eu-central-1.on.aws', http: { method: 'POST' } },
    body
  }
}

const loadBalancer = (headers: object): LambdaEvent =>
  ({ requestContext: { elb: {} }, httpMethod: 'GET', path: '/', ...headers }) as LambdaEvent

test('passes on the verified request, the event and the context, and returns the result', async () => {
  const handle = vi.fn().mockReturnValue({ statusCode: 201, body: 'answer' })
  const event = functionUrl()
  expect(await lambdaHandler(verify, handle)(event, 'context')).toEqual({ statusCode: 201, body: 'answer' })
  expect(handle).toHaveBeenCalledWith(expect.objectContaining({ status: 'verified' }), event, 'context')
})

test('answers 204 for undefined', async () => {
  expect(await lambdaHandler(verify, () => {})(functionUrl(), {})).toEqual({ statusCode: 204 })
})

test('refuses, and calls onRefused', async () => {
  const onRefused = vi.fn()
  const event = functionUrl('{"id":2}')
  const result = await lambdaHandler(verify, () => {}, { onRefused })(event, 'context')
  expect(result).toEqual({ statusCode: 401, headers: { 'WWW-Authenticate': 'Signature' }, body: '' })
  expect(onRefused).toHaveBeenCalledWith(expect.objectContaining({ status: 'rejected' }), event, 'context')
})

test('asks the sender to try again with Retry-After', async () => {
  const lookupTxt = () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
  const unavailable = createVerifier({ ...service.options, lookupTxt })
  const result = await lambdaHandler(unavailable, () => {})(functionUrl(), {})
  expect(result).toEqual({ statusCode: 503, headers: { 'Retry-After': '10' }, body: '' })
})

test('onRefused chooses the status', async () => {
  const result = await lambdaHandler(verify, () => {}, { onRefused: () => 503 })(functionUrl('{}'), {})
  expect(result).toEqual({ statusCode: 503, headers: { 'Retry-After': '10' }, body: '' })
})

test('releases the claim and rethrows the error of the handler', async () => {
  const event = functionUrl()
  const handle = vi.fn().mockRejectedValueOnce(new Error('ours')).mockReturnValue(undefined)
  const handler = lambdaHandler(verify, handle)
  await expect(handler(event, {})).rejects.toThrow('ours')
  expect(await handler(event, {})).toEqual({ statusCode: 204 })
  expect(await handler(event, {})).toMatchObject({ statusCode: 401 })
})

describe('behind a load balancer', () => {
  test('the result has the properties of a load balancer', async () => {
    const handler = lambdaHandler(verify, () => {})
    expect(await handler(loadBalancer({ headers: {} }), {})).toEqual({
      statusCode: 401,
      isBase64Encoded: false,
      headers: { 'WWW-Authenticate': 'Signature' },
      body: ''
    })
    expect(await handler(loadBalancer({ multiValueHeaders: {} }), {})).toMatchObject({
      multiValueHeaders: { 'WWW-Authenticate': ['Signature'] }
    })
  })
})

test.each([
  [{ https: 1 }, 'options.https is the number 1'],
  [{ body: '' }, 'lambdaHandler() has no option "body"']
])('%j is a TypeError at once', (options, message) => {
  expect(() => lambdaHandler(verify, () => {}, options as never)).toThrow(message)
})
