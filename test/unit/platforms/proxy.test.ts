import { describe, expect, test } from 'vitest'
import { createVerifier, fromLambdaEvent, type ProxyOptions } from '../../../src/index.ts'
import { pairs } from '../../meta/examples/kinds.ts'
import { service } from '../../support/service.ts'

const verify = createVerifier(service.options)

/** A load balancer's event shows header lines as they are, repeats and all, and claims no HTTPS. */
function received(multiValueHeaders: Record<string, string[]>, options?: ProxyOptions) {
  const event = { requestContext: { elb: {} }, httpMethod: 'GET', path: '/', multiValueHeaders }
  return fromLambdaEvent(event, options)
}

describe('X-Forwarded-Proto', () => {
  const https = (values: string[], options?: ProxyOptions) => received({ 'X-Forwarded-Proto': values }, options).https
  const believed = (...values: string[]) => https(values, { https: 'x-forwarded-proto' })

  test('is not trusted unless asked for', () => {
    expect(https(['https'])).toBe(false)
    expect(https(['https'], { https: false })).toBe(false)
    expect(https(['https'], { host: 'x-forwarded-host' })).toBe(false)
    expect(https(['http'], { https: true })).toBe(true)
  })

  test('is trusted when it is one word', () => {
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
  ])('%j does not count as HTTPS', values => expect(believed(...values)).toBe(false))
})

describe('X-Forwarded-Host', () => {
  const signed = service.sign({ host: 'receiver.example' })
  const signedHeaders = Object.fromEntries(pairs(signed).map(([name, value]) => [name, [value]]))
  const codes = async (headers: Record<string, string[]>, options: ProxyOptions) => {
    const verdict = await verify(received({ ...signedHeaders, ...headers }, { https: true, ...options }))
    return verdict.status === 'verified' ? [] : verdict.failures.map(({ code }) => code)
  }
  const Host = ['inside.example']

  test('is not trusted unless asked for', async () => {
    expect(await codes({ Host, 'X-Forwarded-Host': ['receiver.example'] }, {})).toEqual(['host-mismatch'])
  })

  test('is trusted when it is one name', async () => {
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
  ])('%j does not count as Host, even with a good one', async (values, ...expected) => {
    const headers = { Host: ['receiver.example'], 'X-Forwarded-Host': values }
    expect(await codes(headers, { host: 'x-forwarded-host' })).toEqual(expected)
  })
})

describe('the prefix that a proxy has stripped', () => {
  const target = (path: string, options: ProxyOptions, prefixes: string[] = []) =>
    fromLambdaEvent(
      { requestContext: { elb: {} }, httpMethod: 'GET', path, multiValueHeaders: { 'X-Forwarded-Prefix': prefixes } },
      options
    ).target
  const believing = { prefix: 'x-forwarded-prefix' } as const

  test.each([
    ['/hooks', '/a?b=/c', '/hooks/a?b=/c'],
    ['/hooks', '/', '/hooks/'],
    ['/hooks', '//a', '/hooks//a'],
    ['/v1/hooks', '/a', '/v1/hooks/a'],
    ['/caf%C3%A9', '/a', '/caf%C3%A9/a'],
    // a slash at its end is dropped: the target has one
    ['/hooks/', '/a', '/hooks/a'],
    ['/', '/a', '/a']
  ])('%s in front of %s is %s, fixed or in the header', (prefix, path, expected) => {
    expect(target(path, { prefix })).toBe(expected)
    expect(target(path, believing, [prefix])).toBe(expected)
  })

  test('is not trusted unless asked for', () => {
    expect(target('/a', {}, ['/hooks'])).toBe('/a')
    expect(target('/a', { prefix: '/fixed' }, ['/hooks'])).toBe('/fixed/a')
  })

  test.each([
    ['absent', []],
    ['repeated', ['/hooks', '/hooks']],
    ['a list', ['/hooks, /hooks']],
    ['empty', ['']],
    ['not a path', ['hooks']],
    ['a host', ['//evil.example']],
    ['a URL', ['https://evil.example']],
    ['with a query', ['/hooks?a=']],
    ['with dots', ['/hooks/..']],
    ['with one dot', ['/./hooks']]
  ])('leaves the target as it is when the header is %s', (_, prefixes) => {
    expect(target('/a', believing, prefixes)).toBe('/a')
  })

  test.each(['*', 'https://receiver.example/a', ''])('leaves %j alone, which is not a path', path => {
    expect(target(path, { prefix: '/hooks' })).toBe(path)
  })

  test('takes linear time', () => {
    const long = `/${'a/'.repeat(50_000)}?`
    const before = performance.now()
    expect(target('/a', believing, [long])).toBe('/a')
    expect(performance.now() - before).toBeLessThan(2000)
  })
})

