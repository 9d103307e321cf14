import { expect, test } from 'vitest'
import { read } from './pages.ts'

const readme = read('README.md')

test('has at most 250 lines', () => expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(250))
test('has at most 12 KB', () => expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(12 * 1024))

test('shows the two right forms of asking a verdict before the wrong one', () => {
  const places = ["if (verdict.status === 'verified')", 'assertVerified(verdict)', 'if (await verify(req))'].map(form =>
    readme.indexOf(form)
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})
