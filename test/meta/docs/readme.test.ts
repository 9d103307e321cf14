import { expect, test } from 'vitest'
import { read } from './pages.ts'

const readme = read('README.md')

test('the README has at most 620 words', () => {
  expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(620)
})

test('its first commands work where the reader stands, in a clone', () => {
  const commands = [...readme.matchAll(/^```sh\n([^`]+)```$/gm)].map(([, command]) => command!.trim())
  expect(commands.slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test'])
})

test('it shows the two right forms of asking a verdict before the wrong one', () => {
  const places = ["if (verdict.status === 'verified')", 'assertVerified(verdict)', 'if (await verify(req))'].map(form =>
    readme.indexOf(form)
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})
