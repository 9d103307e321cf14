import type { IncomingMessage } from 'node:http'
import type { Verdict } from 'signed-requests'
import { describe, expect, it } from 'vitest'
import { asSigned, whyNotForwardable } from '../src/target.ts'

const request = (url: string, hosts: readonly string[], method = 'POST') =>
  ({
    ...{ url, method, httpVersion: '1.1', headers: {} },
    headersDistinct: { ...(hosts.length > 0 && { host: hosts }) }
  }) as unknown as IncomingMessage

describe('whyNotForwardable', () => {
  it.each([
    ['/hook?id=1#x', 'receiver.example'],
    ['//other.example/hook', 'receiver.example'],
    ['/', ''],
    ['http://receiver.example/hook', 'receiver.example'],
    ['http://Receiver.Example:80/hook?a', 'receiver.EXAMPLE'],
    ['https://receiver.example?a', 'receiver.example:443'],
    ['http://receiver.example:8443', 'receiver.example:8443'],
    ['http://[::1]:8080/', '[::1]:8080']
  ])('takes %s with Host %s', (target, host) => {
    expect(whyNotForwardable(request(target, [host]))).toBeUndefined()
  })

  it.each([
    ['http://other.example/hook', ['receiver.example']],
    ['http://receiver.example@other.example/hook', ['receiver.example']],
    ['http://user@receiver.example/hook', ['receiver.example']],
    ['http://receiver.example:81/hook', ['receiver.example']],
    ['http://receiver.example:443/hook', ['receiver.example']],
    ['http://receiver.example/hook', []],
    ['http://receiver.example/hook', ['receiver.example', 'receiver.example']],
    ['http://receiver.example/hook', ['other.example', 'receiver.example']],
    ['ftp://receiver.example/hook', ['receiver.example']],
    ['http:///hook', ['']],
    ['http:receiver.example', ['receiver.example']],
    ['receiver.example:443', ['receiver.example:443']],
    ['*', ['receiver.example']],
    ['*a', ['receiver.example']],
    ['', ['receiver.example']]
  ])('refuses %s with Host %j', (target, hosts) => {
    expect(whyNotForwardable(request(target, hosts))).toBe('target')
  })

  it.each([
    ['1.1', undefined, undefined],
    ['1.1', 'chunked', undefined],
    ['1.0', undefined, undefined],
    ['1.0', 'chunked', 'framing'],
    ['0.9', undefined, 'framing'],
    ['2.0', undefined, 'framing']
  ])('HTTP/%s with Transfer-Encoding %s: %s', (httpVersion, coding, expected) => {
    const headers = { 'transfer-encoding': coding }
    expect(whyNotForwardable({ url: '/', httpVersion, headers } as unknown as IncomingMessage)).toBe(expected)
  })
})

describe('asSigned', () => {
  const of = (target: string, scheme: string, covered: readonly string[]) =>
    signed({ target, https: true, headers: [] }, scheme, covered).target
  const signed = (received: Parameters<typeof asSigned>[0], scheme: string, covered: readonly string[]) =>
    asSigned(received, { status: 'verified', scheme, coveredHeaders: covered } as unknown as Verdict)

  it.each([
    ['/hook?id=1', '/hook?id=1'],
    ['https://receiver.example/hook?id=1', '/hook?id=1'],
    ['/hook', '/hook'],
    ['/hook?', '/hook'],
    ['https://receiver.example/hook?', '/hook'],
    ['https://receiver.example', '/'],
    ['https://receiver.example?id=1', '/?id=1'],
    ['/hook??', '/hook??']
  ])('@path and @query: %s goes on as %s', (target, expected) => {
    expect(of(target, 'rfc9421', ['@method', '@path', '@query'])).toBe(expected)
  })

  it('@target-uri: the path and query that were signed, in one form', () => {
    expect(of('https://receiver.example/hook?id=1', 'rfc9421', ['@target-uri'])).toBe('/hook?id=1')
    expect(of('/hook?', 'rfc9421', ['@target-uri'])).toBe('/hook?')
  })

  it('what was signed byte for byte goes on byte for byte', () => {
    const target = 'https://receiver.example/hook?'
    expect(of(target, 'rfc9421', ['@request-target', '@path', '@query'])).toBe(target)
    expect(of(target, 'draft-cavage', ['(request-target)'])).toBe(target)
  })

  it('where only @authority was signed, Host is in lower case and without the default port', () => {
    const host = (value: string, covered: readonly string[], https = true) =>
      signed({ target: '/', https, headers: [['hOst', value]] }, 'rfc9421', covered).headers
    expect(host('A.example:443', ['@authority'])).toEqual([['hOst', 'a.example']])
    expect(host('A.example:443', ['@authority'], false)).toEqual([['hOst', 'a.example:443']])
    expect(host('A.example:443', ['@authority', 'host'])).toEqual([['hOst', 'A.example:443']])
  })
})
