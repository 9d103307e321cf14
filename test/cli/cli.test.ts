import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVerifier } from '../../src/core/verify.ts'
import { captureFixture, createTestService, type VectorFile } from '../../src/testing/index.ts'
import { captureBytes } from '../support/capture-bytes.ts'
import { CLI, runCli } from '../support/cli.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { EXPLAIN, KEY_NAME, RECEIVER, RECORD } from '../support/explain.ts'
import { runInside } from '../support/run-cli.ts'
import type { Finished } from '../support/run-process.ts'
import { service } from '../support/service.ts'

const signed = service.sign({ target: '/hook?id=42', body: '{"event":"published"}\n' })
const capture = (await captureBytes(signed)).toString('latin1')

let folder: string
let dns: DnsServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-'))
  dns = await startDnsServer({
    ...service.records,
    'revoked._domainkey.service.example': [['v=DKIM1; p='], ['v=spf1 -all']]
  })
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await dns.close()
})

/** Expects of every run: no colour in a pipe, 80 columns, and no stack trace. */
async function expectPlain(args: readonly string[], running: Promise<Finished>): Promise<Finished> {
  const finished = await running
  if (!args.includes('--json')) {
    expect(finished.stdout).toMatch(/^[ -~\n]*$/)
    expect(Math.max(...finished.stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  }
  expect(finished.stderr).toMatch(/^[ -~\n]*$/)
  expect(finished.stderr).not.toMatch(/^ +at /m)
  return finished
}
const run = (args: readonly string[], input?: string | Uint8Array, env: Readonly<Record<string, string>> = {}) =>
  expectPlain(args, runInside(args, input, false, env))
/** Runs the command line in a process of its own. */
const start = (args: readonly string[], input?: Uint8Array) => expectPlain(args, runCli(args, input))

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

describe('explain', () => {
  test('says verified of a capture from a socket, with the key from DNS', async () => {
    const file = join(folder, 'capture.http')
    await writeFile(file, capture, 'latin1')
    const { code, stdout, stderr } = await start(['explain', file, ...RECEIVER, '--dns-server', dns.address])
    expect(stdout).toMatch(/^verified: account 1234, rsa-sha256 by key1\._domainkey\.service\.example\n/)
    expect([code, stderr]).toEqual([0, ''])
  })

  test.skipIf(!existsSync('/dev/full'))('ends with 2, in one line, where the disk is full', () => {
    const full = openSync('/dev/full', 'w')
    const ended = spawnSync(process.execPath, [CLI, 'explain', 'date-too-old'], { stdio: ['ignore', full, 'pipe'] })
    closeSync(full)
    expect(String(ended.stderr)).toMatch(/^signed-requests: cannot write the output: ENOSPC[^\n]*\n$/)
    expect(ended.status).toBe(2)
  })

  test('reads ten megabytes from a pipe', async () => {
    const { code, stdout } = await start(EXPLAIN, latin1(capture + 'x'.repeat(10_000_000)))
    expect(stdout).toMatch(/^verified/)
    expect(code).toBe(0)
  })

  test('judges as of another time, without TLS, with another account header', async () => {
    const branded = createTestService({ accountHeader: 'X-Brand-ID', rsaBits: 1024 })
    const bytes = await captureBytes(branded.sign({ date: new Date('2026-01-02T03:04:05Z') }))
    const record = branded.records[KEY_NAME]![0]!.map(chunk => `"${chunk}"`).join(' ')
    const explain = (...flags: string[]) =>
      run(['explain', ...RECEIVER, '--account-header', 'X-Brand-ID', '--key-record', record, ...flags], bytes)

    const late = await explain()
    expect(late.stdout).toMatch(/^rejected: date\n/)
    expect(late.stdout).toContain('--now date')
    const asOfDate = await explain('--now', 'date')
    expect(asOfDate.code).toBe(0)
    expect(asOfDate.stdout.replace(/\n {10}/, ' ')).toMatch(/^verified: .*; the date was not checked\n/)
    expect(asOfDate.stdout).toMatch(/^-- {4}date {14}not run: --now date/m)
    expect((await explain('--now', '2026-01-02T03:04:06Z')).code).toBe(0)
    expect((await explain('--now', 'date', '--http')).stdout).toMatch(/^rejected: https\n/)
  })

  test('judges by the algorithms that the receiver allows', async () => {
    const flags = [...EXPLAIN, '--algorithm', 'rsa-sha512']
    expect((await run(flags, latin1(capture))).stdout).toMatch(/^rejected: signature-header\n/)
    expect((await run([...flags, '--algorithm', 'rsa-sha256'], latin1(capture))).code).toBe(0)
  })

  describe('by another standard', async () => {
    const bytes = await captureBytes(service.sign({ scheme: 'rfc9421', target: '/hook?id=42', body: '{}' }))
    const flags = [...EXPLAIN, '--scheme', 'rfc9421', '--scheme', 'draft-cavage']

    test('judges where that is allowed', async () => {
      const verified = await run(flags, bytes)
      expect(verified.stdout).toMatch(/^verified: account 1234, rsa-v1_5-sha256 by key1\._domainkey/)
      expect((await run(EXPLAIN, bytes)).stdout).toMatch(/^rejected: signature-header/)
    })

    test.each([
      ['id=42', 'id=43', '"@request-target": /hook?id=42'],
      ['POST', 'PUT', '"@method": POST'],
      ['Type: application/json', 'Type: application/json; charset=utf-8', '"content-type": application/json']
    ])('finds the line that was changed: %s to %s', async (before, after, line) => {
      const { code, stdout } = await run(flags, latin1(bytes.toString('latin1').replace(before, after)))
      expect(stdout).toContain(`  signed:   ${line}\n`)
      expect(stdout).toMatch(/^ {3}2 {2}"@request-target": /m)
      expect(code).toBe(1)
    })
  })

  test('prints the verdict as JSON', async () => {
    const verified = await start([...EXPLAIN, '--json'], latin1(capture))
    const body = Buffer.from('{"event":"published"}\n')
    expect(JSON.parse(verified.stdout)).toMatchObject({
      status: 'verified',
      accountId: '1234',
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      body: { length: 22, base64: body.toString('base64') },
      checks: { digest: { outcome: 'pass' } }
    })
    const changed = await run([...EXPLAIN, '--json'], latin1(capture.replace('id=42', 'id=4')))
    expect(JSON.parse(changed.stdout)).toMatchObject({
      status: 'rejected',
      failures: [{ check: 'signature', code: 'signature-mismatch' }],
      diagnosis: { failures: [{ changed: { line: 1, signed: '(request-target): post /hook?id=42' } }] }
    })
  })

  test('reads options, DNS and time from a fixture', async () => {
    const verdict = await createVerifier(service.options)(signed)
    const document = captureFixture(signed, verdict, { options: service.options, dns: service.records, name: 'one' })
    expect(await run(['explain'], JSON.stringify(document))).toMatchObject({ code: 0, stderr: '' })
    expect(await run(['explain'], JSON.stringify(document.vectors[0]))).toMatchObject({ code: 0 })

    const [one] = document.vectors
    const failing = { ...one!, name: 'two', dns: { [KEY_NAME]: { error: 'ESERVFAIL' } } }
    const explain = (...args: string[]) =>
      run(['explain', ...args], JSON.stringify({ ...document, vectors: [one!, failing] } satisfies VectorFile))
    const note = 'note: this is request 1 of 2 in the file: --entry N or --vector NAME chooses another\n'
    expect(await explain()).toMatchObject({ code: 0, stderr: note })
    const mistake = 'signed-requests: the file has no such request: it has requests 1 to 2, the vectors one, two\n'
    expect(await explain('--vector', 'three')).toMatchObject({ code: 64, stderr: mistake })
    const two = await explain('--vector', 'two')
    expect(two).toMatchObject({ code: 2, stdout: expect.stringMatching(/^unavailable: key\n/) })
    expect((await explain('--host', 'other.example')).code).toBe(1)
  })

  describe('of a file that brings its own DNS answers', () => {
    const file = async () => {
      const verdict = await createVerifier(service.options)(signed)
      return JSON.stringify(captureFixture(signed, verdict, { options: service.options, dns: service.records }))
    }
    const FIRST = '^the key is from the file, not from DNS'
    const ACCEPT = `${FIRST}: --trust-file-dns accepts it\n`
    const UNDECIDED = `${ACCEPT}unavailable: the key is from the file; everything else`
    const ACCOUNT = { SIGNED_REQUESTS_ACCOUNT: '1234' }

    test.each<[name: string, args: string[], env: Record<string, string>, code: number, head: string]>([
      ['without a receiver', [], {}, 0, `${FIRST}\nverified: account 1234`],
      ['with --domain', RECEIVER.slice(0, 2), {}, 2, UNDECIDED],
      ['with --host', RECEIVER.slice(2, 4), {}, 2, UNDECIDED],
      ['with --account', RECEIVER.slice(4), {}, 2, UNDECIDED],
      ['with a receiver in the environment', [], ACCOUNT, 2, UNDECIDED],
      ['that is trusted', [...RECEIVER, '--trust-file-dns'], {}, 0, `${FIRST}\nverified: `],
      ['for another receiver', ['--host', 'a.example'], {}, 1, `${ACCEPT}rejected: host\n`],
      ['with another key record', EXPLAIN.slice(1), {}, 0, '^verified: ']
    ])('%s: says so first, and trusts it only where nobody else is vouched for', async (_, args, env, code, head) => {
      const stdout = expect.stringMatching(new RegExp(head))
      const stderr = code === 1 ? expect.stringMatching(/^note: received at .*\n$/) : ''
      expect(await run(['explain', ...args], await file(), env)).toMatchObject({ code, stdout, stderr })
    })

    test('says so in JSON', async () => {
      const { code, stdout } = await run(['explain', ...RECEIVER, '--json'], await file())
      expect(JSON.parse(stdout)).toMatchObject({ keySource: 'file', status: 'unavailable', failures: [] })
      expect(stdout).not.toContain('accountId')
      expect(code).toBe(2)
    })
  })
})

describe('key', () => {
  const text = (...lines: string[]) => lines.map(line => `${line}\n`).join('')
  const ask = (name: string, ...flags: string[]) =>
    run(['key', name, '--no-trace', '--dns-server', dns.address, ...flags])

  test('describes a key that can be used', async () => {
    const { code, stdout } = await ask('Key1._domainkey.service.example.')
    expect(stdout.replace(/\n {8}/g, '')).toBe(
      text(
        "Usable: the receiver's DNS server has a good key; the name servers were not",
        'asked.\n',
        `usable: ${KEY_NAME}`,
        `  asked: DNS server ${dns.address}\n`,
        'record 1: a good rsa key of 1024 bits',
        `  text: ${RECORD}`
      )
    )
    expect(code).toBe(0)
  })

  test('says what is wrong with one that cannot', async () => {
    const { code, stdout } = await ask('revoked._domainkey.service.example')
    expect(stdout).toBe(
      text(
        'The sender must sign with the new key, and name that one in keyId: the key was',
        'revoked (p= of the record is empty): it was replaced.\n',
        'unusable: revoked._domainkey.service.example',
        `  asked: DNS server ${dns.address}\n`,
        'record 1: key-revoked: the key has been revoked',
        '  text: v=DKIM1; p=\n',
        'record 2: not a key record',
        '  text: v=spf1 -all'
      )
    )
    expect(code).toBe(1)
  })

  test.each([
    ['none.service.example', 1, 'unusable', /^key-not-found/],
    ['down.service.example', 2, 'unavailable', /^key-lookup-failed: the DNS lookup failed; error ESERVFAIL$/]
  ])('distinguishes a name without a key from a server without an answer: %s', async (name, code, status, problem) => {
    dns.outcomes.set('down.service.example', 'servfail')
    const finished = await ask(name, '--json')
    expect(finished.code).toBe(code)
    expect(JSON.parse(finished.stdout)).toMatchObject([{ status, problem: expect.stringMatching(problem) }])
  })

  test('prints an array as JSON, whether one name or several are given', async () => {
    const names = async (...more: string[]) =>
      JSON.parse((await ask(KEY_NAME, ...more, '--json')).stdout).map(({ name }: { name: string }) => name)
    expect(await names()).toEqual([KEY_NAME])
    expect(await names('none.service.example')).toEqual([KEY_NAME, 'none.service.example'])
  })
})
