import { expect, test } from 'vitest'
import { loadPage, withCodePages } from '../src/page-files.ts'

test('the page is four files, each with its type', () => {
  const files = [...loadPage()].map(([path, { type, bytes }]) => [path, type, bytes.toString().slice(0, 9)])
  expect(files).toEqual([
    ['/', 'text/html; charset=utf-8', '<!doctype'],
    ['/page.js', 'text/javascript; charset=utf-8', expect.any(String)],
    ['/page.css', 'text/css; charset=utf-8', expect.any(String)],
    ['/icon.svg', 'image/svg+xml; charset=utf-8', '<svg xmln']
  ])
})

const PAGE = '<body data-codes="">'

test.each([
  ['https://site.example', '<body data-codes="https://site.example/codes/">'],
  ['https://site.example/base/', '<body data-codes="https://site.example/base/codes/">'],
  ['javascript:alert(1)', PAGE],
  [undefined, PAGE]
])('with the site at %s the page begins with %s', (site, body) => expect(withCodePages(PAGE, site)).toBe(body))

test('the page has a place for the address of the pages of the codes', () => {
  expect(loadPage().get('/')!.bytes.toString()).toMatch(/<body data-codes="[^"]*">/)
})
