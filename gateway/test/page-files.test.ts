import { expect, test } from 'vitest'
import { loadPage } from '../src/page-files.ts'

test('the page is four files, each with its type', () => {
  const files = [...loadPage()].map(([path, { type, bytes }]) => [path, type, bytes.toString().slice(0, 9)])
  expect(files).toEqual([
    ['/', 'text/html; charset=utf-8', '<!doctype'],
    ['/page.js', 'text/javascript; charset=utf-8', expect.any(String)],
    ['/page.css', 'text/css; charset=utf-8', expect.any(String)],
    ['/icon.svg', 'image/svg+xml; charset=utf-8', '<svg xmln']
  ])
})
