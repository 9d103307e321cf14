import { expect, test } from 'vitest'
import { read } from './pages.ts'

const readme = read('README.md')

test('the README says on its first screen for whom it is, for whom not, and how to start', () => {
  const screen = readme.split('\n').slice(0, 32).join('\n')
  for (const text of ['**For you if**', '**Not for you if**', '**PHP, Python, Ruby, Go**', 'npm install']) {
    expect(screen).toContain(text)
  }
})

test('the README shows the two right forms of asking a verdict before the wrong one', () => {
  const places = ["if (verdict.status === 'verified')", 'assertVerified(verdict)', 'if (await verify(req))'].map(form =>
    readme.indexOf(form)
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})
