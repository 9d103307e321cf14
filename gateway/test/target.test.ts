import type { IncomingMessage } from 'node:http'
import type { Verdict } from 'signed-requests'
import { expect, test } from 'vitest'
import { asSigned, whyNotForwardable } from '../src/target.ts'

const signed = (received: Parameters<typeof asSigned>[0], scheme: string, covered: readonly string[]) =>
  asSigned(received, { status: 'verified', scheme, coveredHeaders: covered } as unknown as Verdict)
const of = (target: string, scheme: string, covered: readonly string[]) =>
  signed({ target, https: true, headers: [] }, scheme, covered).target

const PATH = ['@method', '@path', '@query']
test.each([
  ['/hook?id=1', PATH, '/hook?id=1'],
  ['https://receiver.example/hook?id=1', PATH, '/hook?id=1'],
  ['/hook', PATH, '/hook'],
  ['/hook?', PATH, '/hook'],
  ['https://receiver.example/hook?', PATH, '/hook'],
  ['https://receiver.example', PATH, '/'],
  ['https://receiver.example?id=1', PATH, '/?id=1'],
  ['/hook??', PATH, '/hook??'],
  ['https://receiver.example/hook?id=1', ['@target-uri'], '/hook?id=1'],
  ['/hook?', ['@target-uri'], '/hook?']
])('%s, of which %j is signed, goes on as %s', (target, covered, expected) => {
  expect(of(target, 'rfc9421', covered)).toBe(expected)
})

test('what was signed byte for byte goes on byte for byte', () => {
  const target = 'https://receiver.example/hook?'
  expect(of(target, 'rfc9421', ['@request-target', '@path', '@query'])).toBe(target)
  expect(of(target, 'draft-cavage', ['(request-target)'])).toBe(target)
})

test('Host is in lower case and without the default port if only @authority was signed', () => {
  const host = (value: string, covered: readonly string[], https = true) =>
    signed({ target: '/', https, headers: [['hOst', value]] }, 'rfc9421', covered).headers
  expect(host('A.example:443', ['@authority'])).toEqual([['hOst', 'a.example']])
  expect(host('A.example:443', ['@authority'], false)).toEqual([['hOst', 'a.example:443']])
  expect(host('A.example:443', ['@authority', 'host'])).toEqual([['hOst', 'A.example:443']])
})

test.each([
  ['/hook', undefined],
  ['https://a.example/hook', undefined],
  ['http://A.example:80/hook', undefined],
  ['https://a.example:80/hook', 'target'],
  ['https://b.example/hook', 'target'],
  ['https://user@a.example/hook', 'target'],
  ['https:///hook', 'target'],
  ['HTTPS://a.example/hook', 'target'],
  ['*', 'target']
])('a request for Host a.example with the target %s cannot be forwarded because of: %s', (url, reason) => {
  const head = { url, httpVersion: '1.1', headers: {}, headersDistinct: { host: ['a.example'] } }
  expect(whyNotForwardable(head as unknown as IncomingMessage)).toBe(reason)
})

test('a request whose target and Host are both without a name cannot be forwarded', () => {
  const head = { url: 'https:///hook', httpVersion: '1.1', headers: {}, headersDistinct: { host: [''] } }
  expect(whyNotForwardable(head as unknown as IncomingMessage)).toBe('target')
})
