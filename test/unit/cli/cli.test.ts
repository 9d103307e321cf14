import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureFixture, createTestService, type VectorFile } from '../../../src/testing/index.ts'
import { createVerifier } from '../../../src/verify.ts'
import { runCli } from '../../support/cli.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { runInside } from '../../support/run-cli.ts'
import type { Finished } from '../../support/run-process.ts'
import { service } from '../../support/service.ts'
import { sniff } from '../../support/sniff.ts'

const KEY_NAME = 'key1._domainkey.service.example'
const RECORD = service.records[KEY_NAME]![0]!.join('')
const FLAGS = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const WITH_RECORD = [...FLAGS, '--key-record', RECORD]
const signed = service.sign({ target: '/hook?id=42', body: '{"event":"published"}\n' })
const capture = (await sniff(signed)).toString('latin1')

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

/** What every run must hold to: no colour in a pipe, 80 columns, and nothing of a stack. */
function expectPlain(args: readonly string[], finished: Finished): Finished {
  if (!args.includes('--json')) {
    expect(finished.stdout).toMatch(/^[ -~\n]*$/)
    expect(Math.max(...finished.stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  }
  expect(finished.stderr).toMatch(/^[ -~\n]*$/)
  expect(finished.stderr).not.toMatch(/^ +at /m)
  return finished
}
const run = async (args: readonly string[], input?: string | Uint8Array): Promise<Finished> =>
  expectPlain(args, await runInside(args, input))
/** The same in a process of its own. */
const start = async (args: readonly string[], input?: string | Uint8Array): Promise<Finished> =>
  expectPlain(args, await runCli(args, input))

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

describe('explain', () => {
  test('says verified of a capture from a socket, with the key from DNS', async () => {
    const file = join(folder, 'capture.http')
    await writeFile(file, capture, 'latin1')
    const { code, stdout, stderr } = await start(['explain', file, ...FLAGS, '--dns-server', dns.address])
    expect(stdout).toMatch(/^verified: account 1234, rsa-sha256 by key1\._domainkey\.service\.example\n/)
    expect([code, stderr]).toEqual([0, ''])
  })

  test('reads ten megabytes from a pipe', async () => {
    const { code, stdout } = await start(['explain', ...WITH_RECORD], latin1(capture + 'x'.repeat(10_000_000)))
    expect(stdout).toMatch(/^verified/)
    expect(code).toBe(0)
  })

  test('judges as of another time, without TLS, with another account header', async () => {
    const branded = createTestService({ accountHeader: 'X-Brand-ID', rsaBits: 1024 })
    const old = branded.sign({ date: new Date('2026-01-02T03:04:05Z') })
    const bytes = await sniff(old)
    const record = branded.records[KEY_NAME]![0]!.map(chunk => `"${chunk}"`).join(' ')
    const flags = [...FLAGS, '--account-header', 'X-Brand-ID', '--key-record', record]

    const late = await run(['explain', ...flags], bytes)
    expect(late.stdout).toMatch(/^rejected: date\n/)
    expect(late.stdout).toContain('--now date')
    const asOfDate = await run(['explain', ...flags, '--now', 'date'], bytes)
    expect(asOfDate.code).toBe(0)
    expect(asOfDate.stdout.replace(/\n {10}/, ' ')).toMatch(/^verified: .*; the date was not checked\n/)
    expect(asOfDate.stdout).toMatch(/^-- {4}date {14}not run: --now date/m)
    expect((await run(['explain', ...flags, '--now', '2026-01-02T03:04:06Z'], bytes)).code).toBe(0)
    const plain = await run(['explain', ...flags, '--now', 'date', '--http'], bytes)
    expect(plain.stdout).toMatch(/^rejected: https\n/)
  })

  test('judges by the algorithms that the receiver allows', async () => {
    const bytes = await sniff(service.sign())
    const flags = [...WITH_RECORD, '--algorithm', 'rsa-sha512']
    expect((await run(['explain', ...flags], bytes)).stdout).toMatch(/^rejected: signature-header\n/)
    expect((await run(['explain', ...flags, '--algorithm', 'rsa-sha256'], bytes)).code).toBe(0)
  })

  test('judges by another standard, and finds the line that was changed', async () => {
    const request = service.sign({ scheme: 'rfc9421', target: '/hook?id=42', body: '{}' })
    const bytes = (await sniff(request)).toString('latin1')
    const flags = [...WITH_RECORD, '--scheme', 'rfc9421', '--scheme', 'draft-cavage']
    const verified = await run(['explain', ...flags], latin1(bytes))
    expect(verified.stdout).toMatch(/^verified: account 1234, rsa-v1_5-sha256 by key1\._domainkey/)
    expect((await run(['explain', ...WITH_RECORD], latin1(bytes))).stdout).toMatch(/^rejected: signature-header/)

    for (const [before, after, line] of [
      ['id=42', 'id=43', '"@request-target": /hook?id=42'],
      ['POST', 'PUT', '"@method": POST'],
      [
        'Content-Type: application/json',
        'Content-Type: application/json; charset=utf-8',
        '"content-type": application/json'
      ]
    ]) {
      const { code, stdout } = await run(['explain', ...flags], latin1(bytes.replace(before!, after!)))
      expect(stdout).toContain(`  signed:   ${line}\n`)
      expect(stdout).toMatch(/^ {3}2 {2}"@request-target": /m)
      expect(code).toBe(1)
    }
    const wrong = await run(['explain', ...WITH_RECORD, '--scheme', 'rfc9999'], latin1(bytes))
    expect(wrong).toMatchObject({
      code: 64,
      stderr: 'signed-requests: --scheme must be one of draft-cavage, rfc9421\n'
    })
  })

  test('prints the verdict as JSON', async () => {
    const verified = await start(['explain', ...WITH_RECORD, '--json'], latin1(capture))
    const body = Buffer.from('{"event":"published"}\n')
    expect(JSON.parse(verified.stdout)).toMatchObject({
      status: 'verified',
      accountId: '1234',
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      body: { length: 22, base64: body.toString('base64') },
      checks: { digest: { outcome: 'pass' } }
    })
    const changed = await run(['explain', ...WITH_RECORD, '--json'], latin1(capture.replace('id=42', 'id=4')))
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
    const several: VectorFile = {
      ...document,
      vectors: [one!, { ...one!, name: 'two', dns: { [KEY_NAME]: { error: 'ESERVFAIL' } } }]
    }
    expect(await run(['explain'], JSON.stringify(several))).toMatchObject({
      code: 0,
      stderr: 'note: this is request 1 of 2 in the file: --entry N or --vector NAME chooses another\n'
    })
    expect(await run(['explain', '--vector', 'three'], JSON.stringify(several))).toMatchObject({
      code: 64,
      stderr: 'signed-requests: the file has no such request: it has requests 1 to 2, the vectors one, two\n'
    })
    expect(await run(['explain', '--vector', 'two'], JSON.stringify(several))).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^unavailable: key\n/)
    })
    expect(await run(['explain', '--host', 'other.example'], JSON.stringify(document))).toMatchObject({ code: 1 })
  })

  describe('of a file that brings its own DNS answers', () => {
    const file = async () => {
      const verdict = await createVerifier(service.options)(signed)
      return JSON.stringify(captureFixture(signed, verdict, { options: service.options, dns: service.records }))
    }
    const ENV = { SIGNED_REQUESTS_ACCOUNT: '1234' }

    test.each<[name: string, args: string[], env: Record<string, string>, code: number, head: RegExp]>([
      ['without a receiver', [], {}, 0, /^the key is from the file, not from DNS\nverified: account 1234/],
      [
        'with --domain',
        FLAGS.slice(0, 2),
        {},
        2,
        /^the key is from the file.* --trust-file-dns accepts it\nunavailable: /
      ],
      [
        'with --host',
        FLAGS.slice(2, 4),
        {},
        2,
        /^the key is from the file.*\nunavailable: the key is from the file; all else/
      ],
      ['with --account', FLAGS.slice(4), {}, 2, /^the key is from the file.*\nunavailable: /],
      ['with a receiver in the environment', [], ENV, 2, /^the key is from the file.*\nunavailable: /],
      ['that is trusted', [...FLAGS, '--trust-file-dns'], {}, 0, /^the key is from the file, not from DNS\nverified: /],
      ['for another receiver', ['--host', 'a.example'], {}, 1, /^the key is from the file.*\nrejected: host\n/],
      ['with another key record', WITH_RECORD, {}, 0, /^verified: /]
    ])('%s: says so first, and trusts it only where nobody else is vouched for', async (_, args, env, code, head) => {
      const finished = await runInside(['explain', ...args], await file(), false, env)
      expect(expectPlain(args, finished)).toMatchObject({ code, stdout: expect.stringMatching(head), stderr: '' })
    })

    test('says so in JSON', async () => {
      const { code, stdout } = await run(['explain', ...FLAGS, '--json'], await file())
      expect(JSON.parse(stdout)).toMatchObject({ keySource: 'file', status: 'unavailable', failures: [] })
      expect(stdout).not.toContain('accountId')
      expect(code).toBe(2)
    })
  })
})

