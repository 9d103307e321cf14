import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXPLAIN, headOf } from '../../support/explain.ts'
import { runInside } from '../../support/run-cli.ts'
import { FORMATS } from './build.ts'
import { HOSTILE, signed } from './hostile-captures.ts'

const checkOutput = (finished: { code: number | null; stdout: string; stderr: string }) => {
  expect(finished.stdout).toMatch(/^[\n -~]*$/)
  expect(finished.stderr).toMatch(/^[\n -~]*$/)
  expect(finished.stdout + finished.stderr).not.toMatch(
    /^ +at .*:\d+|node:internal|TypeError|RangeError|Cannot read|is not iterable|is not a function/m
  )
  expect([0, 1, 2, 64]).toContain(finished.code)
  if (finished.code === 64) expect(finished.stderr).toMatch(/(?:^|\n)signed-requests: [^\n]+\n$/)
}

test.each(HOSTILE)('a hostile capture is refused or escaped, in linear time: %s', async (_, content) => {
  checkOutput(await runInside(EXPLAIN, content))
  if (content.length > 1_000_000) return // the same captures once more, for seconds
  const asJson = await runInside([...EXPLAIN, '--json'], content)
  checkOutput(asJson)
  if (asJson.code !== 64) expect(JSON.parse(asJson.stdout)).toHaveProperty('status')
})

test('escapes in JSON output decode to the original characters', async () => {
  const { write } = FORMATS.find(({ name }) => name === 'a JSON export with headers as pairs')!
  const host = 'a\x1b\x9b\x7f\u202e'
  const file = write({ ...signed, headers: [['Host', host], ...signed.headers.slice(1)] })
  const { stdout } = await runInside([...EXPLAIN, '--json'], file)
  expect(stdout).toContain('a\\u001b\\u009b\\u007f\\u202e')
  expect(JSON.parse(stdout).checks.host.evidence.received).toBe(host)
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('refuses a capture of more than 16 MB, of which the rest may be what matters', async () => {
  const file = join(folder, 'large.http')
  await writeFile(file, `${headOf(signed)}{"a":1}`)
  await truncate(file, 300_000_000)
  for (const name of [file, '/dev/zero']) {
    const message = `${name} (FILE) is larger than 16 MB: save the one request in a file of its own`
    expect(await runInside([...EXPLAIN, name])).toEqual({
      code: 64,
      stdout: '',
      stderr: `signed-requests: ${message}\n`
    })
  }
})

test.each([
  ['/dev/zero (--body)', ['explain', ...EXPLAIN.slice(1), '--body', '/dev/zero']],
  ['/dev/zero (--data)', ['send', 'http://127.0.0.1:9/', '--data', '@/dev/zero']],
  ['/dev/zero (--key)', ['send', 'http://127.0.0.1:9/', '--key', '/dev/zero']]
])('never takes the beginning of a body or a key for all of it: %s', async (file, args) => {
  const { code, stderr } = await runInside(args, 'GET / HTTP/1.1\r\n\r\n')
  expect([code, stderr]).toEqual([64, `signed-requests: ${file} is larger than 16 MB\n`])
})
