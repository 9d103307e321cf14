import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBase64 } from '../../../src/http/base64.ts'
import { parseDigestHeader, parseHttpDate, parseKeyRecord, parseSignatureHeader } from '../../../src/index.ts'
import { createSigningKey } from '../../../src/testing/sign.ts'
import { token } from './arbitraries.ts'

const RUNS = { numRuns: 500 }
const whiteSpace = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 3 })
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const integer = fc.integer({ min: 0, max: 999_999_999_999_999 })

test('a Signature header, in any order, with any white space and unknown parameters', () => {
  const quotable = fc.string({ unit: fc.constantFrom(...'abcXYZ019._-:/ é,=;'), maxLength: 30 })
  const known = fc.record(
    {
      keyId: quotable,
      signature: fc.uint8Array({ minLength: 1, maxLength: 64 }),
      algorithm: quotable,
      headers: fc.array(fc.oneof(token, fc.constantFrom('(request-target)', '(created)', '(Expires)')), {
        minLength: 1,
        maxLength: 20
      }),
      created: integer,
      expires: integer
    },
    { requiredKeys: ['keyId', 'signature'] }
  )
  const unknown = fc.uniqueArray(
    fc.tuple(
      token.map(name => `x${name}`),
      fc.oneof(token, fc.constantFrom('""', '"a, b=c"', '"\\"keyId=\\\\"', '"é"'))
    ),
    { selector: ([name]) => name, maxLength: 4 }
  )
  const layout = fc.record({
    order: fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
    before: whiteSpace,
    after: whiteSpace
  })

  fc.assert(
    fc.property(known, unknown, layout, (parameters, others, { order, before, after }) => {
      const { keyId, signature, algorithm, headers, created, expires } = parameters
      const written = [
        `keyId="${keyId}"`,
        `signature="${encodeBase64(signature)}"`,
        ...(algorithm === undefined ? [] : [`algorithm="${algorithm}"`]),
        ...(headers === undefined ? [] : [`headers="${headers.join(' ')}"`]),
        ...(created === undefined ? [] : [`created=${created}`]),
        ...(expires === undefined ? [] : [`expires=${expires}`]),
        ...others.map(([name, value]) => `${name}=${value}`)
      ]
      const shuffled = written
        .map((each, i) => ({ each, at: order[i]! }))
        .sort((a, b) => a.at - b.at)
        .map(({ each }) => each)
      const result = parseSignatureHeader(before + shuffled.join(`${after},${before}`) + after)

      const expected = { ...parameters, headers: (headers ?? ['(created)']).map(name => name.toLowerCase()) }
      expect(result.ok && { ...result.value, signature: new Uint8Array(result.value.signature) }).toEqual(expected)
    }),
    RUNS
  )
})

test('a Digest header, in any case, with any white space', () => {
  const digest = fc.oneof(
    fc.tuple(fc.constantFrom('SHA-256', 'sha-256', 'Sha-256'), bytes(32)),
    fc.tuple(fc.constantFrom('SHA-512', 'sha-512'), bytes(64)),
    fc.tuple(
      token.map(name => `x${name}`),
      fc.uint8Array({ minLength: 1, maxLength: 20 })
    )
  )
  fc.assert(
    fc.property(fc.array(digest, { minLength: 1, maxLength: 8 }), whiteSpace, whiteSpace, (digests, before, after) => {
      const text = digests.map(([name, value]) => `${before}${name}=${encodeBase64(value)}${after}`).join(',')
      const result = parseDigestHeader(text)
      expect(result.ok && result.value.map(({ algorithm, value }) => [algorithm, new Uint8Array(value)])).toEqual(
        digests.map(([name, value]) => [name.toLowerCase(), value])
      )
    }),
    RUNS
  )
})

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

test('an HTTP-date, in all three forms', () => {
  const seconds = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 })
  fc.assert(
    fc.property(seconds, second => {
      const date = new Date(second * 1000)
      const text = date.toUTCString()
      expect(parseHttpDate(text)).toEqual({ ok: true, value: date })

      const [, day, month, year, time] = text.split(' ')
      const weekday = DAYS[date.getUTCDay()]!
      const asctime = `${weekday.slice(0, 3)} ${month} ${day!.replace(/^0/, ' ')} ${time} ${year}`
      expect(parseHttpDate(asctime)).toEqual({ ok: true, value: date })

      const isShortYear = date.getUTCFullYear() >= 1970 && date.getUTCFullYear() <= 2069
      const rfc850 = parseHttpDate(`${weekday}, ${day}-${month}-${year!.slice(-2)} ${time} GMT`)
      if (isShortYear) expect(rfc850).toEqual({ ok: true, value: date })
    }),
    RUNS
  )
})

test('an HTTP-date has one value and no near-misses: a changed character gives another date or none', () => {
  const seconds = fc.integer({ min: 0, max: 4_000_000_000 })
  const character = fc.integer({ min: 0, max: 0x17f }).map(code => String.fromCharCode(code))
  fc.assert(
    fc.property(seconds, fc.nat({ max: 28 }), character, (second, at, replacement) => {
      const text = new Date(second * 1000).toUTCString()
      const changed = text.slice(0, at) + replacement + text.slice(at + 1)
      const result = parseHttpDate(changed)
      if (!result.ok) return
      // second 60 is written as the next day's first
      if (!changed.includes(':60 ')) expect(result.value.toUTCString()).toBe(changed)
    }),
    RUNS
  )
})

test('a key record, in chunks of any size, with white space at every place that may have it', () => {
  const key = createSigningKey('a.service.example', 1024)
  const p = key.record.join('').split('p=')[1]!
  const fold = fc.string({ unit: fc.constantFrom(' ', '\t', '\r\n '), maxLength: 3 })
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 4, maxLength: 4 }),
      fold,
      fold,
      (sizes, a, b) => {
        const spread = p.replace(/.{50}/g, part => part + a)
        const text = `${a}v${b}=${a}DKIM1${b};k=rsa;${a}h${b}=sha1${a}:${b}sha256; p=${b}${spread}${a};${b}`
        const chunks: string[] = []
        for (let at = 0, i = 0; at < text.length; at += sizes[i++ % 4]!) {
          chunks.push(text.slice(at, at + sizes[i % 4]!))
        }
        const result = parseKeyRecord(chunks)
        expect(result).toMatchObject({ ok: true, value: { type: 'rsa', hashes: ['sha1', 'sha256'], flags: [], text } })
        expect(result.ok && encodeBase64(result.value.publicKey)).toBe(p)
      }
    ),
    RUNS
  )
})
