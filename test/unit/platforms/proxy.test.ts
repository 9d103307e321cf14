import { describe, expect, test } from 'vitest'
import {
  createVerifier,
  fromFetchRequest,
  fromLambdaEvent,
  fromNodeRequest,
  type ProxyOptions,
  type ReceivedRequest
} from '../../../src/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { linesOf, service } from '../../support/service.ts'
import { failuresOf } from '../../support/verdicts.ts'

// All adapters restore a proxy's changes in the same way.

const verify = createVerifier(service.options)

type Lists = Readonly<Record<string, readonly string[]>>
const toLines = (lists: Lists) => Object.entries(lists).flatMap(([name, values]) => values.map(value => [name, value]))

/** A load balancer's event shows header lines as they are, repeats and all, and claims no HTTPS. */
const overLambda = (url: string, multiValueHeaders: object, options?: ProxyOptions) =>
  fromLambdaEvent({ requestContext: { elb: {} }, httpMethod: 'GET', path: url, multiValueHeaders } as never, options)

function overNode(url: string, lists: Lists, options?: ProxyOptions) {
  return fromNodeRequest({ rawHeaders: toLines(lists).flat(), method: 'GET', url, socket: {} } as never, options)
}

function overFetch(path: string, lists: Lists, options?: ProxyOptions) {
  const headers = new Headers(toLines(lists) as [string, string][])
  const url = `http://${lists['Host']?.[0] ?? 'receiver.example'}${path}`
  return fromFetchRequest({ url, method: 'GET', headers, body: null, bodyUsed: false } as Request, options)
}

const ADAPTERS = { fromNodeRequest: overNode, fromFetchRequest: overFetch, fromLambdaEvent: overLambda }

