import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { read } from './docs/pages.ts'

const [, parts = ''] = /\$\{@:-([a-z ]+)\}/.exec(read('.ci/run')) ?? []

test('ci.yml, which is also the gate of a release, runs every part of .ci/run', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml'))
  // These run on each version of Node.js.
  const everywhere = jobs.test.steps.map(({ run = '' }) => run)
  expect(everywhere).toEqual(expect.arrayContaining(['npm test', 'npm run test:frameworks']))
  expect(['test', 'frameworks', ...jobs.part.strategy.matrix.part].sort()).toEqual(parts.split(' ').sort())
})

test('test/README.md says what every part of .ci/run shows', () => {
  const named = [...read('test/README.md').matchAll(/\| `(\w+)`[^|]*\|$/gm)].map(([, name]) => name)
  expect([...new Set(named)].sort()).toEqual(parts.split(' ').sort())
})
