import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ONE } from '../../../fixtures/source/keys.ts'
import { parseKey } from '../../../src/core/key/cache.ts'
import { looksLikeKeyRecord } from '../../../src/core/key/record.ts'
import { listCauses } from '../../../src/explain/advice.ts'
import { findProblem, hidePrivateKeys, isRecordCode } from '../../../src/explain/record-mistakes.ts'
import { createVerifier, diagnose, explain, logRecord } from '../../../src/index.ts'
import { captureFixture } from '../../../src/testing/index.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { failing } from '../../support/failing.ts'
import { runInside } from '../../support/run-cli.ts'
import { service, withHeaders } from '../../support/service.ts'

const [KEY_NAME = ''] = Object.keys(service.records)
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const P = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const RECORD = `v=DKIM1; k=rsa; p=${P}`
const [HEAD, TAIL] = [RECORD.slice(0, 100), RECORD.slice(100)]
const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const ed25519 = generateKeyPairSync('ed25519').privateKey

/** Lists forms in which people paste private keys. */
const PRIVATE: Readonly<Record<string, string>> = {
  'PKCS#1 in base64': `v=DKIM1; k=rsa; p=${pkcs1}`,
  'PKCS#1 in PEM': String(privateKey.export({ type: 'pkcs1', format: 'pem' })),
  'PKCS#8 in PEM': `v=DKIM1; p=${privateKey.export({ type: 'pkcs8', format: 'pem' })}`,
  'PKCS#8 in PEM without line breaks': String(privateKey.export({ type: 'pkcs8', format: 'pem' })).replaceAll('\n', ''),
  'PKCS#8 of 2048 bits': derOf(ONE.privateKey, 'pkcs8'),
  'PKCS#8 of a curve': derOf(curve, 'pkcs8'),
  'SEC1 of a curve': derOf(curve, 'sec1'),
  'PKCS#8 of Ed25519': derOf(ed25519, 'pkcs8'),
  // Other programs than OpenSSL make these three: RFC 5958 section 2, RFC 8410 section 10.3 and RFC 5915 section 3.
  'PKCS#8 of Ed25519 with its public key': around('3051020101300506032b657004220420', `812100${'22'.repeat(32)}`),
  'PKCS#8 of a curve without its public key': around(
    '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'
  ),
  'SEC1 of a curve without its public key': around('30310201010420', 'a00a06082a8648ce3d030107'),
  'in strings with quotes': `"v=DKIM1; p=${pkcs1.slice(0, 10)}" "${pkcs1.slice(10)}"`
}

/** Returns a record with a private key of 32 bytes between these bytes of DER, in hexadecimal. */
function around(before: string, after = ''): string {
  return `v=DKIM1; p=${Buffer.from(before + '11'.repeat(32) + after, 'hex').toString('base64')}`
}

function derOf(key: typeof privateKey, type: 'pkcs8' | 'sec1'): string {
  return `v=DKIM1; p=${key.export({ type: type as 'pkcs8', format: 'der' }).toString('base64')}`
}

