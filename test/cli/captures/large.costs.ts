import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI } from '../../support/cli.ts'
import { runProcess } from '../../support/run-process.ts'

const ARGS = '--domain service.example --host receiver.example --account 1234 --dns-server 127.0.0.1:9'.split(' ')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'large-'))
})
afterAll(() => rm(folder, { recursive: true }))

const MB = 1_000_000
const fill = (start: string, unit: string, end = '', size = 15 * MB): Buffer =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(size, unit), Buffer.from(end)])
const CURL = 'curl https://a.example '
const POST = '{"method":"POST","url":"/","headers":{"digest":"SHA-256=AAAA"},"body":'

/** Each has 15 MB that a parser could split into millions of pieces, or follow to any depth. */
const LARGE: readonly (readonly [name: string, Buffer])[] = [
  ['open arrays', fill('', '[')],
  ['empty arrays', fill('[', '[],', '[]]')],
  ['a string without an end', fill('{"a":"', 'x')],
  ['a parsed body beyond Latin-1', fill(`${POST}{"a":"`, '\u20ac', '"}}')],
  ['one quote', fill(`${CURL}-d '`, 'x')],
  ['quotes of three kinds', fill(CURL, `'a"\\`)],
  ['options of curl, as many as are read', fill(CURL, "-H 'a: b' ", '', 2_400_000)],
  ['lines of curl -v', fill('', '> \n')],
  ['fields as a browser copies them', fill(':method\nGET\n:path\n/\n', 'a\nb\n')],
  ['chunks', fill('POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n')]
]

/**
 * Prints the processor time in milliseconds, and the most memory in kilobytes. On Linux, `maxRSS` has the memory of the
 * process that started this one, too.
 */
const METER = `import { existsSync, readFileSync } from 'node:fs'
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const status = '/proc/self/status'
  const memory = existsSync(status) ? /VmHWM:\\s+(\\d+)/.exec(readFileSync(status, 'utf8'))[1] : maxRSS
  process.stderr.write('\\n' + [(userCPUTime + systemCPUTime) / 1000, memory].join(' '))
})`

test.each(LARGE)('15 MB of %s take at most 3 seconds and 300 MB', async (_, content) => {
  const file = join(folder, 'hostile')
  await writeFile(file, content)
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(METER)}` }
  const { code, stdout, stderr } = await runProcess(CLI, ['explain', file, ...ARGS], '', env)
  const [, output = '', time, memory] = /^([\s\S]*)\n([\d.]+) (\d+)$/.exec(stderr) ?? []
  expect([1, 64]).toContain(code)
  expect(stdout + output).toMatch(code === 64 ? /^signed-requests: [^\n]+\n$/ : /^rejected: /)
  expect(Number(time)).toBeLessThan(3000)
  expect(Number(memory)).toBeLessThan(300_000)
})