describe('key', () => {
  test('describes a key that can be used', async () => {
    const { code, stdout } = await run([
      'key',
      'Key1._domainkey.service.example.',
      '--no-trace',
      '--dns-server',
      dns.address
    ])
    expect(stdout.split('\n').slice(0, 9)).toEqual([
      "Nothing to do for sender and receiver: the receiver's DNS server has a good key;",
      'the name servers were not reached, which needs port 53.',
      '',
      `usable: ${KEY_NAME}`,
      `  asked: DNS server ${dns.address}`,
      '',
      'record 1: a good rsa key of 1024 bits',
      expect.stringMatching(/^ {2}text: v=DKIM1; k=rsa; p=/),
      expect.anything()
    ])
    expect(stdout.replace(/\n {8}/g, '')).toContain(`  text: ${RECORD}\n`)
    expect(code).toBe(0)
  })

  test('says what is wrong with one that cannot', async () => {
    const { code, stdout } = await run([
      'key',
      'revoked._domainkey.service.example',
      '--no-trace',
      '--dns-server',
      dns.address
    ])
    expect(stdout).toBe(
      [
        'The sender must sign with the new key, and name that one in keyId: the key was',
        'revoked (p= of the record is empty): it was replaced.',
        '',
        'unusable: revoked._domainkey.service.example',
        `  asked: DNS server ${dns.address}`,
        '',
        'record 1: key-revoked: the key has been revoked',
        '  text: v=DKIM1; p=',
        '',
        'record 2: not a key record',
        '  text: v=spf1 -all',
        ''
      ].join('\n')
    )
    expect(code).toBe(1)
  })

  test('distinguishes a name without a key from a server without an answer', async () => {
    dns.outcomes.set('down.service.example', 'servfail')
    const ask = (name: string) => run(['key', name, '--no-trace', '--dns-server', dns.address, '--json'])
    const [missing, down] = await Promise.all([ask('none.service.example'), ask('down.service.example')])
    expect([missing.code, JSON.parse(missing.stdout).status]).toEqual([1, 'unusable'])
    expect(JSON.parse(missing.stdout).problem).toMatch(/^key-not-found/)
    expect([down.code, JSON.parse(down.stdout).status]).toEqual([2, 'unavailable'])
    expect(JSON.parse(down.stdout).problem).toBe('key-lookup-failed: the DNS lookup failed; error ESERVFAIL')
  })
})
