import { expect, test } from 'vitest'
import { CHECK_NAMES } from '../../../src/core/result/codes.ts'
import { createVerifier, diagnose, explain, mainFailure, type Verdict } from '../../../src/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { linesOf, service, withHeaders, withSignature } from '../../support/service.ts'
import { loadVectors } from '../../support/vectors.ts'

const verify = createVerifier(service.options)

test('names the sender of a verified request, and all checks', async () => {
  const diagnosis = diagnose(await verify(service.sign()))
  expect(diagnosis).toMatchObject({
    status: 'verified',
    headline: 'account 1234, rsa-sha256 by key1._domainkey.service.example',
    failures: []
  })
  expect(diagnosis.checks.map(({ check }) => check)).toEqual(CHECK_NAMES)
  expect(diagnosis.checks.at(-1)).toEqual({ check: 'replay', outcome: 'not-run', reason: 'there is no replay store' })
})

test('gives each failure a cause, a fix and facts', async () => {
  const { status, headline, checks, failures } = diagnose(await verify(service.sign({ host: 'other.example' })))
  expect({ status, headline }).toEqual({ status: 'rejected', headline: 'host' })
  expect(checks[3]).toEqual({
    check: 'host',
    outcome: 'fail',
    code: 'host-mismatch',
    message: 'Host is not one of the configured hosts'
  })
  expect(failures).toMatchObject([
    {
      check: 'host',
      code: 'host-mismatch',
      facts: [
        { id: 'received', label: 'received', value: 'other.example', isLong: false },
        { id: 'expected', label: 'expected', value: 'receiver.example', isLong: false }
      ]
    }
  ])
})

test('gives every fact of every vector an id of its own, and explains the main failure first', async () => {
  const long = new Set<string>()
  const labels = new Map<string, Set<string>>()
  for (const { name, options, request } of loadVectors()) {
    const verdict: Verdict = await createVerifier(options)(request)
    const { failures } = diagnose(verdict)
    const main = mainFailure(verdict)
    expect([name, main?.code]).toEqual([name, failures[0]?.code])
    expect(main === undefined || verdict.failures.includes(main as never), name).toBe(true)
    for (const { facts } of failures) {
      const ids = facts.map(({ id }) => id)
      expect(new Set(ids).size, name).toBe(ids.length)
      for (const { id, label, value, isLong } of facts) {
        expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z]+)*$/)
        expect(value).toMatch(isLong ? /^[ -~\n]+$/ : /^[ -~]*$/)
        labels.set(id, (labels.get(id) ?? new Set()).add(label))
        if (isLong) long.add(id)
      }
    }
  }
  expect([...long].sort()).toEqual(['body', 'correctedRecord', 'record', 'signingString', 'thrown'])
  for (const [id, all] of labels) expect([...all], id).toHaveLength(1)
  expect(labels.get('signingString')).toEqual(new Set(['signing string']))
})

test('throws for anything but a verdict', () => {
  expect(() => diagnose(verify(service.sign()) as unknown as Verdict)).toThrow(
    'diagnose() got a Promise, so an await is missing'
  )
})

test.each<[unknown, string]>([
  [{ settings: 'flag' }, 'settings is "flag": write "options" or "flags"'],
  [{ setting: 'flags' }, 'diagnose() has no option "setting": write settings'],
  ['flags', 'diagnose() got a string for its options'],
  [null, 'diagnose() got null for its options']
])('throws for the options %j, in the text form too', async (options, message) => {
  const verdict = await verify(service.sign())
  for (const print of [diagnose, explain]) expect(() => print(verdict, options as never)).toThrow(message)
})

test('lets nothing follow from a signature that is in Authorization', async () => {
  const signature = new Map(linesOf(service.sign())).get('Signature')
  const lines = { Signature: undefined, Digest: undefined, authorization: `signature ${signature}` }
  const other = createVerifier({ ...service.options, accountHeader: 'X-Other' })
  const verdict = await other(withHeaders(service.sign(), lines))
  const { headline, failures } = diagnose(verdict)
  expect(headline).toBe('account, signature-header, digest')
  expect(failures[1]).toMatchObject({ code: 'signature-missing', facts: [{ id: 'header', value: 'Authorization' }] })
  expect(JSON.stringify(verdict)).not.toContain('keyId')
})

test('names a few of many accounts, and takes no longer for them', async () => {
  const accounts = Array.from({ length: 100_000 }, (_, i) => String(i + 10_000))
  const verdict = await createVerifier({ ...service.options, accounts })(service.sign())
  const [failure] = diagnose(verdict).failures
  expect(failure?.fix).toBe(
    `If 1234 is yours: accounts: [..., '1234'] (now ${accounts.slice(0, 10).join(', ')} and 99990 more). If not, look at what the sender sent: have proxies pass x-service-id on unchanged.`
  )
  expect(failure?.facts.find(({ id }) => id === 'expected')?.value).toMatch(/10009 and 99990 more$/)
  const many = () => {
    for (let n = 0; n < 100; n++) diagnose(verdict)
  }
  expect(await cpuTime(many)).toBeLessThan(500)
})

test.each([
  ['date-too-old', 600, 'created', 'signature-created-out-of-range'],
  ['date-too-old', 600, 'expires', 'signature-expired'],
  ['date-in-future', -600, 'created', 'signature-created-out-of-range']
])('a signature whose time is wrong as the Date is (%s, %i s ago) follows from that: %s', async (...row) => {
  const [date, ago, parameter, code] = row
  const time = new Date(Date.now() - ago * 1000)
  const request = withSignature(service.sign({ date: time }), value =>
    value.replace('algorithm="rsa-sha256"', `algorithm="hs2019",${parameter}=${Math.floor(time.getTime() / 1000)}`)
  )
  const { headline, failures } = diagnose(await createVerifier({ ...service.options, algorithms: ['hs2019'] })(request))
  expect(headline).toBe('date')
  expect(failures.map(({ code, followsFrom }) => [code, followsFrom])).toEqual([
    [date, undefined],
    [code, date]
  ])
})
