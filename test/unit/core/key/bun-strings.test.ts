import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ED25519, RSA_1024 as ONE, EXPONENT_3 as TWO } from '../../../../fixtures/source/keys.ts'
import { joinStrings } from '../../../../src/core/key/bun-strings.ts'
import { importPublicKey } from '../../../../src/core/key/key-types.ts'
import { parseKeyRecord } from '../../../../src/core/key/record.ts'
import { forAll } from '../../properties/arbitraries.ts'

/** Returns records as Bun does: each string as a record. */
const flatten = (records: readonly (readonly string[])[]): string[][] => records.flat().map(string => [string])
const texts = (records: readonly (readonly string[])[]): string[] => records.map(record => record.join(''))
const cutInTwo = (text: string): string[][] =>
  Array.from(text.slice(1), (_, i) => [text.slice(0, i + 1), text.slice(i + 1)])
const cut = (text: string, length: number): string[] => text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? ['']

/** Returns the keys of the usable records. */
function usable(records: readonly (readonly string[])[]): string[] {
  return records.flatMap(record => {
    const parsed = parseKeyRecord(record)
    return parsed.ok && importPublicKey(parsed.value).ok
      ? [`${Buffer.from(parsed.value.publicKey).toString('base64')} ${parsed.value.hashes}`]
      : []
  })
}

const GENKEY = (p: string) => ['v=DKIM1; h=sha256; k=rsa; ', `p=${p.slice(0, 150)}`, p.slice(150)]

describe('one record', () => {
  test('one record is joined, wherever it is cut', () => {
    for (const record of [ONE.record, `p=${ONE.p}`, `k=rsa; t=s; p=${ONE.p};`, ED25519.record])
      for (const strings of cutInTwo(record)) expect(joinStrings(flatten([strings]))).toEqual([strings])
  })

  test.each([1, 2, 5, 70, 250, 255])('one record is joined, in strings of %d octets', length => {
    for (const record of [ONE.record, ED25519.record, `${ONE.record}; n=old`, `v=DKIM1; p=; n=old`]) {
      expect(texts(joinStrings(flatten([cut(record, length)])))).toEqual([record])
    }
  })

  test('one record is joined, as opendkim-genkey prints it', () => {
    expect(joinStrings(flatten([GENKEY(ONE.p)]))).toEqual([GENKEY(ONE.p)])
  })

  test('keeps what comes after the key: a restriction is not cut off', () => {
    const tails = ['; t=y', ';t=y', ' ; t=y', '; n=x v=1 a-b=c; t=y', '; s=tlsrpt', '; h=sha1', '; t=y;;', ' junk']
    for (const record of tails.map(tail => ONE.record + tail))
      for (const strings of cutInTwo(record))
        expect(usable(joinStrings(flatten([strings])))).toEqual(usable([[record]]))
  })
})

describe('several records', () => {
  const spf = ['v=spf1 ', 'include:mail.example -all']
  const dmarc = ['v=DMARC1; ', 'p=none; rua=mailto:a@example']
  const site = ['google-site-verification=', 'abc_-123']
  const token = ['MS=ms12345']
  const words = ['some text']

  test('two key records stay two, each cut', () => {
    for (const [one, two] of [
      [cut(ONE.record, 70), cut(TWO.record, 250)],
      [GENKEY(ONE.p), GENKEY(TWO.p)],
      [cut(`${ONE.record};`, 100), cut(`${TWO.record}; `, 9)],
      [[ONE.record], [`p=${TWO.p}`]],
      [cut(ONE.record, 70), cut(ED25519.record, 30)]
    ]) {
      expect(joinStrings(flatten([one!, two!]))).toEqual([one, two])
    }
  })

  test('a revoked record and its successor stay two', () => {
    const revoked = ['v=DKIM1; k=rsa; ', 'p=']
    expect(joinStrings(flatten([revoked, GENKEY(ONE.p)]))).toEqual([revoked, GENKEY(ONE.p)])
    expect(joinStrings(flatten([GENKEY(ONE.p), revoked]))).toEqual([GENKEY(ONE.p), revoked])
  })

  test.each([spf, dmarc, site, token, words])('unrelated text neither joins a key nor spoils it: %s', (...other) => {
    for (const record of [cut(ONE.record, 70), GENKEY(ONE.p), cut(ONE.record, 200)]) {
      for (const records of [
        [other, record],
        [record, other],
        [other, record, other, GENKEY(TWO.p)]
      ]) {
        const keys = texts(records).filter(text => text.startsWith('v=DKIM1'))
        expect(texts(joinStrings(flatten(records)))).toEqual(expect.arrayContaining(keys))
      }
    }
  })

  test('makes no key from a revoked record and text that is not a key', () => {
    const records = [['v=DKIM1; k=rsa; p='], ['verification-token']]
    expect(usable(joinStrings(flatten(records)))).toEqual([])
  })

  test('no key among several records loses the version, type or flags before it', () => {
    const heads = [
      'v=DKIM1; t=y; ',
      'v=DKIM1; k=ed25519; ',
      'v=DKIM2; ',
      'v=DKIM1; s=tlsrpt;',
      'v=DKIM1; n=x',
      'v=other; '
    ]
    for (const head of heads) expect(usable(joinStrings(flatten([[head, `p=${ONE.p}`]])))).toEqual([])
  })
})

