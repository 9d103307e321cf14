import { sign as cryptoSign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Entry } from '../../../cli/captures/capture.ts'
import { type FoundRecord, findSigner, parseSigned } from '../../../cli/key/signed-by.ts'
import { ONE, TWO } from '../../../fixtures/source/keys.ts'
import type { Result } from '../../../src/index.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { headOf, KEY_NAME, RECORD, unwrap } from '../../support/explain.ts'
import { runInside } from '../../support/run-cli.ts'
import { service, withHeaders, withSignature } from '../../support/service.ts'
import { loadVectors } from '../../support/vectors.ts'

const OTHER_NAME = 'key2._domainkey.service.example'
const BOTH_NAME = 'key3._domainkey.service.example'
const REVOKED_NAME = 'key4._domainkey.service.example'
const DOWN_NAME = 'key5._domainkey.service.example'

const stringsOf = (record: string): string[] => record.match(/.{1,255}/g)!

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer({
    [KEY_NAME]: [[RECORD]],
    [OTHER_NAME]: [['v=spf1 -all'], stringsOf(TWO.record)],
    [BOTH_NAME]: [stringsOf(TWO.record), [RECORD]],
    [REVOKED_NAME]: [['v=DKIM1; p=']]
  })
  dns.outcomes.set(DOWN_NAME, 'servfail')
})
afterAll(() => dns.close())

const signed = service.sign({ target: '/hook?id=42', body: '{"event":"published"}' })
const fileOf = (request: Parameters<typeof headOf>[0]) => headOf(request)

async function key(names: readonly string[], file: string, ...flags: readonly string[]) {
  const args = ['key', ...names, '--no-trace', '--dns-server', dns.address, '--request', '-', ...flags]
  const { code, stdout, stderr } = await runInside(args, file)
  return { code, stdout, stderr, first: stdout.split('\n\n')[0]!.replaceAll('\n', ' ') }
}

function resultOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.code)
  return result.value
}

const NONE = 'None of the keys here signed the request: '
const CHANGED =
  'the record is good, and this request was signed with another key or changed on the way ' +
  '(explain FILE looks for the change).'

