import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI } from '../../support/cli.ts'
import { runProcess } from '../../support/run-process.ts'

const SIZE = 15_900_000
const DIGEST = `Digest: SHA-256=${'A'.repeat(43)}=\r\n`

/** The parts that shapes are made of: each ends up many times in a file, alone and together with the others. */
const HEADS = {
  'no length': `POST / HTTP/1.1\r\n${DIGEST}\r\n`,
  'a length of 1': `POST / HTTP/1.1\r\n${DIGEST}Content-Length: 1\r\n\r\n`,
  'a length of 0': `POST / HTTP/1.1\r\n${DIGEST}Content-Length: 0\r\n\r\n`,
  'a length beyond the file': `POST / HTTP/1.1\r\n${DIGEST}Content-Length: 99999999\r\n\r\n`,
  chunks: `POST / HTTP/1.1\r\n${DIGEST}Transfer-Encoding: chunked\r\n\r\n`,
  'pseudo-headers': `:method: POST\r\n:path: /\r\ndigest: SHA-256=${'A'.repeat(43)}=\r\ncontent-length: 1\r\n\r\n`,
  'curl -v': `> POST / HTTP/1.1\n> ${DIGEST}> \n`,
  JSON: `{"method":"POST","url":"/","headers":{"digest":"SHA-256=${'A'.repeat(43)}="},"body":{"a":`
} as const
const BODIES = {
  nothing: '',
  'two bytes': 'ab',
  'one chunk': '1\r\na\r\n0\r\n\r\n',
  'chunks without an end': '1\r\na\r\n',
  'a parsed body': '[1,2,3]}}\n',
  'a line': `${'x'.repeat(1000)}\n`
} as const
const HEAD_COUNTS = [1, 2000]

const SHAPES = Object.entries(HEADS).flatMap(([head, start]) =>
  Object.entries(BODIES).flatMap(([body, end]) =>
    HEAD_COUNTS.map(count => {
      const unit = start + end
      // Many requests, and then one body that reaches to the end of the file.
      const requests = unit.repeat(count)
      const rest = Buffer.alloc(Math.max(SIZE - requests.length, 0), end || 'x')
      return [`${count} of ${head} with ${body}`, Buffer.concat([Buffer.from(requests), rest])] as const
    })
  )
)
const ALL_ALONE = Object.entries(HEADS).map(
  ([head, start]) => [`${head}, again and again`, Buffer.alloc(SIZE, start)] as const
)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shapes-'))
})
afterAll(() => rm(folder, { recursive: true }))

const ARGS = '--domain service.example --host receiver.example --account 1234 --dns-server 127.0.0.1:9'.split(' ')

/** Prints the processor time in milliseconds, which other processes of the machine do not change. */
const METER = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  process.stderr.write('\\n' + (userCPUTime + systemCPUTime) / 1000)
})`

test.each([...SHAPES, ...ALL_ALONE])('16 MB take at most 5 seconds: %s', async (_, content) => {
  const file = join(folder, 'shape')
  await writeFile(file, content)
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(METER)}` }
  const { code, stderr } = await runProcess(CLI, ['explain', file, ...ARGS], '', env)
  expect([0, 1, 2, 64]).toContain(code)
  expect(Number(/\n([\d.]+)$/.exec(stderr)?.[1])).toBeLessThan(5000)
})
