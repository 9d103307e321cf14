import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHECK_NAMES } from '../../../../../src/core/result/codes.ts'
import { createVerifier, type ReceivedRequest } from '../../../../../src/index.ts'
import {
  buildSignatureBase,
  parseContentDigest,
  parseSignatureInput,
  parseSignatures,
  type SignedRequest
} from '../../../../../src/rfc9421/index.ts'
import { KEY_ID, type Line, OPTIONS, signed } from '../../../../support/rfc9421.ts'
import { unicode } from '../../../properties/arbitraries.ts'

const verify = createVerifier(OPTIONS)

/** Makes text that is often close to a structured field. */
const PIECES = [
  ...'()",:;=?*@%\\ \t-_.~/+0123456789abzAZ',
  'sig1=',
  '("@method" "date")',
  ';created=1',
  `;keyid="${KEY_ID.rsa}"`,
  ':AAAA:',
  'sha-256',
  '"@query-param";name="a"',
  ';key="a"',
  ';sf',
  ';bs',
  '?1',
  '@1',
  '%"c3"',
  'caf\xe9',
  '\u2028',
  '\ud800',
  '\0',
  '\n'
]
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map(pieces => pieces.join('')),
  unicode({ maxLength: 60 })
)

const component = fc.constantFrom(
  '"@method"',
  '"@target-uri"',
  '"@authority"',
  '"@path"',
  '"@query"',
  '"@query-param";name="a"',
  '"x"',
  '"x";sf',
  '"x";bs',
  '"x";key="a"'
)
const input = fc.uniqueArray(component).map(components => `a=(${components.join(' ')})`)

const parameter = fc.constantFrom(
  ' created=007',
  '  keyid="a\\\\\\"b"',
  'nonce="n"',
  ' tag=""',
  'other',
  'more=?1',
  'rest=1.50'
)
/** Makes a field that can be parsed, but is rarely in canonical form. */
const spelled = fc
  .tuple(input, fc.uniqueArray(parameter))
  .map(([value, parameters]) => [value.replace('(', '( ').replace('" "', '"  "'), ...parameters].join(';'))

const path = fc
  .array(fc.constantFrom(...'/?&=#%.;@:+a', '%2F', '%c3', 'name=', '\xe9'), { maxLength: 20 })
  .map(pieces => `/${pieces.join('')}`)

/** Makes a good request in which these lines replace those of one name. */
const withHeader = (name: string, values: readonly string[]): ReceivedRequest => ({
  ...signed(),
  headers: [...signed({ headers: { [name]: undefined } }).headers, ...values.map((value): Line => [name, value])]
})

describe('any text', () => {
  test.each(['Signature-Input', 'Signature', 'Content-Digest'])(
    'any text in %s is not a request of the service',
    async name => {
      await fc.assert(
        fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), async values => {
          const verdict = await verify(withHeader(name, values))
          expect(verdict.status).toBe('rejected')
          expect(Object.keys(verdict.checks)).toEqual(CHECK_NAMES)
          structuredClone(verdict)
        }),
        { numRuns: 200 }
      )
    }
  )

  test('any text gives a result from every pure step', () => {
    const absolute = path.map(target => `https://receiver.example${target}`)
    const request = fc.record({
      method: text,
      target: fc.oneof(text, path, absolute),
      headers: fc.array(fc.tuple(fc.constantFrom('Host', 'Date', 'X', 'x'), text), { maxLength: 4 }),
      https: fc.boolean()
    })
    fc.assert(
      fc.property(request, fc.oneof(input, text), text, (message, signatureInput, other) => {
        for (const result of [parseSignatures(other), parseContentDigest(other)]) expect('ok' in result).toBe(true)
        const inputs = parseSignatureInput(signatureInput)
        for (const parsed of inputs.ok ? inputs.value : []) {
          const base = buildSignatureBase(message as SignedRequest, parsed)
          if (!base.ok) continue
          // every line stands for one component, and cannot be parsed as another
          expect(base.value).toMatch(/^[\t\n\x20-\x7e]*$/)
          const lines = base.value.split('\n')
          expect(lines).toHaveLength(parsed.components.length + 1)
          parsed.components.forEach(({ identifier }, at) => {
            expect(lines[at]!.startsWith(`${identifier}: `)).toBe(true)
          })
          expect(lines.at(-1)).toBe(`"@signature-params": ${parsed.signatureParams}`)
        }
      }),
      { numRuns: 500 }
    )
  })
})

test('parses Signature-Input to the same result after re-serializing it', () => {
  fc.assert(
    fc.property(spelled, value => {
      const inputs = parseSignatureInput(value)
      if (!inputs.ok) return expect.unreachable(value)
      const again = inputs.value.map(({ label, signatureParams }) => `${label}=${signatureParams}`).join(', ')
      expect(parseSignatureInput(again)).toEqual(inputs)
    }),
    { numRuns: 500 }
  )
})

test('one changed character anywhere in the head is never verified, unless it means the same', async () => {
  const request = signed({ lines: { '"x";sf': 'a;b, (c d)' }, headers: { X: 'a;b,(c d)' }, params: { nonce: '"n"' } })
  const change = fc.record({ line: fc.nat(), at: fc.nat(), to: fc.constantFrom(...PIECES, '') })
  await fc.assert(
    fc.asyncProperty(change, async ({ line, at, to }) => {
      const index = line % request.headers.length
      const [name, value] = request.headers[index]!
      const offset = at % (value.length + 1)
      const changed = value.slice(0, offset) + to + value.slice(offset + 1)
      const headers = request.headers.map((line, i): Line => (i === index ? [name, changed] : line))
      const verdict = await verify({ ...request, headers })
      if (verdict.status === 'verified') expect(meaning(headers)).toEqual(meaning(request.headers))
    }),
    { numRuns: 1000 }
  )
})

/** Removes from headers what structured fields ignore: white space between parts, and a Host's case. */
const meaning = (headers: readonly Line[]): string[] =>
  headers.map(([name, value]) => {
    const trimmed = value.replace(/^[ \t]+|[ \t]+$/g, '')
    if (name === 'Host') return trimmed.toLowerCase()
    return /^(?:Signature|X$|Content-Digest)/.test(name) ? trimmed.replace(/[ \t]+/g, '') : trimmed
  })

test('the request that is changed above is verified unchanged', async () => {
  expect((await verify(signed())).status).toBe('verified')
})