describe.each(Object.entries(ADAPTERS))('%s', (adapter, receive) => {
  const received = (lists: Lists, options?: ProxyOptions) => receive('/', lists, options)
  /** Returns the adapter's view of these lines: a Headers object has joined them. */
  const seen = (values: string[]) =>
    adapter === 'fromFetchRequest' && values.length > 1 ? [values.join(', ')] : values

  describe('X-Forwarded-Proto', () => {
    test.each<[value: string, isHttps: boolean, options: ProxyOptions]>([
      ['https', false, {}],
      ['https', false, { https: false }],
      ['https', false, { host: 'x-forwarded-host' }],
      ['http', true, { https: true }],
      ['https', true, { https: 'x-forwarded-proto' }],
      ['HTTPS', true, { https: 'x-forwarded-proto' }]
    ])('%s is trusted only when it is asked for: %s with %j', (value, isHttps, options) => {
      expect(received({ 'X-Forwarded-Proto': [value] }, options).https).toBe(isHttps)
    })

    test.each([
      [[]],
      [['http']],
      [['https, http']],
      [['https,https']],
      [['https', 'https']],
      [['https', 'http']],
      [['']]
    ])('%j does not count as HTTPS, and is noted', values => {
      const { https, forwarded } = received({ 'X-Forwarded-Proto': values }, { https: 'x-forwarded-proto' })
      expect(https).toBe(false)
      expect(forwarded).toEqual({ https: { header: 'X-Forwarded-Proto', received: seen(values) } })
    })
  })

  describe('X-Forwarded-Host', () => {
    const own = Object.fromEntries(linesOf(service.sign()).map(([name, value]) => [name, [value]]))
    const GOOD = 'receiver.example'
    const forwardedAs = (values: string[], options: ProxyOptions, Host = [GOOD]) =>
      received({ ...own, Host, 'X-Forwarded-Host': values }, { https: true, ...options })

    test.each<[failures: string[], values: string[], options: ProxyOptions]>([
      [['host: host-mismatch'], [GOOD], {}],
      [[], [GOOD], { host: 'x-forwarded-host' }],
      [[], [], { host: GOOD }]
    ])('X-Forwarded-Host is trusted only when it is asked for: %j', async (failures, values, options) => {
      expect(failuresOf(await verify(forwardedAs(values, options, ['inside.example'])))).toEqual(failures)
    })

    test.each([
      [[], 'host: host-missing', 'coverage: coverage-absent'],
      [[GOOD, GOOD], 'host: host-repeated'],
      [[GOOD, 'other.example'], 'host: host-repeated'],
      [[`${GOOD}, ${GOOD}`], 'host: host-mismatch'],
      [[`${GOOD}, proxy.example`], 'host: host-mismatch'],
      [[''], 'host: host-mismatch']
    ])('%j does not count as Host, even with a good one, and is noted', async (values, ...expected) => {
      const request = forwardedAs(values, { host: 'x-forwarded-host' })
      expect(request.forwarded).toEqual({ host: { header: 'X-Forwarded-Host', received: seen(values) } })
      const isJoined = seen(values) !== values
      expect(failuresOf(await verify(request))).toEqual(isJoined ? ['host: host-mismatch'] : expected)
    })
  })

  test('a header that was usable, or was not asked for, leaves no note', () => {
    const headers = { Proto: ['https'], Host: ['receiver.example'], Prefix: ['/hooks'] }
    const lists = Object.fromEntries(Object.entries(headers).map(([name, list]) => [`X-Forwarded-${name}`, list]))
    const asked = { https: 'x-forwarded-proto', host: 'x-forwarded-host', prefix: 'x-forwarded-prefix' } as const
    for (const options of [asked, {}, { https: true, host: 'a.example', prefix: '/a' }]) {
      expect(received(lists, options)).not.toHaveProperty('forwarded')
    }
  })

  describe('the prefix that a proxy has stripped', () => {
    const target = (path: string, options: ProxyOptions, prefixes: string[] = []) =>
      receive(path, { 'X-Forwarded-Prefix': prefixes }, options).target
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

    test('the prefix that a proxy has stripped is not trusted unless asked for', () => {
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
  })

  test('ignores options of a polluted prototype', () => {
    const polluted = Object.prototype as Record<string, unknown>
    const forged = { https: true, host: 'receiver.example', prefix: '/hooks' }
    try {
      Object.assign(polluted, forged)
      for (const options of [{}, undefined]) {
        const request = received({ Host: ['other.example'] }, options)
        expect(request).toMatchObject({ https: false, target: '/' })
        expect(linesOf(request)).toEqual([[expect.stringMatching(/^host$/i), 'other.example']])
      }
    } finally {
      for (const name of Object.keys(forged)) delete polluted[name]
    }
  })

  const expectMistake = (options: unknown, message: string) => {
    expect(() => received({}, options as ProxyOptions)).toThrow(TypeError)
    expect(() => received({}, options as ProxyOptions)).toThrow(message)
  }

  test.each(['', '//evil.example', '/a//b', '/a/../b', '/a?b', '/a#b', '/a b', '/a\r\nb', '/a\n'])(
    'the prefix %j is a mistake',
    prefix => expectMistake({ prefix }, `options.prefix is ${JSON.stringify(prefix)}`)
  )

  test.each(['', 'https://receiver.example', 'receiver.example\r\nX: y', 'X-Forwarded-Host', 'Header'])(
    'the host %j is a mistake',
    host => expectMistake({ host }, `options.host is ${JSON.stringify(host)}`)
  )

  test.each([
    [{ https: 'yes' }, 'options.https is "yes": write true, false or "x-forwarded-proto"'],
    [{ https: 1 }, 'options.https is the number 1'],
    [{ https: null }, 'options.https is null'],
    [{ https: 'X-Forwarded-Proto' }, 'options.https is "X-Forwarded-Proto"'],
    [{ host: 5 }, 'options.host is the number 5: write "x-forwarded-host" or a host name'],
    [{ host: ['receiver.example'] }, 'options.host is an array'],
    [{ prefix: 'hooks' }, 'options.prefix is "hooks": write "x-forwarded-prefix" or the path that the proxy strips'],
    [{ prefix: true }, 'options.prefix is true'],
    [{ trustProxy: true }, `${adapter}() has no option "trustProxy"`],
    [null, `${adapter}() got null for its options: pass an object with`],
    ['x-forwarded-proto', `${adapter}() got a string for its options: pass an object with`],
    [Buffer.from('body'), `${adapter}() got an object for its options: pass an object with`]
  ])('%j is a mistake', (options, message) => expectMistake(options, message))
})

test.each([overNode, overLambda])('"header" is a host for fromFetchRequest() alone: %o', receive => {
  expect(() => receive('/', {}, { host: 'header' })).toThrow('options.host is "header": write "x-forwarded-host"')
})

test.each(['*', 'https://receiver.example/a', ''])('no prefix is put in front of %j, which is not a path', target => {
  for (const receive of [overNode, overLambda]) expect(receive(target, {}, { prefix: '/hooks' }).target).toBe(target)
})

test('a prefix is read in linear time', async () => {
  const lists = { 'X-Forwarded-Prefix': [`/${'a/'.repeat(50_000)}?`] }
  const read = () => expect(overNode('/a', lists, { prefix: 'x-forwarded-prefix' }).target).toBe('/a')
  expect(await cpuTime(read)).toBeLessThan(500)
})

test('the notes of a copied request are in the evidence', async () => {
  const request: ReceivedRequest = overNode('/', {}, { https: 'x-forwarded-proto' })
  const { failures } = await verify({ ...request, target: '/other' })
  const evidence = { header: 'X-Forwarded-Proto', received: [] }
  expect(failures[0]).toMatchObject({ code: 'not-https', evidence })
})
