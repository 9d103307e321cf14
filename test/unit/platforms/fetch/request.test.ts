import { describe, expect, test } from 'vitest'
import { createVerifier, fromFetchRequest, type ReceivedRequest } from '../../../../src/index.ts'
import { linesOf, service } from '../../../support/service.ts'

const verify = createVerifier(service.options)

/** Makes a Request as a runtime does. */
function toFetchRequest(signed: ReceivedRequest, url = `https://receiver.example${signed.target}`): Request {
  const { method, body } = signed
  return new Request(url, { method, headers: linesOf(signed) as [string, string][], body: body as Uint8Array })
}

test('a signed request is verified, and a forged one is not', async () => {
  const signed = service.sign({ target: '/a%2Fb//caf%C3%A9?x=/y?z', body: '{}' })
  expect((await verify(fromFetchRequest(toFetchRequest(signed)))).status).toBe('verified')
  const forged = toFetchRequest({ ...signed, body: Buffer.from('{ }') })
  expect((await verify(fromFetchRequest(forged))).status).toBe('rejected')
})

const at = (url: string) => ({ url, method: 'GET', headers: new Headers(), body: null, bodyUsed: false }) as Request

describe('takes the target from the URL', () => {
  test.each([
    ['https://receiver.example/hook?id=1', '/hook?id=1'],
    ['https://receiver.example:8443//a//b', '//a//b'],
    ['http://receiver.example/a%2Fb/%e2%82%AC/%7e?q=%2f&r=a+b', '/a%2Fb/%e2%82%AC/%7e?q=%2f&r=a+b'],
    ['https://receiver.example/?', '/?'],
    ['https://receiver.example/a?b?c/d#e?f', '/a?b?c/d'],
    ['https://receiver.example/#', '/'],
    ['https://receiver.example', '/'],
    ['https://receiver.example?a=1', '/?a=1'],
    ['https://[2001:db8::1]:443/x', '/x'],
    ['https://receiver.example/https://other.example/', '/https://other.example/'],
    // neither the runtime nor we normalize it
    ['https://receiver.example/a/../b/%2E%2E/./c', '/a/../b/%2E%2E/./c'],
    ['https://RECEIVER.example:443/A', '/A'],
    // Bun's value for a request without a Host
    ['/hook?id=1', '/hook?id=1']
  ])('the target is taken from the URL: %s', (url, expected) => expect(fromFetchRequest(at(url)).target).toBe(expected))
})

describe('HTTPS', () => {
  test.each([
    ['https://receiver.example/', undefined, true],
    ['http://receiver.example/', undefined, false],
    ['/', undefined, false],
    ['https://receiver.example/', false, false],
    ['http://receiver.example/', true, true]
  ])('%s with https: %s is %s', (url, https, expected) => {
    expect(fromFetchRequest(at(url), https === undefined ? {} : { https }).https).toBe(expected)
  })
})

describe('Host', () => {
  const hostsOf = (request: Request, options = {}) =>
    linesOf(fromFetchRequest(request, options)).flatMap(([name, value]) =>
      name.toLowerCase() === 'host' ? [value] : []
    )

  test.each([
    ['https://receiver.example/', 'receiver.example'],
    ['https://receiver.example/', 'RECEIVER.example'],
    ['https://receiver.example/', 'receiver.example:443'],
    ['http://receiver.example/', 'receiver.example:80'],
    ['https://receiver.example:8443/', 'receiver.example:8443'],
    ['https://[2001:db8::1]/', '[2001:DB8::1]:443']
  ])('Host is the header where the URL agrees: %s with %s', (url, host) => {
    expect(hostsOf(new Request(url, { headers: { Host: host } }))).toEqual([host])
  })

  test.each([
    ['https://evil.example/', 'receiver.example'],
    ['https://receiver.example:8443/', 'receiver.example'],
    ['http://receiver.example:443/', 'receiver.example'],
    ['https://receiver.example/', 'receiver.example:80'],
    ['https://receiver.example.evil.example/', 'receiver.example'],
    ['https://receiver.example/', 'receiver.example, receiver.example']
  ])('Host is two where the URL names another place, and the check refuses: %s with %s', async (url, host) => {
    const request = new Request(url, { headers: { Host: host } })
    expect(hostsOf(request)).toEqual([host, url.slice(url.indexOf('/') + 2, -1)])
    const verdict = await verify(fromFetchRequest(request))
    expect(verdict.checks.host).toMatchObject({ outcome: 'fail', code: 'host-repeated' })
  })

  test('Host is only the header when asked for, whatever the URL says', () => {
    const inside = new Request('https://inside.example:3000/', { headers: { Host: 'receiver.example' } })
    expect(hostsOf(inside, { host: 'header' })).toEqual(['receiver.example'])
    expect(hostsOf(new Request('https://inside.example/'), { host: 'header' })).toEqual([])
  })

  test('Host is the authority of the URL when the runtime hides the header', () => {
    expect(hostsOf(new Request('https://receiver.example:8443/'))).toEqual(['receiver.example:8443'])
    expect(hostsOf(at('/'))).toEqual([])
  })

  test('Host is that of the URL, and not the one of X-Forwarded-Host, unless it is asked for', () => {
    const request = new Request('https://inside.example/', { headers: { 'X-Forwarded-Host': 'receiver.example' } })
    expect(hostsOf(request)).toEqual(['inside.example'])
    expect(hostsOf(request, { host: 'x-forwarded-host' })).toEqual(['receiver.example'])
    expect(hostsOf(request, { host: 'fixed.example' })).toEqual(['fixed.example'])
  })
})