describe('what somebody did', () => {
  test.each<[mistake: string, ...texts: string[]]>([
    ...Object.values(PRIVATE).map(text => ['private-key', text] as [string, string]),
    ['private-key', 'v=spf1 -all', PRIVATE['PKCS#1 in base64']!],
    ['empty-tag', RECORD.replace(';', ';;')],
    ['empty-tag', RECORD.replace(';', '; \t;')],
    ['empty-tag', `;${RECORD}`],
    ['empty-tag', `${RECORD};;`],
    ['empty-tag', 'v=spf1 -all', ` ; ;${RECORD}; ;`],
    ['cut', `;${RECORD.slice(0, 120)}`],
    ['pasted-twice', RECORD + RECORD],
    ['pasted-twice', `${RECORD};${RECORD}`],
    ['pasted-twice', `v=DKIM1; p=${P}${P}`],
    ['pasted-twice', `v=DKIM1; p=${P.slice(0, 41).repeat(2)}`],
    ['split', HEAD, TAIL],
    ['split', TAIL, HEAD],
    ['split', RECORD.slice(150), RECORD.slice(0, 50), RECORD.slice(50, 150)],
    ['zone-file-characters', `"${HEAD}" "${TAIL}"`],
    ['zone-file-characters', RECORD.replaceAll(';', '\\;')],
    ['mail-program', RECORD.replace('k=rsa', 'k=3Drsa')],
    ['mail-program', `${HEAD}=\r\n${TAIL}`],
    ['mail-program', `> ${HEAD}\n> ${TAIL}`],
    ['mail-program', `${HEAD}\u200b${TAIL}`],
    ['mail-program', Buffer.from(`${HEAD}\u00a0${TAIL}`).toString('latin1')],
    ['cut', RECORD.slice(0, 120)],
    ['cut', RECORD.slice(0, -4)],
    ['cut', 'v=DKIM1; p=MIGfMA=='],
    ['cut', RECORD.slice(0, 120), 'v=spf1 -all'],
    ...['undefined', 'null', '[object Object]', '{{ key }}', '<public key>'].map(
      value => ['not-filled-in', `v=DKIM1; k=rsa; p=${value}`] as [string, string]
    ),
    ['pem-lines', `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'pem' })}`],
    ['pem-lines', `v=DKIM1; k=rsa; p=-----BEGIN PUBLIC KEY----- ${P}`],
    ['alias-as-text', 'key.provider.example.'],
    ['alias-as-text', 'one._domainkey CNAME key.provider.example'],
    ['alias-as-text', 'v=spf1 -all', 'CNAME key.provider.example.']
  ])('a mistake in a record is named, with its cause and its fix: %s (%#)', (mistake, ...texts) => {
    const problem = findProblem('key-unreadable', texts)
    expect(problem.mistake).toBe(mistake)
    for (const text of [problem.cause, problem.fix]) expect(text).toMatch(/^\w.*\w/)
  })

  test.each([
    ['a key with a wrong character', RECORD.replace(P, P.replace('A', '!'))],
    ['the record of SPF', 'v=spf1 include:key.provider.example -all'],
    ['a verification', 'google-site-verification=abc.def'],
    ['an address', '192.0.2.1'],
    ['a name without a dot', 'localhost'],
    ['a revoked key', 'v=DKIM1; p='],
    ['a text too short to have been pasted twice', 'p=a;p=a'],
    ['a key too short to have been pasted twice', `v=DKIM1; p=${'A'.repeat(80)}`],
    ['an empty text', '']
  ])('no mistake is recognised in %s', (_, text) => {
    expect(findProblem('key-malformed', [text])).toMatchObject({ mistake: 'key-malformed' })
  })

  test('a mistake is described in printable ASCII, with the names that are in the records', () => {
    expect(findProblem('key-unreadable', [RECORD.slice(0, 120)]).cause).toContain('cut at 120 characters')
    expect(findProblem('key-not-found', ['key.provider.example']).cause).toContain('(key.provider.example)')
    const appended = 'one.service.example.service.example'
    expect(findProblem('key-not-found', [], { misplaced: appended }).cause).toContain(appended)
  })
})

test.each([
  ['a._domainkey.service.example.service.example', 'appended twice, in a._domainkey.service.example.service.example'],
  ['one.a.service.example.a.service.example', 'appended twice'],
  ['one.example.one.service.example', 'it was withdrawn'],
  ['service.example.service.example', 'it was withdrawn']
])('explain names the zone that is twice in keyId: %s', async (name, cause) => {
  const request = withHeaders(service.sign(), { Signature: value => value.replace(KEY_NAME, name) })
  const verify = createVerifier({ ...service.options, lookupTxt: failing('ENOTFOUND') })
  const [failure] = diagnose(await verify(request)).failures
  expect(failure).toMatchObject({ code: 'key-not-found', cause: expect.stringContaining(cause) })
})

