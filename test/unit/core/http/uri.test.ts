import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLoopback, splitAbsoluteUrl } from '../../../../src/core/http/uri.ts'

test.each(['localhost', '127.0.0.1', '127.255.0.10', '[::1]'])('%s is this machine', hostname => {
  expect(isLoopback(hostname)).toBe(true)
})

test.each(['a.localhost', 'localhost.example', '128.0.0.1', 'a127.0.0.1', '127.0.0.1.example', '127.0.0', '[::2]'])(
  '%s is another machine',
  hostname => expect(isLoopback(hostname)).toBe(false)
)

test.each([
  ['https://a.example/hook?id=1', 'https', 'a.example', '/hook?id=1', undefined],
  ['HTTP://A.example:8080/%7e/../b', 'http', 'A.example:8080', '/%7e/../b', undefined],
  ['https://a.example', 'https', 'a.example', '/', undefined],
  ['https://a.example?id=1', 'https', 'a.example', '/?id=1', undefined],
  ['https://a.example#top', 'https', 'a.example', '/', '#top'],
  ['https://a.example/hook?a/b?c#d?e#f', 'https', 'a.example', '/hook?a/b?c', '#d?e#f'],
  ['https://user:secret@a.example//b', 'https', 'user:secret@a.example', '//b', undefined],
  ['https:///hook', 'https', '', '/hook', undefined]
])('%s is split where its parts meet, as they were written', (url, scheme, authority, target, fragment) => {
  expect(splitAbsoluteUrl(url)).toEqual({ scheme, authority, target, fragment })
})

test.each([
  '/hook',
  '//a.example/hook',
  '*',
  'a.example:443',
  'ftp://a.example/',
  'https:/a.example',
  ' https://a.example',
  ''
])('%j is not an absolute URL of http or https', url => expect(splitAbsoluteUrl(url)).toBeUndefined())

test('any absolute URL is split as RFC 3986 appendix B does, and nothing of it is lost', () => {
  const part = fc.string({ unit: fc.constantFrom(...'a/?#@:%[ \n') })
  fc.assert(
    fc.property(fc.constantFrom('http', 'https', 'hTTps'), part, (scheme, rest) => {
      const url = `${scheme}://${rest}`
      const [, , , , authority, path, query = '', , fragment] =
        /^(([^:/?#]+):)?(\/\/([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?/s.exec(url) ?? []
      const target = `${path || '/'}${query}`
      expect(splitAbsoluteUrl(url)).toEqual({ scheme: scheme.toLowerCase(), authority, target, fragment })
    })
  )
})
