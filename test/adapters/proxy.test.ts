import { describe, expect, test } from 'vitest'
import { createVerifier, fromLambdaEvent, type ProxyOptions } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { pairs } from '../recipes/kinds.ts'

const service = createTestService()
const verify = createVerifier(service.options)

/** A load balancer's event shows header lines as they are, repeats and all, and claims no HTTPS. */
function received(multiValueHeaders: Record<string, string[]>, options?: ProxyOptions) {
  const event = { requestContext: { elb: {} }, httpMethod: 'GET', path: '/', multiValueHeaders }
  return fromLambdaEvent(event, options)
}

describe('X-Forwarded-Proto', () => {
  const https = (values: string[], options?: ProxyOptions) =>
    received({ 'X-Forwarded-Proto': values }, options).https
  const believed = (...values: string[]) => https(values, { https: 'x-forwarded-proto' })

  test('is not believed unless asked for', () => {
    expect(https(['https'])).toBe(false)
    expect(https(['https'], { https: false })).toBe(false)
    expect(https(['https'], { host: 'x-forwarded-host' })).toBe(false)
    expect(https(['http'], { https: true })).toBe(true)
  })

  test('is believed when it is one word', () => {
    expect(believed('https')).toBe(true)
    expect(believed('HTTPS')).toBe(true)
  })

  test.each([
    [[]],
    [['http']],
    [['https, http']],
    [['https,https']],
    [['https', 'https']],
    [['https', 'http']],
    [['']]
  ])('%j is no HTTPS', values => {
    expect(believed(...values)).toBe(false)
  })
})

describe('X-Forwarded-Host', () => {
  const signed = service.sign({ host: 'receiver.example' })
  const signedHeaders = Object.fromEntries(pairs(signed).map(([name, value]) => [name, [value]]))
  const codes = async (headers: Record<string, string[]>, options: ProxyOptions) => {
    const verdict = await verify(received({ ...signedHeaders, ...headers }, { https: true, ...options }))
    return verdict.status === 'verified' ? [] : verdict.failures.map(({ code }) => code)
  }
  const Host = ['inside.example']

  test('is not believed unless asked for', async () => {
    expect(await codes({ Host, 'X-Forwarded-Host': ['receiver.example'] }, {})).toEqual(['host-mismatch'])
  })

  test('is believed when it is one name', async () => {
    const headers = { Host, 'X-Forwarded-Host': ['receiver.example'] }
    expect(await codes(headers, { host: 'x-forwarded-host' })).toEqual([])
    expect(await codes({ Host }, { host: 'receiver.example' })).toEqual([])
  })

  test.each([
    [[], 'host-missing', 'coverage-absent'],
    [['receiver.example', 'receiver.example'], 'host-repeated'],
    [['receiver.example', 'other.example'], 'host-repeated'],
    [['receiver.example, receiver.example'], 'host-mismatch'],
    [['receiver.example, proxy.example'], 'host-mismatch'],
    [[''], 'host-mismatch']
  ])('%j is no Host, even beside a right one', async (values, ...expected) => {
    const headers = { Host: ['receiver.example'], 'X-Forwarded-Host': values }
    expect(await codes(headers, { host: 'x-forwarded-host' })).toEqual(expected)
  })
})

describe('bad options are refused', () => {
  test.each([
    [{ https: 'yes' }, 'options.https must be true, false or "x-forwarded-proto"'],
    [{ https: 1 }, 'options.https must be'],
    [{ https: null }, 'options.https must be'],
    [{ https: 'X-Forwarded-Proto' }, 'options.https must be'],
    [{ host: 5 }, 'options.host must be "x-forwarded-host" or a host name'],
    [{ host: '' }, 'options.host must be'],
    [{ host: 'https://receiver.example' }, 'options.host must be'],
    [{ host: 'receiver.example\r\nX: y' }, 'options.host must be'],
    [{ host: ['receiver.example'] }, 'options.host must be'],
    [{ trustProxy: true }, 'fromLambdaEvent() has no option "trustProxy"'],
    ['x-forwarded-proto', 'takes its options as an object with https, host'],
    [Buffer.from('body'), 'takes its options as an object']
  ])('%j', (options, message) => {
    expect(() => received({}, options as never)).toThrow(TypeError)
    expect(() => received({}, options as never)).toThrow(message)
  })
})
