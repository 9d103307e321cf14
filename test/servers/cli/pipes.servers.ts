import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FORMATS } from '../../cli/captures/build.ts'
import { EXPLAIN, RECEIVER } from '../../support/explain.ts'
import { runInside } from '../../support/run-cli.ts'
import { service } from '../../support/service.ts'

// Node.js cannot make a named pipe; the program mkfifo can.

const signed = service.sign({ target: '/hook', body: '{"a":1}' })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipes-'))
})
afterAll(() => rm(folder, { recursive: true }))

test.each([
  ['FILE', ['explain', 'PLACE', ...RECEIVER]],
  ['--body', [...EXPLAIN, '--body', 'PLACE']],
  ['--key', ['send', 'http://127.0.0.1:9/', '--key', 'PLACE']],
  ['--data', ['send', 'http://127.0.0.1:9/', '--data', '@PLACE']]
])('says in one line that a directory, or a pipe that nobody writes to, gives nothing: %s', async (option, args) => {
  const pipe = join(folder, `pipe${option}`)
  execFileSync('mkfifo', [pipe])
  const read = async (place: string) => {
    const command = args.map(arg => arg.replace('PLACE', place))
    const { code, stderr } = await runInside(command, 'GET / HTTP/1.1\r\n\r\n')
    expect([code, stderr]).toEqual([64, expect.stringMatching(/^signed-requests: [^\n]+\n$/)])
    return stderr
  }
  // A recorder's directory is a FILE of explain; this one has no file of a recorder.
  if (option !== 'FILE') expect(await read(folder)).toContain(`cannot read ${folder} (${option}): EISDIR`)
  expect(await read(pipe)).toContain(`cannot read ${pipe} (${option}): this pipe sent nothing`)
})

test('reads a pipe that somebody writes to', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const [{ code, stdout }] = await Promise.all([
    runInside(['explain', pipe, ...EXPLAIN.slice(1)]),
    writeFile(pipe, FORMATS[0]!.write(signed))
  ])
  expect([code, stdout]).toEqual([0, expect.stringContaining('verified: ')])
})
