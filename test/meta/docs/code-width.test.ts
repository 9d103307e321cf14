import { expect, test } from 'vitest'
import { longLines } from './code-width.ts'
import { CODE_PAGES, PAGES } from './pages.ts'

test.each([...PAGES, ...CODE_PAGES])('the code on %s can be read without scrolling', page =>
  expect(longLines(page)).toEqual([])
)
