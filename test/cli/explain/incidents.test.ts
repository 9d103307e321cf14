import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVerifier, logRecord, type ReceivedRequest, type VerifierOptions } from '../../../src/index.ts'
import { createRecorder } from '../../../src/recorder/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { runInside } from '../../support/run-cli.ts'
import { service } from '../../support/service.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'incidents-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const START = Date.parse('2026-11-24T03:00:00.000Z')
const minute = (count: number) => new Date(START + count * 60_000)
const SCAN: ReceivedRequest = { method: 'GET', target: '/.env', headers: [['Host', 'x']], body: null, https: true }
const forger = createTestService()

/** Verifies a request at this minute, and returns the record that a receiver logs. */
async function recordOf(request: ReceivedRequest, at: number, options: Partial<VerifierOptions> = {}) {
  const verify = createVerifier({ ...service.options, now: () => minute(at).getTime(), ...options })
  return JSON.parse(JSON.stringify(logRecord(await verify(request))))
}
const good = (at: number) => recordOf(service.sign({ body: '{}', date: minute(at) }), at)
const otherBody = (at: number) => recordOf({ ...service.sign({ body: '{}', date: minute(at) }), body: '[]' }, at)
const unknownKey = (at: number) =>
  recordOf(service.sign({ date: minute(at) }), at, { lookupTxt: async () => Promise.reject({ code: 'ENOTFOUND' }) })
const otherHost = (at: number) => recordOf(service.sign({ date: minute(at) }), at, { hosts: 'another.example' })
const otherAccount = (at: number) => recordOf(service.sign({ date: minute(at) }), at, { accounts: '99' })
const scan = (at: number) => recordOf(SCAN, at)

const lineOf = (record: object, at: number) => JSON.stringify({ time: minute(at), ...record })
const explainLog = (lines: readonly string[], ...args: string[]) =>
  runInside(['explain', '--json', ...args], lines.map(line => `${line}\n`).join(''))

