import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SENT, summaryOf } from '../../cli/captures/curl-facts.ts'
import { listen } from '../../support/listen.ts'
import { until } from '../../support/until.ts'

/** Holds the requests of the last command. */
let sent: { head: IncomingMessage; body: Buffer }[] = []
let folder: string
let stop: () => Promise<unknown>

beforeAll(async () => {
  const server = createServer({ insecureHTTPParser: true }, async (head, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of head) chunks.push(chunk)
    sent.push({ head, body: Buffer.concat(chunks) })
    response.end()
  })
  const port = await listen(server)
  stop = async () => server.close()
  folder = await mkdtemp(join(tmpdir(), 'curl-'))
  // Whatever host a command names, curl connects to this server.
  await writeFile(join(folder, '.curlrc'), `connect-to = "::127.0.0.1:${port}"\nmax-time = 20\n`)
  await writeFile(join(folder, 'body.txt'), 'a\nb\r\n')
})
afterAll(async () => {
  await stop()
  await rm(folder, { recursive: true })
})

/** Matches headers of the transfer, and headers that curl adds by itself, with its version. */
const LEFT_OUT =
  /^(?:accept: \*\/\*|user-agent: curl\/.*|(?:accept-encoding|connection|expect|http2-settings|upgrade):.*)$/i

test.each(SENT)('curl sends what the reader takes from: %s', async (command = '', head = '', body = '') => {
  sent = []
  await new Promise<void>(resolve => {
    const env = { PATH: process.env['PATH'], HOME: folder, CURL_HOME: folder, LANG: 'C.UTF-8' }
    const shell = execFile('bash', ['--norc', '-c', command], { cwd: folder, env }, () => resolve())
    shell.stdin?.end()
  })
  await until(() => sent.length > 0)
  const [{ head: received, body: bytes }] = sent as [(typeof sent)[0]]
  const { rawHeaders } = received
  const isFile = /body\.txt| -T /.test(command)
  const lines = rawHeaders
    .flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, rawHeaders[i + 1]!]] : []))
    .filter(line => !LEFT_OUT.test(line.join(': ')))
    .filter(([name]) => !isFile || name !== 'Content-Length' || command.includes(name))
  expect(summaryOf(received.method!, received.url!, lines)).toBe(head)
  if (!isFile) expect(bytes.toString('latin1')).toBe(body)
})
