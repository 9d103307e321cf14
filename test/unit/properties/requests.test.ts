import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Code, createVerifier, type ReceivedRequest } from '../../../src/index.ts'
import { service } from '../../support/service.ts'
import { signable } from './arbitraries.ts'

const verify = createVerifier(service.options)

/** One signed request with everything in it. */
const signed = service.sign({
  method: 'POST',
  target: '/hook/caf\xe9?id=42&a=%20',
  body: '{"event":"published","title":"caf\u00e9"}',
  headers: { 'X-Tag': 'a, b;c="d" \xe9' },
  covered: [
    '(request-target)',
    'Host',
    'Date',
    'Content-length',
    'Content-type',
    'X-Service-ID',
    'Digest',
    'X-nonce',
    'X-Tag'
  ]
})
const lines = [...(signed.headers as Iterable<[string, string]>)]
const header = (name: string): string => lines.find(([line]) => line === name)![1]
const withHeader = (name: string, value: string): ReceivedRequest => ({
  ...signed,
  headers: lines.map(([line, old]) => [line, line === name ? value : old] as const)
})

async function codesOf(request: ReceivedRequest): Promise<Code[]> {
  const verdict = await verify(request)
  return verdict.status === 'verified' ? [] : verdict.failures.map(({ code }) => code)
}

const octet = fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code))

/** Every place of a text, each with another octet. */
const changed = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat({ max: text.length - 1 }), octet)
    .filter(([at, replacement]) => text[at] !== replacement)
    .map(([at, replacement]) => text.slice(0, at) + replacement + text.slice(at + 1))

/** Every place of a text, without its octet or with one more. */
const shortenedOrLengthened = (text: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.nat({ max: text.length - 1 }).map(at => text.slice(0, at) + text.slice(at + 1)),
    fc.tuple(fc.nat({ max: text.length }), octet).map(([at, more]) => text.slice(0, at) + more + text.slice(at))
  )

test('the request that is changed below is verified unchanged', async () => expect(await codesOf(signed)).toEqual([]))

test('any request that is signed is verified', async () => {
  await fc.assert(
    fc.asyncProperty(signable, async request => {
      const verdict = await verify(service.sign(request))
      expect(verdict.status).toBe('verified')
      if (verdict.status !== 'verified') return
      expect(verdict.coveredHeaders).toEqual(request.covered.map(name => name.toLowerCase()))
      expect(Buffer.from(verdict.body)).toEqual(Buffer.from(request.body ?? ''))
    }),
    { numRuns: 150 }
  )
})

test.each<[part: string, codes: Code[], change: (text: string) => ReceivedRequest, original: string]>([
  ['target', ['request-malformed', 'signature-mismatch'], target => ({ ...signed, target }), signed.target],
  [
    'Host',
    ['request-malformed', 'host-mismatch', 'signature-mismatch'],
    value => withHeader('Host', value),
    header('Host')
  ],
  [
    'Date',
    ['request-malformed', 'date-malformed', 'date-too-old', 'date-in-future', 'signature-mismatch'],
    value => withHeader('Date', value),
    header('Date')
  ],
  [
    'account',
    ['request-malformed', 'account-malformed', 'account-mismatch'],
    value => withHeader('X-Service-ID', value),
    header('X-Service-ID')
  ],
  [
    'Digest',
    ['request-malformed', 'digest-malformed', 'digest-unsupported', 'signature-mismatch'],
    value => withHeader('Digest', value),
    header('Digest')
  ],
  ['nonce', ['request-malformed', 'signature-mismatch'], value => withHeader('X-Nonce', value), header('X-Nonce')],
  [
    'any covered header',
    ['request-malformed', 'signature-mismatch'],
    value => withHeader('X-Tag', value),
    header('X-Tag')
  ]
])('one octet of the %s changed, taken out or added: that is what is refused', async (_, codes, change, original) => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(changed(original), shortenedOrLengthened(original)), async text => {
      // Outer white space is no part of a value (RFC 9110 section 5.5).
      fc.pre(text.replace(/^[ \t]+|[ \t]+$/g, '') !== original)
      const found = await codesOf(change(text))
      expect(found.length).toBe(1)
      expect(codes).toContain(found[0])
    }),
    { numRuns: 150 }
  )
})

test('one octet of the method changed, except for its case: refused', async () => {
  await fc.assert(
    fc.asyncProperty(changed(signed.method), async method => {
      const found = await codesOf({ ...signed, method })
      if (method.toUpperCase() === signed.method) expect(found).toEqual([])
      else expect(['request-malformed', 'signature-mismatch']).toContain(found.join())
    }),
    { numRuns: 150 }
  )
})

test('one byte of the body changed, taken out or added: the digest does not match', async () => {
  const original = Buffer.from(signed.body as Uint8Array).toString('latin1')
  await fc.assert(
    fc.asyncProperty(fc.oneof(changed(original), shortenedOrLengthened(original)), async body => {
      expect(await codesOf({ ...signed, body: Buffer.from(body, 'latin1') })).toEqual(['digest-mismatch'])
    }),
    { numRuns: 150 }
  )
})

test('one bit of the signature changed: it does not verify', async () => {
  const bytes = Buffer.from(/signature="([^"]*)"/.exec(header('Signature'))![1]!, 'base64')
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length * 8 - 1 }), async bit => {
      const other = bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
      const value = header('Signature').replace(
        /signature="[^"]*"/,
        `signature="${Buffer.from(other).toString('base64')}"`
      )
      expect(await codesOf(withHeader('Signature', value))).toEqual(['signature-mismatch'])
    }),
    { numRuns: 150 }
  )
})

test('one octet of the Signature header changed: verified only if it means the same', async () => {
  const original = header('Signature')
  const [, keyId, , , , list] = original.split('"')
  await fc.assert(
    fc.asyncProperty(fc.oneof(changed(original), shortenedOrLengthened(original)), async value => {
      const verdict = await verify(withHeader('Signature', value))
      if (verdict.status === 'rejected') return
      // White space around commas, the case of names; and an algorithm= that became an unknown parameter.
      expect(verdict).toMatchObject({ status: 'verified', keyId, algorithm: 'rsa-sha256' })
      expect(verdict.status === 'verified' && verdict.coveredHeaders).toEqual(list!.toLowerCase().split(' '))
    }),
    { numRuns: 400 }
  )
})

test('a covered header that is removed, doubled or renamed is refused', async () => {
  const covered = lines.filter(([name]) => name !== 'Signature')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...covered),
      fc.constantFrom('out', 'double', 'rename'),
      async ([name, value], how) => {
        const others = lines.filter(([line]) => line !== name)
        const headers: Record<string, [string, string][]> = {
          out: others,
          double: [...lines, [name, value]],
          rename: [...others, [`${name}x`, value]]
        }
        expect(await codesOf({ ...signed, headers: headers[how]! })).not.toEqual([])
      }
    )
  )
})

test('headers that are not covered may be added in any number and order', async () => {
  const extra = fc.array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom(...'abc-'), minLength: 1 }).map(name => `u${name}`),
      fc.string({ unit: fc.constantFrom(...'abc, ":\t'), maxLength: 8 })
    )
  )
  await fc.assert(
    fc.asyncProperty(extra, fc.boolean(), async (added, first) => {
      expect(await codesOf({ ...signed, headers: first ? [...added, ...lines] : [...lines, ...added] })).toEqual([])
    })
  )
})