describe('two strings', () => {
  const KEY = `v=DKIM1; p=${ONE.p}`

  test.each([
    ['a version', 'v=DKIM1; n=note', KEY],
    ['a key record without a version, after other text', 'some text', `p=${ONE.p}`],
    ['the same with white space', 'some text', `\tk\t=rsa; p=${ONE.p}`],
    ['the same at the longest text that is looked at', 'x'.repeat(4096), `p=${ONE.p}`],
    ['anything after a whole key', KEY, 'more'],
    ['anything after a whole Ed25519 key', ED25519.record, 'more'],
    ['a version with white space', 'v=DKIM1; n=note', ` \tv = ${KEY.slice(2)}`],
    ['another version with white space', `${KEY}; t=s`, ' \tv \t= \tspf1 -all'],
    ['SPF after a semicolon', `${KEY};`, 'v=spf1 -all'],
    ['SPF after what is not a tag', `${KEY}; x y=1`, 'v=spf1 -all'],
    ['SPF after flags', `${KEY}; t=s`, 'v=spf1 -all'],
    ['a name with a hyphen after flags', `${KEY}; t=s`, 'site-verification=abc'],
    ['anything after hashes that no receiver takes', `p=${ONE.p};h=sha1`, 'more'],
    ['the same with white space', `v=DKIM1;p =${ONE.p}; h=sha1`, 'more'],
    ['anything after a service that is not email', `${KEY}; s=tlsrpt`, 'more'],
    ['anything after a type that no receiver takes', `${KEY}; k=dsa`, 'more']
  ])('two strings are two records: %s', (_, one, two) => expect(joinStrings([[one], [two]])).toEqual([[one], [two]]))

  test.each([
    ['nothing after a key', KEY, ''],
    ['white space after a key', KEY, ' '],
    ['a key record after a tag list that goes on', 'x=1; ', `p=${ONE.p}`],
    ['a note that goes on', `${KEY};n=note `, 'v=spf1 -all'],
    ['a version that is not at the start', 'v=DKIM1; n=note', 'a v=DKIM1'],
    ['another version that is not at the start', `${KEY}; t=s`, 'a v=spf1'],
    ['a name that begins with v', `${KEY}; t=s`, ';vx=1'],
    ['a long name', `${KEY}; note=`, 'v=spf1 -all'],
    ['white space in front of an equals sign', `${KEY}; n =`, 'v=spf1 -all'],
    ['hashes that a receiver takes', `${KEY}; h=sha256`, ':sha1'],
    ['text longer than any key record', 'x'.repeat(4097), `p=${ONE.p}`]
  ])('two strings are one record: %s', (_, one, two) => expect(joinStrings([[one], [two]])).toEqual([[one, two]]))

  test('two strings are judged with all strings of the record before', () => {
    expect(joinStrings([['v=DKIM1; p=', ONE.p], ['more']])).toEqual([['v=DKIM1; p=', ONE.p], ['more']])
  })
})

test('drops nothing and adds nothing', () =>
  forAll([fc.array(fc.string())], strings => expect(joinStrings(flatten([strings])).flat()).toEqual(strings)))

test('does not change an answer whose records have several strings', () => {
  const answer = [GENKEY(ONE.p), ['v=spf1 ', '-all'], cut(TWO.record, 70)]
  expect(joinStrings(answer)).toEqual(answer)
})

// A tail may follow a key in one record, or makes the record unusable.
const record = fc
  .tuple(
    fc.constantFrom('v=DKIM1; k=rsa; ', 'v=DKIM1; ', 'v=DKIM1;', 'v=DKIM1; t=y; ', 'v=DKIM1; h=sha256; ', ''),
    fc.constantFrom(ONE.p, TWO.p, '', ONE.p.slice(0, 100), `${ONE.p.slice(0, 50)} ${ONE.p.slice(50)}`),
    fc.constantFrom('', ';', '; ', '; t=y', '; s=email', '; s=tlsrpt', '; h=sha1', '; t=s', ';;', ' ;; t=y')
  )
  .map(([head, p, tail]) => `${head}p=${p}${tail}`)
const other = fc.constantFrom('v=spf1 -all', 'v=DMARC1; p=none', 'google-site-verification=abc', 'MS=ms1', 'text', '')

test('never makes a usable key that is in no usable record', () => {
  const pieces = fc.array(fc.nat(90), { minLength: 1, maxLength: 8 })
  const parts = fc.array(fc.tuple(fc.oneof(record, other), pieces), { maxLength: 5 })
  const onlyUsable = (cutTexts: [text: string, lengths: number[]][]) => {
    const truth = cutTexts.map(([text, lengths]) => {
      const ends = lengths.map((_, i) => lengths.slice(0, i + 1).reduce((sum, length) => sum + length))
      return [0, ...ends].map((start, i) => text.slice(start, ends[i]))
    })
    const allowed = usable(truth)
    for (const key of usable(joinStrings(flatten(truth)))) expect(allowed).toContain(key)
  }
  return forAll([parts], onlyUsable, { numRuns: 1000 })
})
