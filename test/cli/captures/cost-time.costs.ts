import { expect, test } from 'vitest'
import { parseHttp } from '../../../cli/captures/http.ts'
import { parseTcpdump } from '../../../cli/captures/programs.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const POST = 'POST / HTTP/1.1\r\n'
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`

test.each([
  ['one line', 'a'.repeat(2_000_000)],
  ['a header line', `${POST}X: ${'a'.repeat(2_000_000)}`],
  ['header lines', `${POST}${'a:b\n'.repeat(200_000)}`],
  ['methods', `${'GET '.repeat(200_000)}\nGET / HTTP/1.1`],
  ['a body', `${POST}\r\n${'\n'.repeat(2_000_000)}`],
  ['chunks', `${CHUNKED}${'1\na\n'.repeat(200_000)}`],
  ['a chunk size', `${CHUNKED}${'1'.repeat(2_000_000)}`]
])('two megabytes of HTTP are read in time: %s', async (_, text) => {
  expect(await cpuTime(() => void parseHttp(Buffer.from(text, 'latin1')))).toBeLessThan(600)
})

test('four megabytes of tcpdump are read in time', async () => {
  const start = '17:47:58.245410 '
  const ends = ') a > b: [] '.repeat(20_000)
  for (const file of [start.repeat(200_000), `${start}IP a > b: `.repeat(200_000), `${start}IP (${ends}`])
    expect(await cpuTime(() => parseTcpdump(file))).toBeLessThan(1000)
})