describe('key --request', () => {
  test('says which record made the signature, before what it says without it, and ends with 0', async () => {
    const { code, stdout, stderr } = await key([KEY_NAME], fileOf(signed))
    const without = await runInside(['key', KEY_NAME, '--no-trace', '--dns-server', dns.address])
    expect(unwrap(stdout)).toBe(
      `The request was signed with the key of record 1 (rsa-sha256).\n\n${unwrap(without.stdout)}`
    )
    expect([code, stderr]).toEqual([0, ''])
  })

  test('finds the record among several', async () => {
    const { code, first } = await key([BOTH_NAME], fileOf(signed))
    expect([code, first]).toEqual([
      0,
      `The request was signed with the key of record 2 (rsa-sha256). The request names another key: ${KEY_NAME}.`
    ])
  })

  test('says that the record is good where none made it, and ends with 1', async () => {
    const changed = fileOf({ ...signed, target: '/hook?id=43' })
    const byKey =
      'The key of record 1 made this signature, but over another text: the request was changed on the way (explain FILE ' +
      'looks for the change).'
    expect(await key([KEY_NAME], changed)).toMatchObject({ code: 1, first: byKey })
    const first = `${NONE}${CHANGED} The request names another key: ${KEY_NAME}.`
    expect(await key([OTHER_NAME], fileOf(signed))).toMatchObject({ code: 1, first })
  })

  test('names the key of each name, where there are several', async () => {
    const { stdout } = await key([OTHER_NAME, KEY_NAME], fileOf(signed))
    const text = unwrap(stdout).replaceAll('\n', ' ')
    expect(text).toContain(`The request was signed with the key of record 1 of ${KEY_NAME} (rsa-sha256).`)
    expect(text).toContain(`None of the keys of ${OTHER_NAME} signed the request: `)
  })

  test('says that the name servers are not asked with --doh', async () => {
    const args = ['key', KEY_NAME, '--doh', 'https://127.0.0.1:1/dns-query', '--lookup-timeout', '50']
    expect((await runInside(args)).stderr).toMatch(/^note: with --doh the name servers are not asked.*port 53/)
    expect((await runInside([...args, '--no-trace'])).stderr).toBe('')
  })

  test('says that no record can be used, and ends with 1', async () => {
    for (const name of [REVOKED_NAME, 'none.service.example']) {
      const { code, first } = await key([name], fileOf(signed))
      expect(first).toMatch(/^None of the keys here signed the request: no record can be used\. /)
      expect(code).toBe(1)
    }
  })

  test('key --request is undecided where DNS does not answer, and ends with 2', async () => {
    const { code, first } = await key([DOWN_NAME], fileOf(signed))
    expect(first).toMatch(/^Which key signed the request is not known: no record was found: .* ESERVFAIL\.$/)
    expect(code).toBe(2)
  })

  test.each<[what: string, file: string, code: string]>([
    ['has none', fileOf(withHeaders(signed, { Signature: undefined })), 'signature-missing'],
    ['has two', fileOf({ ...signed, headers: [...signed.headers, ['Signature', 'x']] }), 'signature-repeated'],
    ['is malformed', fileOf(withSignature(signed, value => value.slice(0, -1))), 'signature-malformed'],
    ['covers a header that the capture lacks', fileOf(withHeaders(signed, { Date: undefined })), 'coverage-absent']
  ])('key --request is undecided where the signature %s, and ends with 2', async (_, file, problem) => {
    const { code, first } = await key([KEY_NAME], file)
    expect(first).toContain(`its signature cannot be checked (${problem}: `)
    expect(code).toBe(2)
  })

  test('key --request of several names ends with 0 (one made it), 2 (one is undecided) or 1', async () => {
    const file = fileOf(signed)
    expect((await key([OTHER_NAME, DOWN_NAME, KEY_NAME], file)).code).toBe(0)
    expect((await key([OTHER_NAME, DOWN_NAME], file)).code).toBe(2)
    expect((await key([OTHER_NAME, REVOKED_NAME], file)).code).toBe(1)
  })

  test('prints the result as JSON', async () => {
    const { stdout } = await key([OTHER_NAME, KEY_NAME, DOWN_NAME], fileOf(signed), '--json')
    expect(JSON.parse(stdout)).toMatchObject([
      { name: OTHER_NAME, request: { outcome: 'none', keyId: KEY_NAME } },
      { name: KEY_NAME, request: { outcome: 'made', keyId: KEY_NAME, record: RECORD, algorithm: 'rsa-sha256' } },
      { name: DOWN_NAME, request: { outcome: 'undecided' } }
    ])
  })

  test('escapes what the request says', async () => {
    const evil = withSignature(signed, value => value.replace(KEY_NAME, 'a\\x9b[31m.example'))
    const { first, stdout } = await key([KEY_NAME], fileOf(evil))
    expect(first).toContain('The request names another key: a\\\\x9b[31m.example.')
    expect(stdout).toMatch(/^[ -~\n]*$/)
  })

  test('chooses the request as explain does, and notes what is odd', async () => {
    const har = JSON.stringify([signed, { ...signed, target: '/other' }].map(request => ({ ...request, body: null })))
    expect(await key([KEY_NAME], har)).toMatchObject({ code: 0, stderr: expect.stringContaining('request 1 of 2') })
    expect((await key([KEY_NAME], har, '--entry', '2')).code).toBe(1)
  })

  test('key --request is refused where it cannot be read, before DNS is asked', async () => {
    const asked = dns.queries()
    expect(await key([KEY_NAME], 'hello')).toMatchObject({ code: 64, stdout: '' })
    expect(await runInside(['key', KEY_NAME, '--entry', '2'])).toMatchObject({
      code: 64,
      stderr: 'signed-requests: --entry needs --request\n'
    })
    expect(dns.queries()).toBe(asked)
  })
})