describe.each([
  ['two semicolons in a row', RECORD.replace(';', '; ;')],
  ['a semicolon at its start', `; ${RECORD}`],
  ['two semicolons at its end', `${RECORD};;`]
])('an empty tag, by %s', (_, text) => {
  const NAMED = 'the record has an empty tag: two semicolons in a row, or one at its start'

  test('explain refuses an empty tag, and names it with the corrected record', async () => {
    const lookupTxt = async () => [[text]]
    const verdict = await createVerifier({ ...service.options, lookupTxt })(service.sign())
    const [failure] = diagnose(verdict).failures
    expect(failure).toMatchObject({
      code: 'key-malformed',
      cause: `${NAMED}, which RFC 6376 section 3.2 does not allow`,
      fix: expect.stringContaining('The sender must publish the corrected record below.')
    })
    expect(failure!.facts).toContainEqual({
      id: 'correctedRecord',
      label: 'corrected record',
      value: RECORD,
      isLong: true
    })
    expect(failure!.facts).toContainEqual({ id: 'reason', label: 'because', value: 'a tag is empty', isLong: false })
    expect(explain(verdict)).toMatch(/\n {2}corrected record: v=DKIM1; /)
    expect(explain(verdict).replace(/\n +/g, '')).toContain(`corrected record: ${RECORD}`)
  })

  test('key names an empty tag with the corrected record, as text and as JSON', async () => {
    const dns = await startDnsServer({ [KEY_NAME]: [[text]] })
    onTestFinished(() => dns.close())
    const args = ['key', KEY_NAME, '--no-trace', '--dns-server', dns.address]
    const { code, stdout } = await runInside(args)
    expect(code).toBe(1)
    expect(stdout.replace(/\n/g, ' ')).toContain(`The sender must publish the corrected record below: ${NAMED}`)
    expect(stdout.replace(/\n +/g, '')).toContain(`corrected record: ${RECORD}`)
    const [report] = [JSON.parse((await runInside([...args, '--json'])).stdout)].flat()
    expect(report.records).toMatchObject([{ text, corrected: RECORD }])
  })
})

test('a record that is more than an empty tag away from a good one has no corrected form', async () => {
  const lookupTxt = async () => [[`;${RECORD.slice(0, 120)}`]]
  const verdict = await createVerifier({ ...service.options, lookupTxt })(service.sign())
  expect(explain(verdict)).not.toContain('corrected record')
})

test('the orders of many parts of a record are not all tried: sixteen have more than 10^13', () => {
  const parts = Array.from({ length: 15 }, (_, i) => RECORD.slice(100 + i * 8, 108 + i * 8))
  expect(findProblem('key-malformed', [HEAD, ...parts])).toMatchObject({ mistake: 'cut' })
})

