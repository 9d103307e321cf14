import type { Verdict } from 'signed-requests'
import { expect, test } from 'vitest'
import { asSigned } from '../src/target.ts'

const of = (target: string, scheme: string, covered: readonly string[]) =>
  signed({ target, https: true, headers: [] }, scheme, covered).target
const signed = (received: Parameters<typeof asSigned>[0], scheme: string, covered: readonly string[]) =>
  asSigned(received, { status: 'verified', scheme, coveredHeaders: covered } as unknown as Verdict)

test.each([
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

test('@target-uri: the path and query that were signed, in one form', () => {
  expect(of('https://receiver.example/hook?id=1', 'rfc9421', ['@target-uri'])).toBe('/hook?id=1')
  expect(of('/hook?', 'rfc9421', ['@target-uri'])).toBe('/hook?')
})

test('what was signed byte for byte goes on byte for byte', () => {
  const target = 'https://receiver.example/hook?'
  expect(of(target, 'rfc9421', ['@request-target', '@path', '@query'])).toBe(target)
  expect(of(target, 'draft-cavage', ['(request-target)'])).toBe(target)
})

test('where only @authority was signed, Host is in lower case and without the default port', () => {
  const host = (value: string, covered: readonly string[], https = true) =>
    signed({ target: '/', https, headers: [['hOst', value]] }, 'rfc9421', covered).headers
  expect(host('A.example:443', ['@authority'])).toEqual([['hOst', 'a.example']])
  expect(host('A.example:443', ['@authority'], false)).toEqual([['hOst', 'a.example:443']])
  expect(host('A.example:443', ['@authority', 'host'])).toEqual([['hOst', 'A.example:443']])
})