test('ignores options of a polluted prototype', () => {
  const polluted = Object.prototype as Record<string, unknown>
  const forged = { https: true, host: 'receiver.example', prefix: '/hooks' }
  try {
    Object.assign(polluted, forged)
    for (const options of [{}, undefined]) {
      const request = received({ Host: ['other.example'] }, options)
      expect({ https: request.https, target: request.target, headers: pairs(request) }).toEqual({
        https: false,
        target: '/',
        headers: [['Host', 'other.example']]
      })
    }
  } finally {
    for (const name of Object.keys(forged)) delete polluted[name]
  }
})

describe('rejects bad options', () => {
  test.each([
    [{ https: 'yes' }, 'options.https is "yes": write true, false or "x-forwarded-proto"'],
    [{ https: 1 }, 'options.https is the number 1'],
    [{ https: null }, 'options.https is null'],
    [{ https: 'X-Forwarded-Proto' }, 'options.https is "X-Forwarded-Proto"'],
    [{ host: 5 }, 'options.host is the number 5: write "x-forwarded-host" or a host name'],
    [{ host: '' }, 'options.host is ""'],
    [{ host: 'https://receiver.example' }, 'options.host is "https://receiver.example"'],
    [{ host: 'receiver.example\r\nX: y' }, 'options.host is "receiver.example\\r\\nX: y"'],
    [{ host: ['receiver.example'] }, 'options.host is an array'],
    [{ host: 'X-Forwarded-Host' }, 'options.host is "X-Forwarded-Host": write "x-forwarded-host" or a host name'],
    [{ host: 'header' }, 'options.host is "header": write "x-forwarded-host" or a host name'],
    [{ prefix: 'hooks' }, 'options.prefix is "hooks": write "x-forwarded-prefix" or the path that the proxy strips'],
    [{ prefix: '' }, 'options.prefix is ""'],
    [{ prefix: '//evil.example' }, 'options.prefix is "//evil.example"'],
    [{ prefix: '/a//b' }, 'options.prefix is "/a//b"'],
    [{ prefix: '/a/../b' }, 'options.prefix is "/a/../b"'],
    [{ prefix: '/a?b' }, 'options.prefix is "/a?b"'],
    [{ prefix: '/a#b' }, 'options.prefix is "/a#b"'],
    [{ prefix: '/a b' }, 'options.prefix is "/a b"'],
    [{ prefix: '/a\r\nb' }, 'options.prefix is "/a\\r\\nb"'],
    [{ prefix: '/a\n' }, 'options.prefix is "/a\\n"'],
    [{ prefix: true }, 'options.prefix is true'],
    [{ trustProxy: true }, 'fromLambdaEvent() has no option "trustProxy"'],
    ['x-forwarded-proto', 'fromLambdaEvent() got a string for its options: pass an object with https'],
    [Buffer.from('body'), 'fromLambdaEvent() got an object for its options']
  ])('%j', (options, message) => {
    expect(() => received({}, options as never)).toThrow(TypeError)
    expect(() => received({}, options as never)).toThrow(message)
  })
})