describe('a log', () => {
  test('has one group for each code, signer and key, host or account, the largest of the published key first', async () => {
    const lines = [
      lineOf(await good(0), 0),
      lineOf(await scan(1), 1),
      lineOf(await otherHost(2), 2),
      lineOf(await unknownKey(3), 3),
      lineOf(await unknownKey(4), 4),
      lineOf(await otherAccount(5), 5),
      lineOf(await otherBody(6), 6),
      lineOf(await good(7), 7),
      lineOf(await otherHost(8), 8)
    ]
    const { code, stdout } = await explainLog(lines)
    expect(code).toBe(1)
    const { groups, explained, ...counts } = JSON.parse(stdout)
    expect(groups).toMatchObject([
      { code: 'digest-mismatch', signer: 'key', count: 1, verifiedBefore: 1, verifiedSince: 1 },
      { code: 'host-mismatch', host: 'receiver.example', count: 2 },
      {
        ...{ code: 'key-not-found', signer: 'claimed', count: 2, key: 'key1._domainkey.service.example' },
        ...{ first: '2026-11-24T03:03:00Z', last: '2026-11-24T03:04:00Z' }
      },
      { code: 'account-mismatch', account: '1234', count: 1 }
    ])
    expect(counts).toEqual({ verified: 2, unsigned: 1, forged: 0, undated: 0 })
    expect(explained).toMatchObject({ code: 'digest-mismatch', causes: expect.any(Array) })
  })

  test('ends with 0 where nothing that claims to be from the service was refused', async () => {
    const forged = { ...(await recordOf(forger.sign({ date: minute(1) }), 1)), madeByKey: false }
    expect(forged).toMatchObject({ code: 'signature-mismatch', signedUnderDomain: true })
    const lines = [lineOf(await good(0), 0), lineOf(await scan(1), 1), lineOf(forged, 1)]
    const { code, stdout } = await explainLog(lines)
    expect([code, JSON.parse(stdout)]).toEqual([0, { groups: [], verified: 1, unsigned: 1, forged: 1, undated: 0 }])
    for (const madeByKey of [true, undefined])
      expect((await explainLog([...lines, lineOf({ ...forged, madeByKey }, 2)])).code).toBe(1)
  })

  const WRAPPERS: readonly (readonly [name: string, wrap: (record: object) => string])[] = [
    ['pino', record => JSON.stringify({ level: 40, time: START, pid: 1, hostname: 'a', ...record, msg: 'refused' })],
    ['winston', record => JSON.stringify({ level: 'warn', message: 'refused', ...record, timestamp: minute(0) })],
    ['winston, as the message', record => JSON.stringify({ level: 'warn', message: record, timestamp: minute(0) })],
    [
      'winston, as metadata',
      record => JSON.stringify({ level: 'warn', message: 'refused', metadata: record, timestamp: minute(0) })
    ],
    ['pino, a serializer', record => JSON.stringify({ level: 40, time: START, verdict: record, msg: 'refused' })],
    ['bunyan', record => JSON.stringify({ name: 'a', level: 40, ...record, msg: '', time: minute(0), v: 0 })],
    ['Docker', record => JSON.stringify({ log: `${JSON.stringify(record)}\n`, stream: 'stderr', time: minute(0) })],
    ['docker compose logs -t', record => `app-1  | ${minute(0).toISOString()} ${JSON.stringify(record)}`],
    ['Kubernetes', record => `2026-11-24T03:00:00.000000123Z stderr F ${JSON.stringify(record)}`],
    [
      'journalctl -o json',
      record => JSON.stringify({ __REALTIME_TIMESTAMP: `${START}000`, MESSAGE: JSON.stringify(record) })
    ],
    ['journalctl -o short-iso', record => `2026-11-24T03:00:00+0000 host app[7]: ${JSON.stringify(record)}`],
    [
      'CloudWatch, aws logs tail',
      record => `2026-11-24T03:00:00.000000+00:00 2026/11/24/[$LATEST]0a ${JSON.stringify(record)}`
    ],
    ['CloudWatch, a line of Lambda', record => `2026-11-24T03:00:00.000Z\t0a-1\tWARN\t${JSON.stringify(record)}`],
    ['CloudWatch, JSON of Lambda', record => JSON.stringify({ timestamp: minute(0), level: 'WARN', message: record })],
    [
      'CloudWatch, filter-log-events',
      record => JSON.stringify({ events: [{ timestamp: START, message: JSON.stringify(record) }] })
    ],
    [
      'CloudWatch, an export on several lines',
      record => `            "message": ${JSON.stringify(`${minute(0).toISOString()} ${JSON.stringify(record)}`)},`
    ],
    [
      'CloudWatch, an array of texts on several lines',
      record => `    ${JSON.stringify(`${minute(0).toISOString()}\t${JSON.stringify(record)}\n`)},`
    ],
    ['an array on one line', record => JSON.stringify([{ message: record, timestamp: minute(0) }])],
    ['Cloud Logging', record => JSON.stringify({ insertId: 'a', jsonPayload: record, timestamp: minute(0) })],
    ['Cloud Logging, text', record => JSON.stringify({ textPayload: JSON.stringify(record), timestamp: minute(0) })]
  ]

  test.each(WRAPPERS)('is read as a logger wraps its lines: %s', async (_, wrap) => {
    const { code, stdout } = await explainLog([wrap(await otherBody(0)), 'another line', wrap(await good(0))])
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { verified: 1, groups: [{ code: 'digest-mismatch', count: 1, first: '2026-11-24T03:00:00Z' }] }
    ])
  })

  test('with --since leaves out earlier requests, and those of which nobody knows the time', async () => {
    const lines = [lineOf(await otherBody(0), 0), lineOf(await otherBody(10), 10), JSON.stringify(await otherBody(10))]
    const { stdout } = await explainLog(lines, '--since', '2026-11-24T03:05:00Z')
    expect(JSON.parse(stdout)).toMatchObject({ groups: [{ count: 1, first: '2026-11-24T03:10:00Z' }], undated: 1 })
    const now = lineOf(await otherBody(0), (Date.now() - START) / 60_000 - 30)
    for (const [since, count] of [
      ['90s', 0],
      ['10m', 0],
      ['12h', 1],
      ['7d', 1]
    ] as const)
      expect([since, JSON.parse((await explainLog([now], '--since', since)).stdout).groups.length]).toEqual([
        since,
        count
      ])
  })

  test.each(['yesterday', '10', '-5m', '5w', ''])('--since=%s is a mistake', async since => {
    const { code, stderr } = await explainLog([lineOf(await good(0), 0)], `--since=${since}`)
    expect([code, stderr]).toEqual([64, expect.stringContaining('--since')])
  })

  test('--since is a mistake beside one request', async () => {
    expect((await runInside(['explain', '--since', '1h'], 'GET / HTTP/1.1\r\n\r\n')).code).toBe(64)
  })

  test('shows the first cause and fix that the log has for a group', async () => {
    const advice = {
      cause: 'a proxy or router stripped /hooks from the path',
      fix: 'Restore it: \x1b[31m--prefix /hooks.'
    }
    const lines = [lineOf(await otherBody(0), 0), lineOf({ ...(await otherBody(1)), ...advice }, 1)]
    expect(JSON.parse((await explainLog(lines)).stdout).groups).toMatchObject([{ count: 2, ...advice }])
    const { stdout } = await runInside(['explain'], lines.join('\n'))
    expect(stdout).toMatch(/^[\n -~]*$/)
    expect(stdout).toContain(advice.cause)
    expect(stdout).toContain('--prefix /hooks')
  })

  test('adds what the log left out', async () => {
    const { stdout } = await explainLog([lineOf({ ...(await otherBody(0)), leftOut: 41 }, 0)])
    expect(JSON.parse(stdout).groups).toMatchObject([{ count: 42 }])
  })

  test('says how many lines the gateway could not write', async () => {
    const lines = [lineOf(await good(0), 0), '{"droppedLines":41}', 'GET /?{"droppedLines":9}', '{"droppedLines":1}']
    expect(JSON.parse((await explainLog(lines)).stdout)).toMatchObject({ verified: 1, dropped: 42 })
    expect((await runInside(['explain'], lines.join('\n'))).stdout).toContain('42 lines')
  })

  test('of any number of key names keeps at most 500 groups, and pushes out none of the published key', async () => {
    const claimed = await unknownKey(0)
    const lines = Array.from({ length: 3000 }, (_, i) =>
      lineOf({ ...claimed, claimedKeyId: `k${i}._domainkey.service.example` }, 0)
    )
    const { stdout } = await explainLog([...lines, lineOf(await otherBody(1), 1)])
    const { groups } = JSON.parse(stdout)
    expect(groups).toHaveLength(502)
    expect(groups[0]).toMatchObject({ code: 'digest-mismatch', signer: 'key' })
    expect(groups[1]).toMatchObject({ code: 'key-not-found', count: 2500 })
    expect(groups[1]).not.toHaveProperty('key')
  })

  test('shows nothing of a sender that a terminal could act on', async () => {
    const record = { ...(await unknownKey(0)), claimedKeyId: 'a\x1b[31m\nok\u202e' }
    const { stdout } = await runInside(['explain'], `${lineOf(record, 0)}\n`)
    expect(stdout).toMatch(/^[\n -~]*$/)
    expect(stdout).toContain('key a\\x1b[31m\\x0aok\\xe2\\x80\\xae\n')
    expect(stdout).not.toContain('signed-requests key a')
  })

  test.each([
    { status: 'rejected', codes: ['x'], signedUnderDomain: 'yes' },
    { status: 'other', codes: [], signedUnderDomain: true },
    { status: 'rejected', codes: 'x', signedUnderDomain: true },
    { status: 'rejected', codes: ['\x1b[31m'], signedUnderDomain: true }
  ])('does not take other lines for records: %j', async other => {
    const { stdout } = await explainLog([
      lineOf(await good(0), 0),
      JSON.stringify(other),
      `${'{"a":'.repeat(9)}"codes"`
    ])
    expect(JSON.parse(stdout)).toMatchObject({ groups: [], verified: 1, unsigned: 0 })
  })

  test('has no record in text that a sender may have written', async () => {
    const record = JSON.stringify({ ...(await otherBody(0)), time: minute(0) })
    const planted = [
      JSON.stringify({ level: 'info', url: `/?${record}`, headers: { 'user-agent': record, referer: ` ${record}` } }),
      JSON.stringify({ message: `not found: /?${record}` }),
      JSON.stringify({ req: { body: JSON.parse(record), query: [JSON.parse(record)] }, msg: 'codes' }),
      `GET /?${record} 404`,
      `GET /?${record}`,
      `203.0.113.7 - - [24/Nov/2026] "GET / HTTP/1.1" 404 "-" "Mozilla/5.0 ${record}"`
    ]
    const { code, stdout } = await explainLog([lineOf(await good(0), 0), ...planted])
    expect([code, JSON.parse(stdout)]).toEqual([0, { groups: [], verified: 1, unsigned: 0, forged: 0, undated: 0 }])
  })

  test('of any number of codes keeps a bounded number of groups, and of any value a bounded length', async () => {
    const record = await otherBody(0)
    const codes = ['constructor', '__proto__', 'to-string', ...Array.from({ length: 3000 }, (_, i) => `code-${i}`)]
    const long = lineOf({ ...(await unknownKey(0)), claimedKeyId: 'k'.repeat(100_000) }, 0)
    const { stdout } = await explainLog([...codes.map(code => lineOf({ ...record, code }, 0)), long])
    const { groups } = JSON.parse(stdout)
    expect(groups.length).toBeLessThan(300)
    expect(groups.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(3003)
    expect(stdout.length).toBeLessThan(60_000)
    const asText = await runInside(['explain'], `${lineOf({ ...record, code: 'constructor' }, 0)}\n`)
    expect([asText.code, asText.stdout]).toEqual([1, expect.stringContaining('constructor')])
  })

  test('may have its first record far from its beginning', async () => {
    const other = 'another line of the application\n'.repeat(20_000)
    const { code, stdout } = await runInside(['explain', '--json'], `${other}${lineOf(await otherBody(0), 0)}\n`)
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { groups: [{ code: 'digest-mismatch', count: 1 }] }])
  })

  test('without a record is a mistake, whatever its length', async () => {
    for (const count of [10, 600_000]) {
      const { code, stderr } = await runInside(['explain'], 'another line of the application\n'.repeat(count))
      expect([code, stderr]).toEqual([64, expect.stringContaining('signed-requests: ')])
    }
    const other = await runInside(['explain', '--since', '1h'], 'another line\n'.repeat(600))
    expect([other.code, other.stderr]).toEqual([64, expect.stringContaining('logRecord')])
  })

  test('may have lines that are too long, which are counted', async () => {
    const long = JSON.stringify({ codes: 'x'.repeat(3_000_000) })
    const { stdout } = await explainLog([lineOf(await good(0), 0), long, lineOf(await good(1), 1)])
    expect(JSON.parse(stdout)).toMatchObject({ verified: 2, tooLong: 1 })
  })

  test.each(['utf-16le', 'utf-8'] as const)(
    'may have a byte order mark, as PowerShell writes it: %s',
    async encoding => {
      const text = `\ufeff${lineOf(await otherBody(0), 0)}\r\n${lineOf(await good(1), 1)}\r\n`
      const { code, stdout } = await runInside(['explain', '--json'], Buffer.from(text, encoding))
      expect([code, JSON.parse(stdout)]).toMatchObject([1, { groups: [{ code: 'digest-mismatch' }], verified: 1 }])
    }
  )

  test('whose first record comes after 16 MB is read', async () => {
    const noise = Array.from({ length: 170 }, () => 'x'.repeat(100_000))
    const { code, stdout } = await explainLog([...noise, lineOf(await otherBody(0), 0)])
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { groups: [{ code: 'digest-mismatch' }] }])
  })

  test('counts a body that is too large as signed by the key: it is read only after the signature', async () => {
    const record = await recordOf(service.sign({ body: 'abc', date: minute(0) }), 0, { maxBodyBytes: 2 })
    const { stdout } = await explainLog([lineOf(record, 0)])
    expect(JSON.parse(stdout).groups).toMatchObject([{ code: 'body-too-large', signer: 'key' }])
  })
})