describe('a private key in the record', () => {
  /** Looks for any eight successive characters of the secret, and for its text with wrapped lines. */
  const leaks = (output: string, secret: string): boolean => {
    const joined = output.replace(/\s+/g, '')
    const pieces = secret.replace(/.*?p=|-----[^-]*-----|[\s"]+/gs, '').match(/.{8}/g)!
    return pieces.some(piece => joined.includes(piece))
  }

  test('a private key in the record is hidden in every text, because another record may have the rest of it', () => {
    const texts = [PRIVATE['PKCS#1 in base64']!.slice(0, 255), PRIVATE['PKCS#1 in base64']!.slice(255)]
    expect(texts.map(hidePrivateKeys(texts))).toEqual(Array(2).fill('(not shown: a private key)'))
    expect([RECORD].map(hidePrivateKeys([RECORD]))).toEqual([RECORD])
  })

  test.each(Object.entries(PRIVATE))('a private key in the record is in no output: %s', async (_, text) => {
    const strings = text.match(/.{1,200}/gs)!
    for (const answer of [[strings], [['v=DKIM1; p='], strings], strings.map(string => [string])]) {
      const lookupTxt = async () => answer
      const options = { ...service.options, lookupTxt }
      const verdict = await createVerifier(options)(service.sign())
      const document = captureFixture(service.sign(), verdict, { options: service.options })
      const given = captureFixture(service.sign(), verdict, { options: service.options, dns: { [KEY_NAME]: answer } })
      const outputs = [explain(verdict), diagnose(verdict), logRecord(verdict), document, given]
      for (const output of outputs) expect(leaks(JSON.stringify(output), text)).toBe(false)
      expect(explain(verdict)).toContain('REVOKE THIS KEY NOW')
    }
  })

  test('a private key in the record is not printed by explain and key, as text and as JSON', async () => {
    const records: Record<string, string[][]> = {}
    const dns = await startDnsServer(records)
    onTestFinished(() => dns.close())
    for (const text of Object.values(PRIVATE)) {
      const strings = text.match(/.{1,200}/gs)!
      records[KEY_NAME] = [strings]
      const lookupTxt = async () => records[KEY_NAME]!
      const request = service.sign()
      const verdict = await createVerifier({ ...service.options, lookupTxt })(request)
      const document = captureFixture(request, verdict, { options: service.options })
      document.vectors[0]!.dns = { [KEY_NAME]: [strings] }
      for (const flags of [[], ['--json']]) {
        const outputs = [
          await runInside(['explain', '--trust-file-dns', ...flags], JSON.stringify(document)),
          await runInside(['key', KEY_NAME, '--no-trace', '--dns-server', dns.address, ...flags])
        ]
        for (const { stdout, stderr } of outputs) {
          expect(stdout).toMatch(/REVOKE\s+THIS\s+KEY\s+NOW/)
          expect(leaks(stdout + stderr, text)).toBe(false)
        }
      }
    }
  })
})

describe('explain CODE lists every mistake that a record with that code can show', () => {
  const ED25519 = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
  const HEADS = ['v=DKIM1; k=rsa; ', 'v=DKIM1; ', '', 'v=DKIM1; k=ed25519; ', 'v=DKIM1; h=sha256; k=rsa; ', 'k=rsa; ']
  const VALUES = [P, ED25519, pkcs1]
  const WRONG = [String(publicKey.export({ type: 'spki', format: 'pem' })), 'undefined']
  const CHANGES: readonly ((text: string) => readonly string[])[] = [
    text => [text],
    text => [text + text],
    text => [`${text};${text}`],
    text => [`"${text}"`],
    text => [text.replaceAll(';', '\\;')],
    text => [text.replace(/([kvh])=(\w+)/, '$1="$2"')],
    text => [text.replace(/p=(.*)$/s, 'p="$1"')],
    text => [text.replaceAll('=', '=3D')],
    text => [`> ${text}`],
    text => [`${text.slice(0, 30)}\u200b${text.slice(30)}`],
    text => [`${text.slice(0, 30)}=\r\n${text.slice(30)}`],
    text => [text.slice(0, 120)],
    text => [text.replace(';', ';;')],
    text => [`${text};;`],
    text => [`v=DKIM1 ${text}`],
    text => [text.slice(text.indexOf('p=') + 2)],
    ...[9, 16, 50].map(at => (text: string) => [text.slice(0, at), text.slice(at)])
  ]
  const records = HEADS.flatMap(head => [
    ...VALUES.flatMap(value => CHANGES.map(change => change(`${head}p=${value}`))),
    ...WRONG.map(value => [`${head}p=${value}`])
  ])
  const unusable = records.flatMap(texts => {
    const keys = texts.filter(looksLikeKeyRecord).map(text => parseKey(text))
    const [first] = keys
    if (keys.some(({ ok }) => ok)) return []
    const code = first === undefined || first.ok ? 'key-not-found' : first.code
    return isRecordCode(code) ? [{ code, texts, problem: findProblem(code, texts) }] : []
  })
  const withoutNumbers = (text: string) => text.replace(/\d+|\(.*\)/g, '')

  test.each([...new Set(unusable.map(({ code }) => code))])('%s', code => {
    const listed = listCauses(code).map(({ cause }) => withoutNumbers(cause))
    for (const { texts, problem } of unusable.filter(each => each.code === code && each.problem.mistake !== code))
      expect(listed, JSON.stringify(texts)).toContain(withoutNumbers(problem.cause))
  })
})