describe('the signer of a request', () => {
  const LIMITS = { minRsaBits: 512, maxRsaBits: 16_384 }

  test('the signer of each vector that verifies is found, by both standards and each algorithm', async () => {
    const outcomes = { made: new Set<string>(), none: 0 }
    for (const vector of loadVectors()) {
      const { request, dns, verdict } = vector.json
      const [[name, records] = ['', []]] = Object.entries(dns)
      if (!Array.isArray(records) || records.length === 0) continue
      const found = records.map((strings: string[], i): FoundRecord => ({ text: strings.join(''), label: `${i}` }))
      const parsed = parseSigned({ request } as unknown as Entry, name)
      const { outcome, algorithm } = findSigner(parsed, name, found, LIMITS, undefined)
      const isMismatch = JSON.stringify(verdict).includes('signature-mismatch')
      if (verdict.status === 'verified') expect([vector.name, outcome]).toEqual([vector.name, 'made'])
      if (verdict.status === 'verified') outcomes.made.add(algorithm!)
      if (isMismatch && outcome === 'none') outcomes.none++
    }
    expect([...outcomes.made].sort()).toEqual(
      ['ed25519', 'hs2019', 'rsa-pss-sha512', 'rsa-sha256', 'rsa-sha512', 'rsa-v1_5-sha256'].sort()
    )
    expect(outcomes.none).toBeGreaterThan(10)
  })

  test('the signer of a request is found with another algorithm than the request names, which is not signed', () => {
    const renamed = withSignature(signed, value => value.replace('rsa-sha256', 'rsa-sha512'))
    const parsed = parseSigned({ request: renamed, notes: [] } as Entry, KEY_NAME)
    const { outcome, text } = findSigner(parsed, KEY_NAME, [{ text: RECORD, label: 'record 1' }], {}, undefined)
    expect(outcome).toBe('made')
    expect(text).toContain('(rsa-sha256, although the request names rsa-sha512).')
  })

  test.each([
    ['sha256', /\(which is written in hexadecimal, and base64 is expected\)/],
    ['sha512', /in hexadecimal, .*; by RSASSA-PKCS1-v1_5 with SHA-512, although the request names rsa-sha256/]
  ])('the signer of a request is found where its signature is in hexadecimal: %s', (hash, how) => {
    const { signingString } = resultOf(parseSigned({ request: signed, notes: [] } as Entry, KEY_NAME))
    const made = cryptoSign(hash, Buffer.from(signingString), ONE.privateKey).toString('hex')
    const request = withSignature(signed, value => value.replace(/(signature=")[^"]*/, `$1${made}`))
    const parsed = parseSigned({ request, notes: [] } as Entry, KEY_NAME)
    const { text, outcome } = findSigner(parsed, KEY_NAME, [{ text: ONE.record, label: 'record 1' }], {}, undefined)
    expect([outcome, text]).toEqual(['made', expect.stringMatching(how)])
  })

  test('the signer of a request is found by what its RSA signature shows: another hash, or another text', () => {
    const find = (hash: string, target: string) => {
      const { signingString } = resultOf(parseSigned({ request: signed, notes: [] } as Entry, KEY_NAME))
      const made = cryptoSign(hash, Buffer.from(signingString), ONE.privateKey).toString('base64')
      const resigned = withSignature(signed, value => value.replace(/(signature=")[^"]*/, `$1${made}`))
      const records = [TWO, ONE].map(({ record }, i) => ({ text: record, label: `record ${i + 1}` }))
      return findSigner(
        parseSigned({ request: { ...resigned, target }, notes: [] } as Entry, KEY_NAME),
        KEY_NAME,
        records,
        {},
        undefined
      )
    }
    const { text, ...made } = find('sha384', signed.target)
    expect(made).toEqual({ outcome: 'made', keyId: KEY_NAME, record: ONE.record, madeByKey: true })
    expect(text).toContain(
      'the key of record 2 (by RSASSA-PKCS1-v1_5 with SHA-384, although the request names rsa-sha256).'
    )
    for (const hash of ['sha256', 'sha384']) {
      const changed = find(hash, '/hook?id=43')
      expect(changed).toMatchObject({ outcome: 'none', record: ONE.record, madeByKey: true })
      expect(changed.text).toMatch(/^The key of record 2 made this signature, but over another text: /)
    }
    expect(find('sha256', signed.target)).toMatchObject({ algorithm: 'rsa-sha256', madeByKey: true })
  })

  test('the signer of a request is not looked for in more than 64 records', () => {
    const parsed = parseSigned({ request: signed, notes: [] } as Entry, KEY_NAME)
    const find = (count: number) =>
      findSigner(
        parsed,
        KEY_NAME,
        [...Array(count).fill({ text: TWO.record, label: 'another' }), { text: RECORD, label: 'the last' }],
        {},
        undefined
      )
    expect(find(63).outcome).toBe('made')
    expect(find(64)).toMatchObject({
      outcome: 'undecided',
      text: expect.stringContaining('there are more than 64 records')
    })
  })
})