describe("a recorder's directory", () => {
  async function record(name: string, requests: readonly (readonly [ReceivedRequest, at: number])[]): Promise<string> {
    const directory = join(folder, name)
    const recorder = createRecorder({ directory })
    for (const [request, at] of requests) {
      await createVerifier({ ...service.options, recorder, now: () => minute(at).getTime() })(request)
      await recorder.written()
    }
    return directory
  }
  const sign = (at: number) => service.sign({ target: '/hooks/in', body: '{}', date: minute(at) })

  test('is one table, and the explanation of a request of the largest group that the service signed', async () => {
    const directory = await record('proxy', [
      [SCAN, 0],
      [forger.sign({ date: minute(1) }), 1],
      [forger.sign({ date: minute(2) }), 2],
      [{ ...sign(3), target: '/in' }, 3],
      [{ ...sign(4), https: false }, 4]
    ])
    const asJson = await runInside(['explain', directory, '--json'])
    expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([
      1,
      {
        groups: [
          {
            ...{ code: 'signature-mismatch', signer: 'key', count: 1, key: 'key1._domainkey.service.example' },
            ...{ first: '2026-11-24T03:03:00Z', example: expect.stringMatching(/-signature-mismatch-key-4\.json$/) }
          },
          { code: 'not-https', signer: 'claimed' }
        ],
        ...{ unsigned: 1, forged: 2 },
        explained: { diagnosis: { failures: [{ code: 'signature-mismatch' }] } }
      }
    ])
    const { code, stdout } = await runInside(['explain', `${directory}/`])
    expect(code).toBe(1)
    expect(stdout).toContain('\n  signed:   (request-target): post /hooks/in\n')
  })

  test('ends with 0 where scanners and forgers alone were refused', async () => {
    const directory = await record('noise', [
      [SCAN, 0],
      [forger.sign({ date: minute(1) }), 1]
    ])
    expect((await runInside(['explain', directory])).code).toBe(0)
    expect((await runInside(['explain', directory, '--since', '1h'])).code).toBe(0)
  })

  test('with --since leaves out earlier files', async () => {
    const directory = await record('since', [
      [{ ...sign(0), https: false }, 0],
      [{ ...sign(60), https: false }, 60]
    ])
    const { stdout } = await runInside(['explain', directory, '--json', '--since', '2026-11-24T03:30:00Z'])
    expect(JSON.parse(stdout).groups).toMatchObject([{ count: 1, first: '2026-11-24T04:00:00Z' }])
  })

  test('with more files than are read says how many', async () => {
    const directory = join(folder, 'many')
    mkdirSync(directory)
    for (let i = 1; i <= 10_002; i++)
      writeFileSync(join(directory, `2026-11-24T03-00-00.000Z-digest-mismatch-key-${i}.json`), '')
    const { stdout } = await runInside(['explain', '--json', directory])
    expect(JSON.parse(stdout)).toMatchObject({ groups: [{ count: 10_000 }], unreadable: 10_000, older: 2 })
  })

  test('may have a name that no recorder has written', async () => {
    const directory = await record('named', [[{ ...service.sign({ body: '{}', date: minute(1) }), body: '[]' }, 1]])
    writeFileSync(join(directory, '2026-99-99T99-99-99.000Z-digest-mismatch-key-7.json'), '{}')
    const { code, stdout } = await runInside(['explain', '--json', directory])
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { groups: [{ code: 'digest-mismatch', count: 1 }] }])
  })

  test('without a file of a recorder is a mistake', async () => {
    expect((await runInside(['explain', folder])).code).toBe(64)
  })

  test('may have files that are damaged, or no files: they are counted, and the others explained', async () => {
    const directory = await record('damaged', [[{ ...sign(3), target: '/in' }, 3]])
    const [good] = readdirSync(directory)
    const nameOf = (number: number) => join(directory, `2026-11-24T03-00-00.000Z-replayed-key-${number}.json`)
    writeFileSync(nameOf(9), '{')
    writeFileSync(nameOf(10), readFileSync(join(directory, good!)).subarray(0, 200))
    writeFileSync(nameOf(11), 'POST / HTTP/1.1\r\n\r\n')
    mkdirSync(nameOf(12))
    symlinkSync('/dev/zero', nameOf(13))
    symlinkSync(nameOf(14), nameOf(14))
    writeFileSync(join(directory, '\x1b[31m\n.json'), '{}')
    const { code, stdout } = await runInside(['explain', directory, '--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        groups: [
          { code: 'replayed', signer: 'key', count: 3, first: '2026-11-24T03:00:00Z' },
          { code: 'signature-mismatch', count: 1, example: good }
        ],
        unreadable: 3,
        explained: { diagnosis: { failures: [{ code: 'signature-mismatch' }] } }
      }
    ])
    const asText = await runInside(['explain', directory])
    expect(asText.stdout).toMatch(/^[\n -~]*$/)
    expect(asText.stdout).toContain('3 files')
  })
})
