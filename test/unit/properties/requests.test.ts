import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Code, createVerifier, type ReceivedRequest } from '../../../src/index.ts'
import { flip } from '../../support/rsa.ts'
import { linesOf, service } from '../../support/service.ts'
import { forAll, signable } from './arbitraries.ts'

const verify = createVerifier(service.options)

/** Signs a request that has every part. */
const signed = service.sign({
  method: 'POST',
  target: '/hook/caf\xe9?id=42&a=%20',
  body: '{"event":"published","title":"caf\u00e9"}',
  headers: { 'X-Tag': 'a, b;c="d" \xe9' },
  covered: '(request-target) Host Date Content-length Content-type X-Service-ID Digest X-nonce X-Tag'.split(' ')
})
const lines = linesOf(signed)
const header = (name: string): string => lines.find(([line]) => line === name)![1]
/** Replaces the header in its position, which matters here. */
const withHeader =
  (name: string) =>
  (value: string): ReceivedRequest => ({
    ...signed,
    headers: lines.map(([line, old]) => [line, line === name ? value : old] as const)
  })

const codesOf = async (request: ReceivedRequest): Promise<Code[]> =>
  (await verify(request)).failures.map(({ code }) => code)

const octet = fc.nat(255).map(code => String.fromCharCode(code))

/** Replaces the octet at any position of a text by another. */
const changed = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length - 1), octet)
    .filter(([at, replacement]) => text[at] !== replacement)
    .map(([at, replacement]) => text.slice(0, at) + replacement + text.slice(at + 1))

/** Replaces an octet, drops one, or adds one, at any position. */
const anyChange = (text: string): fc.Arbitrary<string> =>
  fc.oneof(
    changed(text),
    fc.nat(text.length - 1).map(at => text.slice(0, at) + text.slice(at + 1)),
    fc.tuple(fc.nat(text.length), octet).map(([at, more]) => text.slice(0, at) + more + text.slice(at))
  )

const RUNS = { numRuns: 150 }

test('the request that is changed below is verified unchanged', async () => expect(await codesOf(signed)).toEqual([]))

test('any request that is signed is verified', () =>
  forAll(
    [signable],
    async request => {
      const verdict = await verify(service.sign(request))
      expect(verdict.status).toBe('verified')
      if (verdict.status !== 'verified') return
      expect(verdict.coveredHeaders).toEqual(request.covered.map(name => name.toLowerCase()))
      expect(Buffer.from(verdict.body)).toEqual(Buffer.from(request.body ?? ''))
    },
    RUNS
  ))

const DATE: Code[] = ['date-malformed', 'date-too-old', 'date-in-future', 'signature-mismatch']

test.each<[part: string, codes: Code[], original?: string, change?: (text: string) => ReceivedRequest]>([
  ['target', ['signature-mismatch'], signed.target, target => ({ ...signed, target })],
  ['Host', ['host-mismatch', 'signature-mismatch']],
  ['Date', DATE],
  ['X-Service-ID', ['account-malformed', 'account-mismatch']],
  ['Digest', ['digest-malformed', 'digest-unsupported', 'signature-mismatch']],
  ['X-Nonce', ['signature-mismatch']],
  ['X-Tag', ['signature-mismatch']]
])('one octet of the %s changed, taken out or added: that is what is refused', (...[part, codes, from, write]) => {
  const original = from ?? header(part)
  const change = write ?? withHeader(part)
  return forAll(
    [anyChange(original)],
    async text => {
      // Outer white space is not part of a value (RFC 9110 section 5.5).
      fc.pre(text.replace(/^[ \t]+|[ \t]+$/g, '') !== original)
      const found = await codesOf(change(text))
      expect(found.length).toBe(1)
      expect(['request-malformed', ...codes]).toContain(found[0])
    },
    RUNS
  )
})

test('one octet of the method changed, or its case: refused', () =>
  forAll(
    [changed(signed.method)],
    async method => {
      const found = await codesOf({ ...signed, method })
      if (method === signed.method) expect(found).toEqual([])
      else expect(['request-malformed', 'signature-mismatch']).toContain(found.join())
    },
    RUNS
  ))

test('one byte of the body changed, taken out or added: the digest does not match', () => {
  const original = Buffer.from(signed.body as Uint8Array).toString('latin1')
  const refused = async (body: string) =>
    expect(await codesOf({ ...signed, body: Buffer.from(body, 'latin1') })).toEqual(['digest-mismatch'])
  return forAll([anyChange(original)], refused, RUNS)
})

test('one bit of the signature changed: it does not verify', () => {
  const [, text] = /signature="([^"]*)"/.exec(header('Signature'))!
  const bytes = Buffer.from(text!, 'base64')
  const refused = async (bit: number) => {
    const other = flip(bytes, bit >> 3, 1 << (bit & 7)).toString('base64')
    const value = header('Signature').replace(text!, () => other)
    expect(await codesOf(withHeader('Signature')(value))).toEqual(['signature-mismatch'])
  }
  return forAll([fc.nat(bytes.length * 8 - 1)], refused, RUNS)
})

test('one octet of the Signature header changed: verified only if it means the same', () => {
  const original = header('Signature')
  const [, keyId, , , , list] = original.split('"')
  const judge = async (value: string) => {
    const verdict = await verify(withHeader('Signature')(value))
    if (verdict.status === 'rejected') return
    // These changed: white space around commas, the case of names, or an algorithm= that became an unknown parameter.
    expect(verdict).toMatchObject({ status: 'verified', keyId, algorithm: 'rsa-sha256' })
    expect(verdict.status === 'verified' && verdict.coveredHeaders).toEqual(list!.toLowerCase().split(' '))
  }
  return forAll([anyChange(original)], judge, { numRuns: 400 })
})

test('a covered header that is removed, doubled or renamed is refused', async () => {
  for (const [name, value] of lines.filter(([name]) => name !== 'Signature')) {
    const others = lines.filter(([line]) => line !== name)
    const renamed = [`${name}x`, value] as const
    for (const headers of [others, [...lines, [name, value] as const], [...others, renamed]])
      expect(await codesOf({ ...signed, headers })).not.toEqual([])
  }
})

test('headers that are not covered may be added in any number and order', () => {
  const name = fc.string({ unit: fc.constantFrom(...'abc-'), minLength: 1 }).map(name => `u${name}`)
  const extra = fc.array(fc.tuple(name, fc.string({ unit: fc.constantFrom(...'abc, ":\t'), maxLength: 8 })))
  const accepted = async (added: [string, string][], first: boolean) =>
    expect(await codesOf({ ...signed, headers: first ? [...added, ...lines] : [...lines, ...added] })).toEqual([])
  return forAll([extra, fc.boolean()], accepted, { numRuns: 100 })
})
