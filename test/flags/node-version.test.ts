import { expect, test, vi } from 'vitest'
import { startOnNode } from '../../flags/node-version.ts'
import manifest from '../../package.json' with { type: 'json' }

const OLDEST = manifest.engines.node.replace('>=', '')
const [major, minor, patch] = OLDEST.split('.').map(Number) as [number, number, number]

/** Starts a command on this version of Node.js. */
function startOn(node: string) {
  const written: string[] = []
  const started = vi.fn(async () => {})
  const other = { versions: { node }, stderr: { write: (text: string) => written.push(text) }, exitCode: undefined }
  vi.stubGlobal('process', other)
  try {
    startOnNode('signed-requests', started)
  } finally {
    // At once: a message of the test runner that arrives meanwhile needs the real one.
    vi.unstubAllGlobals()
  }
  return { isStarted: started.mock.calls.length === 1, written, exitCode: other.exitCode }
}

test.each([
  OLDEST,
  `${major}.${minor}.${patch + 1}`,
  `${major}.${minor + 1}.0`,
  `${major + 1}.0.0`,
  `${major + 80}.0.0`
])('a command starts on Node.js %s', node => {
  expect(startOn(node)).toEqual({ isStarted: true, written: [], exitCode: undefined })
})

test.each([`${major}.${minor}.${patch - 1}`, `${major}.${minor - 1}.${patch + 1}`, `${major - 1}.99.99`, '9.0.0'])(
  'a command says in one line that Node.js %s is too old, and ends with 64',
  node => {
    const line = `signed-requests: this is Node.js ${node}, and Node.js ${OLDEST} or later is needed\n`
    expect(startOn(node)).toEqual({ isStarted: false, written: [line], exitCode: 64 })
  }
)
