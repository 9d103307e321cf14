import { expect, test } from 'vitest'
import { rsaPublicKey } from '../../../../fixtures/source/der.ts'
import { ED25519, modulusOf, ONE, RSA_512, RSA_1024, type TestKey } from '../../../../fixtures/source/keys.ts'
import { KEY_TAGS, looksLikeKeyRecord } from '../../../../src/core/key/record.ts'
import { importPublicKey, parseKeyRecord } from '../../../../src/index.ts'

const read = (record: string | string[]): unknown => {
  const result = parseKeyRecord(record)
  if (!result.ok)
    return [result.code, 'reason' in (result.evidence ?? {}) && (result.evidence as { reason: string }).reason]
  const { type, hashes, flags, publicKey, text } = result.value
  return { type, hashes, flags, p: Buffer.from(publicKey).toString('base64'), text }
}

test('returns what a record says, with nothing added', () => {
  expect(read(`p=${ONE.p}`)).toEqual({ type: 'rsa', hashes: undefined, flags: [], p: ONE.p, text: `p=${ONE.p}` })
  const full = `v=DKIM1; k=ed25519; h=sha1:sha512 : x; s=*; t=s: ;n="\\; p=${ED25519.p}`
  expect(read(full.replace('\\;', ';'))).toEqual({
    type: 'ed25519',
    hashes: ['sha1', 'sha512', 'x'],
    flags: ['s', ''],
    p: ED25519.p,
    text: full.replace('\\;', ';')
  })
})

test.each(KEY_TAGS)('%s= has no quotes and no backslashes', name => {
  const values: Record<string, string> = { v: 'DKIM1', k: 'rsa', h: 'sha256', s: '*', t: 's', p: ONE.p }
  const written = (change: (value: string) => string) =>
    Object.entries(values)
      .map(([tag, value]) => `${tag}=${tag === name ? change(value) : value}`)
      .join('; ')
  expect(read(written(value => value))).toMatchObject({ type: 'rsa' })
  for (const change of [(value: string) => `"${value}"`, (value: string) => `\\${value}`]) {
    expect(read(written(change))).toEqual(['key-malformed', `${name}= has a quote or a backslash`])
  }
})

test.each([
  ['', 'a tag is empty'],
  [';', 'a tag is empty'],
  ['; ;', 'a tag is empty'],
  ['v', 'a tag has no equals sign'],
  ['=x; p=', 'a tag name is not a letter followed by letters, digits and underscores'],
  ['v=DKIM1', 'there is no p='],
  ['"v=DKIM1; p="', 'it begins with a quote, as zone files write it'],
  [' \\"v=DKIM1; p="', 'it begins with a quote, as zone files write it']
])('%j is malformed: %s', (text, reason) => expect(read(text)).toEqual(['key-malformed', reason]))

const MEANT = [
  'v=DKIM1; k=rsa; p=x',
  'V=DKIM1; p=x',
  'v=',
  'p=',
  'k=rsa; p=',
  'p=x; v=DKIM1',
  'v=dKiM',
  'v=spf1; v=DKIM1',
  'v=DKIM1; v=spf1',
  '"v=DKIM1; p=x"',
  "'v=DKIM1'",
  'v="DKIM1"',
  'v=\\"DKIM1\\"',
  '" v "= DKIM1',
  ' "v" = "DKIM1" ',
  'v="" DKIM1',
  '\xa0p\xa0=x'
]
const NOT_MEANT = [
  'p=x; v=spf1',
  'v=spf1; p=x',
  'v=DKI',
  'v=XDKIM1',
  'v="x"DKIM1',
  'P=x',
  'pp',
  'vv',
  'p',
  '=p',
  '=x; =y',
  'xp=1',
  '',
  '"',
  'hello'
]

test.each([...MEANT.map(text => [text, true] as const), ...NOT_MEANT.map(text => [text, false] as const)])(
  '%j is meant as a key record: %j',
  (text, expected) => expect(looksLikeKeyRecord(text)).toBe(expected)
)

test('reads a PKCS #1 key as one, whichever way its length is written', () => {
  const der = (key: TestKey) => rsaPublicKey(modulusOf(key), 65537n)
  const imported = (publicKey: Uint8Array, minRsaBits = 1024) => {
    const result = importPublicKey({ type: 'rsa', publicKey, hashes: undefined, flags: [], text: '' }, { minRsaBits })
    return result.ok ? result.value.bits : result.code
  }
  // Below 128 bytes the length takes one byte.
  expect(der(RSA_512)[1]).toBeLessThan(0x80)
  expect(imported(der(RSA_512))).toBe('key-too-short')
  expect(imported(der(RSA_512), 512)).toBe(512)
  expect(imported(der(RSA_1024))).toBe(1024)
  expect(imported(der(ONE))).toBe(2048)
  for (const hex of ['', '30', '3000', '3006020100020100', '30800201000201000000', '308102', '30ff02']) {
    expect(imported(Buffer.from(hex, 'hex'))).not.toEqual(expect.any(Number))
  }
})
