import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ED25519, RSA_1024 as ONE, EXPONENT_3 as TWO } from '../../../../fixtures/source/keys.ts'
import { joinIntoRecords } from '../../../../src/core/key/bun-strings.ts'
import { importPublicKey } from '../../../../src/core/key/key-types.ts'
import { parseKeyRecord } from '../../../../src/core/key/record.ts'
import { forAll } from '../../properties/arbitraries.ts'

/** Returns records as Bun does: each string as a record. */
const flatten = (records: readonly (readonly string[])[]): string[][] => records.flat().map(string => [string])
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
const joined = (...strings: string[]) => joinIntoRecords(flatten([strings]))
const AMBIGUOUS = expect.objectContaining({ code: 'EAMBIGUOUS' })

describe('one record', () => {
  test.each([0, 1])('one string is one record, and so is no string, whatever it is: %d', count => {
    for (const string of ['', 'v=spf1 -all', `${ONE.record} junk`]) {
      const answer = [[string]].slice(0, count)
      expect(joinIntoRecords(answer)).toEqual(answer)
    }
  })

  test('one record is joined, wherever its key is cut', () => {
    for (const record of [ONE.record, `p=${ONE.p}`, `k=rsa; t=s; p=${ONE.p};`, ED25519.record]) {
      const key = record.indexOf('p=') + 2
      for (let at = key; at <= record.length; at++)
        expect(joined(record.slice(0, at), record.slice(at))).toEqual([[record.slice(0, at), record.slice(at)]])
    }
  })

  test.each([70, 250, 255])('one record is joined, in strings of %d octets', length => {
    for (const record of [ONE.record, TWO.record, `${ONE.record};`])
      expect(joined(...cut(record, length))).toEqual([cut(record, length)])
  })

  test('one record is joined, as opendkim-genkey prints it', () => {
    expect(joined(...GENKEY(ONE.p))).toEqual([GENKEY(ONE.p)])
  })

  test('a restriction after the key is in the record, with its semicolon on either side of the cut', () => {
    for (const restriction of ['t=y', 's=tlsrpt', 'h=sha1', 'h=sha512', 't=s'])
      for (const [one, two] of [
        [`${ONE.record};`, restriction],
        [ONE.record, `; ${restriction}`],
        [`${ONE.record} `, ` ;${restriction}`]
      ])
        expect(joined(one!, two!)).toEqual([[one, two]])
  })

  test('a revoked key and one of another version are joined: they are no key in any reading', () => {
    for (const strings of [
      ['v=DKIM1; k=rsa; ', 'p='],
      ['v=DKIM2; k=rsa;', `p=${ONE.p}`],
      ['k=dsa;', `p=${ONE.p}`]
    ])
      expect(joined(...strings)).toEqual([strings])
  })

  test('strings without p= are joined: they hold no key', () => {
    for (const strings of [
      ['v=spf1 ', '-all'],
      ['some text', 'google-site-verification=abc'],
      ['v=DKIM1;', ' k=rsa']
    ])
      expect(joined(...strings)).toEqual([strings])
  })
})

describe('a guess would be needed', () => {
  test.each<[string, ...string[]]>([
    ['two keys', ONE.record, TWO.record],
    ['two keys, each cut', ...cut(ONE.record, 70), ...cut(TWO.record, 250)],
    ['a revoked key and its successor', 'v=DKIM1; p=', ONE.record],
    ['a key and SPF', ONE.record, 'v=spf1 -all'],
    ['a key with a semicolon and SPF', `${ONE.record};`, 'v=spf1 -all'],
    ['SPF and a key', 'v=spf1 ', '-all', ONE.record],
    ['a key and a site verification', ONE.record, 'google-site-verification=abc'],
    ['a key with a semicolon and a site verification', `${ONE.record}; `, 'google-site-verification=abc'],
    ['a key and other text', ONE.record, 'some text'],
    ['a test key and other text', `${ONE.record}; t=y`, 'some text'],
    ['a note and a test key', 'v=DKIM1; n=note', `t=y; p=${ONE.p}`],
    ['the same, with the equals sign in a third string', 'v=DKIM1; n=note', 't', `=y; p=${ONE.p}`],
    ['hashes that are cut', 'v=DKIM1; h=sha1:sha2', `56; p=${ONE.p}`],
    ['a flag that is cut', `${ONE.record}; t=y`, 'es'],
    ['the name of the key that is cut off', 'v=DKIM1; p', `=${ONE.p}`],
    ['a revoked key and a text in its alphabet', 'v=DKIM1; p=', 'token'],
    ['half a key', 'v=DKIM1; p=', ONE.p.slice(0, 100)],
    ['a key and what cannot be its end', ONE.record, 'AAAA'],
    ['an Ed25519 key and what cannot be its end', ED25519.record, 'AAAA'],
    ['a record longer than any', `v=DKIM1; n=${'x'.repeat(4096)};`, `p=${ONE.p}`]
  ])('%s', (_, ...strings) => expect(() => joined(...strings)).toThrow(AMBIGUOUS))
})

test('takes linear time for many strings', () => {
  const strings = [...`v=DKIM1; n=${' '.repeat(4000)}; p=${'A'.repeat(60_000)}`]
  const start = performance.now()
  expect(() => joined(...strings)).toThrow(AMBIGUOUS)
  expect(performance.now() - start).toBeLessThan(500)
})

/** Returns what is joined; nothing where a guess would be needed. */
function joinedOrNothing(records: readonly (readonly string[])[]): string[][] {
  try {
    return joinIntoRecords(flatten(records))
  } catch (error) {
    expect(error).toEqual(AMBIGUOUS)
    return []
  }
}

test('drops nothing and adds nothing', () =>
  forAll([fc.array(fc.string())], strings => {
    const records = joinedOrNothing([strings])
    if (records.length > 0) expect(records.flat()).toEqual(strings)
  }))

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
    for (const key of usable(joinedOrNothing(truth))) expect(allowed).toContain(key)
  }
  return forAll([parts], onlyUsable, { numRuns: 1000 })
})
