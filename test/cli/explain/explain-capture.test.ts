import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { readCapture } from '../../../cli/captures/read-capture.ts'
import { explainCapture, missingSettings } from '../../../cli/explain/explain-capture.ts'
import { FLAGS } from '../../../cli/explain/flags.ts'
import { OTHERS } from '../../../cli/flags.ts'
import { parseFlags } from '../../../flags/parse.ts'
import { headOf, KEY_NAME, RECEIVER, RECORD } from '../../support/explain.ts'
import { service } from '../../support/service.ts'
import { loadVectors } from '../../support/vectors.ts'

function flagsOf(...args: readonly string[]) {
  const given = parseFlags(args, {}, { name: 'explain', flags: FLAGS, variables: 'shared', others: OTHERS })
  if (given.asked !== undefined) throw new Error('these flags ask for a text')
  return given.values
}

const capture = (change: object = {}) => readCapture(Buffer.from(headOf({ ...service.sign(), ...change })))

test('a program that may ask nobody gets a verdict without the key, where the key decides', async () => {
  const found = await explainCapture(capture(), flagsOf(...RECEIVER), { isOffline: true })
  expect(found).toMatchObject({ status: 'unavailable', keySource: undefined, data: { failures: [] } })
  expect(found.diagnosis.headline).toBe('the key is not known; every check that needs no key passed')
  expect(found.diagnosis.checks.find(({ check }) => check === 'key')).toEqual({
    check: 'key',
    outcome: 'not-run',
    reason: 'no key record is given, and no resolver to ask for it'
  })
})

test('a program that may ask nobody gets the verdict itself, where no key is needed or one is given', async () => {
  const offline = { isOffline: true }
  const elsewhere = ['--domain=service.example', '--host=other.example', '--account=1234']
  expect((await explainCapture(capture(), flagsOf(...elsewhere), offline)).diagnosis.headline).toBe('host')
  const withRecord = flagsOf(...RECEIVER, '--key-record', RECORD)
  expect((await explainCapture(capture(), withRecord, offline)).status).toBe('verified')
  const lookupTxt = { lookupTxt: service.lookupTxt, ...offline }
  expect((await explainCapture(capture(), flagsOf(...RECEIVER), lookupTxt)).status).toBe('verified')
  const [vector] = loadVectors().filter(({ verdict }) => verdict.status === 'verified')
  const fixture = readCapture(Buffer.from(JSON.stringify(vector!.json)))
  expect((await explainCapture(fixture, flagsOf(), offline)).status).toBe('verified')
})

test('a body that --body gives adds no header to a request that has its length', async () => {
  const covered = ['(request-target)', 'host', 'date', 'digest', 'x-service-id', 'content-length']
  const signed = service.sign({ body: '{"id":1}', headers: { 'Content-Length': '8' }, covered })
  const flags = flagsOf(...RECEIVER, '--key-record', RECORD)
  const entries = readCapture(Buffer.from(headOf(signed)))
  expect((await explainCapture(entries, flags, {})).status).toBe('unavailable')
  expect((await explainCapture(entries, flags, { body: Buffer.from(signed.body!) })).status).toBe('verified')
})

test('a body that --body gives adds the length that curl adds for its file', async () => {
  const signed = service.sign({ body: '{"id":1}' })
  const lines = signed.headers.filter(([name]) => name !== 'Content-Length').map(line => `-H '${line.join(': ')}'`)
  const entries = readCapture(Buffer.from(`curl https://receiver.example/ -d @file ${lines.join(' ')}`))
  const flags = flagsOf(...RECEIVER, '--key-record', RECORD)
  expect((await explainCapture(entries, flags, {})).status).toBe('rejected')
  const { status, data } = await explainCapture(entries, flags, { body: Buffer.from('{"id":1}') })
  expect(status).toBe('verified')
  const body = { length: 8, base64: Buffer.from('{"id":1}').toString('base64') }
  expect(data).toMatchObject({ body, date: expect.any(Date) })
  const refused = await explainCapture(entries, flags, { body: Buffer.from('{}') })
  expect([refused.status, 'body' in refused.data]).toEqual(['rejected', false])
})

test('a request without TLS is accepted only with --https not-required', async () => {
  const explain = (...flags: string[]) =>
    explainCapture(capture(), flagsOf(...RECEIVER, '--key-record', RECORD, '--http', ...flags))
  expect((await explain('--https', 'not-required')).status).toBe('verified')
  expect((await explain()).diagnosis.headline).toBe('https')
})

test.each(['then', 'date'])('--now %s is a mistake for a request without a Date', async now => {
  const headers = service.sign().headers.filter(([name]) => name !== 'Date')
  const flags = flagsOf(...RECEIVER, '--key-record', RECORD, '--now', now)
  await expect(explainCapture(capture({ headers }), flags)).rejects.toThrow(
    '--now takes a time such as 2026-11-20T12:00:00Z, or "date" if the request has a good Date'
  )
})

test('settings that are missing are named, with their variables', async () => {
  const VARIABLES = 'SIGNED_REQUESTS_DOMAIN, SIGNED_REQUESTS_HOST, SIGNED_REQUESTS_ACCOUNT'
  await expect(explainCapture(capture(), flagsOf())).rejects.toThrow(
    `missing: --domain, --host, --account; or set ${VARIABLES}`
  )
})

test('the data names a file as the source of the key where it is from a file, and nothing elsewhere', async () => {
  const [vector] = loadVectors().filter(({ verdict }) => verdict.status === 'verified')
  const fixture = readCapture(Buffer.from(JSON.stringify(vector!.json)))
  expect((await explainCapture(fixture, flagsOf(), {})).data).toMatchObject({ keySource: 'file' })
  const withRecord = await explainCapture(capture(), flagsOf(...RECEIVER, '--key-record', RECORD), {})
  expect(withRecord.data).not.toHaveProperty('keySource')
})

test('no data about a key has a private key that is in DNS, in one record or in several', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  const record = `v=DKIM1; k=ed25519; p=${secret}`
  for (const records of [[[record]], [[record], ['v=spf1 -all']]]) {
    const { data } = await explainCapture(capture(), flagsOf(...RECEIVER), { lookupTxt: async () => records })
    expect(JSON.stringify(data)).not.toContain(secret.slice(-20))
    expect(data).toMatchObject({ failures: [{ check: 'key', evidence: { name: KEY_NAME } }] })
    expect(JSON.stringify(data)).toContain('(not shown: a private key)')
  }
})

test('a note says how to choose another request of a file', async () => {
  const head = headOf(service.sign())
  const { notes } = await explainCapture(readCapture(Buffer.from(head + head)), flagsOf(...RECEIVER), {
    isOffline: true
  })
  expect(notes).toEqual(['this is request 1 of 2 in the file: --entry N chooses another'])
})

test('names the settings that neither the flags nor the capture bring', () => {
  expect(missingSettings(capture(), flagsOf('--host=a.example'))).toEqual(['serviceDomain', 'accounts'])
  const [vector] = loadVectors()
  expect(missingSettings(readCapture(Buffer.from(JSON.stringify(vector!.json))), flagsOf())).toEqual([])
})