describe('the body', () => {
  test('a fetch request without a body gives null', () => {
    expect(fromFetchRequest(new Request('https://receiver.example/')).body).toBeNull()
  })

  test('the body is the stream, untouched', async () => {
    let pulls = 0
    const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 })
    const request = new Request('https://receiver.example/', { method: 'POST', body, duplex: 'half' })
    expect((await verify(fromFetchRequest(request))).status).toBe('rejected')
    expect([pulls, request.bodyUsed, request.body?.locked]).toEqual([0, false, false])
  })

  test('the body is options.body when it was read already', async () => {
    const signed = service.sign({ body: '{}' })
    const request = toFetchRequest(signed)
    const body = new Uint8Array(await request.arrayBuffer())
    expect((await verify(fromFetchRequest(request, { body }))).status).toBe('verified')
  })

  test('a body that breaks cannot be judged', async () => {
    const signed = service.sign({ body: '0123456789a' })
    const body = new ReadableStream({ pull: controller => controller.error(new Error('gone')) })
    const headers = linesOf(signed) as [string, string][]
    const request = new Request('https://receiver.example/', { method: 'POST', headers, body, duplex: 'half' })
    const verdict = await verify(fromFetchRequest(request))
    expect(verdict).toMatchObject({ status: 'unavailable', failures: [{ code: 'body-unreadable' }] })
  })
})

describe("mistakes are the programmer's", () => {
  const releaseStream = (request: Request) =>
    Object.defineProperties(request, { bodyUsed: { value: true }, body: { value: new ReadableStream() } })
  const post = () => new Request('https://receiver.example/', { method: 'POST', body: '{"a":1}' })

  test.each<[string, (request: Request) => unknown]>([
    ['that was read already', request => request.json()],
    ['that is being read elsewhere', request => request.body?.getReader()],
    ['that was read already, where the runtime releases the stream', releaseStream]
  ])('a body %s', async (_, read) => {
    const request = post()
    await read(request)
    expect(() => fromFetchRequest(request)).toThrow(/already read.*verify\(\) first.*arrayBuffer/s)
  })

  test.each([
    ['a parsed body', { a: 1 }],
    ['no body, as null', null],
    ['an ArrayBuffer', new ArrayBuffer(1)],
    ['a promise', Promise.resolve(new Uint8Array(1))]
  ])('options.body: %s', (_, body) => {
    expect(() => fromFetchRequest(post(), { body: body as never })).toThrow(/not raw bytes.*arrayBuffer/s)
  })

  test.each([
    ['nothing', undefined],
    ["Node's request", { method: 'GET', url: '/', headers: { host: 'receiver.example' } }],
    ["Hono's context", { req: { raw: post() } }]
  ])('fromFetchRequest throws a TypeError for anything but a Request: %s', (_, request) => {
    expect(() => fromFetchRequest(request as never)).toThrow(/takes a Request: c\.req\.raw in Hono/)
  })
})

test('the mistake of a body that was read says why, and what to do', async () => {
  const request = new Request('https://receiver.example/', { method: 'POST', body: '{}' })
  expect(() => fromFetchRequest(request, { body: {} as never })).toThrow(
    /^options.body is an object and not raw bytes.*: pass new Uint8Array\(await request.arrayBuffer\(\)\)/
  )
  await request.json()
  expect(() => fromFetchRequest(request)).toThrow(
    /^fromFetchRequest\(\) got a Request without its body: .*already read.*options.body of fromFetchRequest\(\)/
  )
})
