import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBase64 } from '../../../src/core/http/base64.ts'
import { parseDigestHeader, parseHttpDate, parseKeyRecord, parseSignatureHeader } from '../../../src/index.ts'
import { createSigningKey } from '../../../src/testing/sign.ts'
import { forAll, token } from './arbitraries.ts'

const whiteSpace = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 3 })
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const otherName = token.map(name => `x${name}`)
const integer = fc.integer({ min: 0, max: 999_999_999_999_999 })

test('a Signature header, in any order, with any white space and unknown parameters', () => {
  const quotable = fc.string({ unit: fc.constantFrom(...'abcXYZ019._-:/ é,=;'), maxLength: 30 })
  const name = fc.oneof(token, fc.constantFrom('(request-target)', '(created)', '(Expires)'))
  const known = fc.record(
    {
      keyId: quotable,
      signature: fc.uint8Array({ minLength: 1, maxLength: 64 }),
      algorithm: quotable,
      headers: fc.array(name, { minLength: 1, maxLength: 20 }),
      created: integer,
      expires: integer
    },
    { requiredKeys: ['keyId', 'signature'] }
  )
  const value = fc.oneof(token, fc.constantFrom('""', '"a, b=c"', '"\\"keyId=\\\\"', '"é"'))
  const unknown = fc.uniqueArray(fc.tuple(otherName, value), { selector: ([name]) => name.toLowerCase(), maxLength: 4 })
  const order = fc.array(fc.nat(), { minLength: 10, maxLength: 10 })
  const layout = fc.record({ order, before: whiteSpace, after: whiteSpace })
  return forAll([known, unknown, layout], (parameters, others, { order, before, after }) => {
    const { signature, headers = ['(created)'], ...rest } = parameters
    const quoted = { ...rest, signature: encodeBase64(signature), headers: parameters.headers?.join(' ') }
    const written = [...Object.entries(quoted).filter(([, value]) => value !== undefined), ...others].map(
      ([name, value]) => `${name}=${typeof value === 'string' && name in quoted ? `"${value}"` : value}`
    )
    const shuffled = written
      .map((each, i) => ({ each, at: order[i]! }))
      .sort((a, b) => a.at - b.at)
      .map(({ each }) => each)
    const result = parseSignatureHeader(before + shuffled.join(`${after},${before}`) + after)

    const expected = { ...parameters, headers: headers.map(name => name.toLowerCase()) }
    expect(result.ok && { ...result.value, signature: new Uint8Array(result.value.signature) }).toEqual(expected)
  })
})

test('a Digest header, in any case, with any white space', () => {
  const digest = fc.oneof(
    fc.tuple(fc.constantFrom('SHA-256', 'sha-256', 'Sha-256'), bytes(32)),
    fc.tuple(fc.constantFrom('SHA-512', 'sha-512'), bytes(64)),
    fc.tuple(otherName, fc.uint8Array({ minLength: 1, maxLength: 20 }))
  )
  const list = fc.array(digest, { minLength: 1, maxLength: 8 })
  return forAll([list, whiteSpace, whiteSpace], (digests, before, after) => {
    const text = digests.map(([name, value]) => `${before}${name}=${encodeBase64(value)}${after}`).join(',')
    const result = parseDigestHeader(text)
    const expected = digests.map(([name, value]) => [name.toLowerCase(), value])
    const read = result.ok && result.value.map(({ algorithm, value }) => [algorithm, new Uint8Array(value)])
    expect(read).toEqual(expected)
  })
})

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

test('an HTTP-date, in all three forms', () => {
  const seconds = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 })
  return forAll([seconds], second => {
    const date = new Date(second * 1000)
    const text = date.toUTCString()
    const [, day, month, year, time] = text.split(' ')
    const weekday = DAYS[date.getUTCDay()]!
    const asctime = `${weekday.slice(0, 3)} ${month} ${day!.replace(/^0/, ' ')} ${time} ${year}`
    for (const form of [text, asctime]) expect(parseHttpDate(form)).toEqual({ ok: true, value: date })

    const isShortYear = date.getUTCFullYear() >= 1970 && date.getUTCFullYear() <= 2069
    const rfc850 = parseHttpDate(`${weekday}, ${day}-${month}-${year!.slice(-2)} ${time} GMT`)
    if (isShortYear) expect(rfc850).toEqual({ ok: true, value: date })
  })
})

test('an HTTP-date has one value and no near-misses: a changed character gives another date or none', () => {
  const seconds = fc.integer({ min: 0, max: 4_000_000_000 })
  const character = fc.integer({ min: 0, max: 0x17f }).map(code => String.fromCharCode(code))
  return forAll([seconds, fc.nat(28), character], (second, at, replacement) => {
    const text = new Date(second * 1000).toUTCString()
    const changed = text.slice(0, at) + replacement + text.slice(at + 1)
    const result = parseHttpDate(changed)
    // second 60 is written as the next day's first
    if (result.ok && !changed.includes(':60 ')) expect(result.value.toUTCString()).toBe(changed)
  })
})

test('a key record, in chunks of any size, with white space at every place that may have it', () => {
  const key = createSigningKey('a.service.example', 1024)
  const p = key.record.join('').split('p=')[1]!
  const fold = fc.string({ unit: fc.constantFrom(' ', '\t', '\r\n '), maxLength: 3 })
  const sizes = fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 4, maxLength: 4 })
  return forAll([sizes, fold, fold], (sizes, a, b) => {
    const spread = p.replace(/.{50}/g, part => part + a)
    const text = `${a}v${b}=${a}DKIM1${b};k=rsa;${a}h${b}=sha1${a}:${b}sha256; p=${b}${spread}${a};${b}`
    const chunks: string[] = []
    for (let at = 0, i = 0; at < text.length; at += sizes[i++ % 4]!) chunks.push(text.slice(at, at + sizes[i % 4]!))
    const result = parseKeyRecord(chunks)
    expect(result).toMatchObject({ ok: true, value: { type: 'rsa', hashes: ['sha1', 'sha256'], flags: [], text } })
    expect(result.ok && encodeBase64(result.value.publicKey)).toBe(p)
  })
})
