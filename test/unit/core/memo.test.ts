import { describe, expect, test, vi } from 'vitest'
import { parseFields } from '../../../src/core/http/fields.ts'
import { memoizeRecent, memoizeWeak } from '../../../src/core/memo.ts'
import { parseSignatureHeader } from '../../../src/index.ts'

/** memoizeRecent keeps this many. */
const FEW = 4

/** Reads every pair in turn: what is remembered of the first must not show in the second. */
function expectNoTrace<T>(inputs: readonly T[], other: (n: number) => T, read: (input: T) => unknown) {
  const alone = inputs.map(input => {
    // as many others as are remembered
    for (let n = 0; n < FEW; n++) read(other(n))
    return read(input)
  })
  for (const first of inputs) {
    inputs.forEach((second, i) => {
      read(first)
      expect(read(second)).toEqual(alone[i])
    })
  }
}

describe('what is cached of one Signature header', () => {
  const start = 'keyId="a.example",headers="(request-target) Host Date"'
  const inputs = [
    ...[
      'AAAA"',
      'BBBB"',
      '"',
      'AA=="',
      'AB=="',
      'AAA"',
      'AAAA',
      'AAAAA',
      'AAAA;',
      '',
      'AAAA""',
      'AAAA\\""',
      'AAAA"BBBB"',
      'AAAA",signature="AAAA"',
      'AAAA",created=1',
      'AAAA",algorithm="rsa-sha256"',
      'AAAA",note="AAAA"',
      'AAAA",note="BBBB"',
      'AAAA",xsignature="BBBB"'
    ].map(rest => `${start},signature="${rest}`),
    `${start} , signature="BBBB"`,
    `${start},created=5,expires=6,signature="AAAA"`,
    `${start.toLowerCase()},signature="AAAA"`,
    `keyId="b.example",headers="(request-target) Host Date",signature="AAAA"`,
    `keyId="a.example",headers="(request-target)  Date",signature="AAAA"`,
    `keyId="a.example",signature="AAAA"`,
    `signature="AAAA",${start}`,
    `signature="AAAA"`
  ]

  test('the cache of one Signature header does not leak into the next call', () => {
    expectNoTrace(inputs, n => `keyId="other${n}",headers="x${n}",signature="CCCC"`, parseSignatureHeader)
  })

  test('the cache of one Signature header is copied for a caller of the public function', () => {
    const first = parseSignatureHeader(inputs[0]!)
    if (first.ok) first.value.headers.length = 0
    expect(parseSignatureHeader(inputs[1]!)).toMatchObject({
      ok: true,
      value: { headers: ['(request-target)', 'host', 'date'] }
    })
  })
})

describe('what is cached of the lines of one request', () => {
  type Lines = [string, string][]
  const linesOf = (text: string) => text.split('|').map(line => line.split(/:(.*)/s).slice(0, 2)) as Lines
  const inputs = ['Host:a|Date:b', 'Host:c|Date: d ', 'host:a|Date:b', 'Date:b|Host:a', 'Host:a|Host:b']
    .concat('Host:a|Date:b|Host:c', 'Host:a', 'Host:a\n', 'Ho st:a')
    .map(linesOf)
    .concat([[]])
  const read = (lines: Lines) => {
    const fields = parseFields(lines)
    if (!fields.ok) return fields.code
    const { values, repeated } = fields.value
    return [values.get('host'), values.get('date'), values.has('Host'), values.has('host'), [...repeated]]
  }

  test('the cache of the lines of one request does not leak into the next call', () =>
    expectNoTrace<Lines>(inputs, n => [[`X-${n}`, '']], read))
})

describe('memoizeRecent', () => {
  test('computes a known key once, and drops the oldest of more than a few', () => {
    const computed: string[] = []
    const upper = memoizeRecent((text: string) => {
      computed.push(text)
      return text.toUpperCase()
    })
    const few = [...'abcd']
    for (let round = 0; round < 3; round++) expect(few.map(upper)).toEqual([...'ABCD'])
    expect(computed).toEqual(few)

    expect(upper('e')).toBe('E')
    expect([...'bcde'].map(upper)).toEqual([...'BCDE'])
    expect(computed).toEqual([...few, 'e'])
    expect(upper('a')).toBe('A')
    expect(computed).toEqual([...few, 'e', 'a'])
  })

  test('remembers an undefined result', () => {
    const compute = vi.fn((_: string): string | undefined => undefined)
    const memo = memoizeRecent(compute)
    expect([memo('a'), memo('a')]).toEqual([undefined, undefined])
    expect(compute).toHaveBeenCalledOnce()
  })
})

describe('memoizeWeak', () => {
  test('computes once for each object, and undefined too', () => {
    const compute = vi.fn(() => undefined)
    const memo = memoizeWeak<object, undefined>(compute)
    const key = {}
    memo(key)
    memo(key)
    memo({})
    expect(compute).toHaveBeenCalledTimes(2)
  })
})
