import { describe, expect, it } from 'vitest'
import { readSignature } from '../src/draft-cavage/signature-header.ts'
import { parseFields } from '../src/http/fields.ts'
import { parseSignatureHeader } from '../src/index.ts'
import { FEW, rememberFew } from '../src/memo.ts'

/** Every pair, one after the other: what is remembered of the first must not show in the second. */
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

describe('what is remembered of one Signature header', () => {
  const start = 'keyId="a.example",headers="(request-target) Host Date"'
  const inputs = [
    `${start},signature="AAAA"`,
    `${start},signature="BBBB"`,
    `${start} , signature="BBBB"`,
    `${start},signature=""`,
    `${start},signature="AA=="`,
    `${start},signature="AB=="`,
    `${start},signature="AAA"`,
    `${start},signature="AAAA`,
    `${start},signature="AAAAA`,
    `${start},signature="AAAA;`,
    `${start},signature="`,
    `${start},signature="AAAA""`,
    `${start},signature="AAAA\\""`,
    `${start},signature="AAAA"BBBB"`,
    `${start},signature="AAAA",signature="AAAA"`,
    `${start},signature="AAAA",created=1`,
    `${start},signature="AAAA",algorithm="rsa-sha256"`,
    `${start},signature="AAAA",note="AAAA"`,
    `${start},signature="AAAA",note="BBBB"`,
    `${start},signature="AAAA",xsignature="BBBB"`,
    `${start},created=5,expires=6,signature="AAAA"`,
    `${start.toLowerCase()},signature="AAAA"`,
    `keyId="b.example",headers="(request-target) Host Date",signature="AAAA"`,
    `keyId="a.example",headers="(request-target)  Date",signature="AAAA"`,
    `keyId="a.example",signature="AAAA"`,
    `signature="AAAA",${start}`,
    `signature="AAAA"`
  ]

  it('is not seen in the next', () => {
    expectNoTrace(inputs, n => `keyId="other${n}",headers="x${n}",signature="CCCC"`, parseSignatureHeader)
  })

  it('cannot be changed by who was given it', () => {
    const first = parseSignatureHeader(inputs[0]!)
    if (first.ok) first.value.headers.length = 0
    expect(parseSignatureHeader(inputs[1]!)).toMatchObject({
      ok: true,
      value: { headers: ['(request-target)', 'host', 'date'] }
    })
  })
})

describe('how much is remembered', () => {
  it('of Signature headers: what the last few said', () => {
    const headersOf = (text: string) => {
      const read = readSignature(text)
      return read.ok ? read.value.headers : undefined
    }
    const signed = (n: number, encoded: string) => `keyId="k",headers="host x-${n}",signature="${encoded}"`
    // Other lists than these are the last few that were read.
    const forgetLists = () => {
      for (let n = 0; n < FEW; n++) headersOf(`signature="AAAA",keyId="k",headers="y-${n}"`)
    }
    const first = Array.from({ length: FEW + 1 }, (_, n) => headersOf(signed(n, 'AAAA')))
    forgetLists()
    for (let n = FEW; n > 0; n--) expect(headersOf(signed(n, 'BBBB'))).toBe(first[n])
    expect(headersOf(signed(0, 'BBBB'))).not.toBe(first[0])
    expect(headersOf(signed(0, 'BBBB'))).toEqual(first[0])
  })

  it('of header lines: where the names stood in the last few requests', () => {
    const layoutOf = (n: number): unknown => {
      const fields = parseFields([[`X-${n}`, '']])
      return fields.ok && Reflect.get(fields.value.values, 'lines')
    }
    const first = Array.from({ length: FEW + 1 }, (_, n) => layoutOf(n))
    for (let n = FEW; n > 0; n--) expect(layoutOf(n)).toBe(first[n])
    expect(layoutOf(0)).not.toBe(first[0])
  })
})

describe('what is remembered of the lines of one request', () => {
  type Lines = [string, string][]
  const inputs: Lines[] = [
    [
      ['Host', 'a'],
      ['Date', 'b']
    ],
    [
      ['Host', 'c'],
      ['Date', ' d ']
    ],
    [
      ['host', 'a'],
      ['Date', 'b']
    ],
    [
      ['Date', 'b'],
      ['Host', 'a']
    ],
    [
      ['Host', 'a'],
      ['Host', 'b']
    ],
    [
      ['Host', 'a'],
      ['Date', 'b'],
      ['Host', 'c']
    ],
    [['Host', 'a']],
    [['Host', 'a\n']],
    [['Ho st', 'a']],
    []
  ]
  const read = (lines: Lines) => {
    const fields = parseFields(lines)
    if (!fields.ok) return fields.code
    const { values, repeated } = fields.value
    return [values.get('host'), values.get('date'), values.has('Host'), values.has('host'), [...repeated]]
  }

  it('is not seen in the next', () => {
    expectNoTrace<Lines>(inputs, n => [[`X-${n}`, '']], read)
  })
})

describe('rememberFew', () => {
  const count = () => {
    const reads: string[] = []
    const read = rememberFew((source: string) => {
      reads.push(source)
      return source.toUpperCase()
    })
    return { read, reads }
  }

  it('reads what it knows once, and what it was last given when it is given more than a few', () => {
    const { read, reads } = count()
    const few = ['a', 'b', 'c', 'd']
    expect(few).toHaveLength(FEW)
    for (let round = 0; round < 3; round++) expect(few.map(read)).toEqual(['A', 'B', 'C', 'D'])
    expect(reads).toEqual(few)

    expect(read('e')).toBe('E')
    expect(['b', 'c', 'd', 'e'].map(read)).toEqual(['B', 'C', 'D', 'E'])
    expect(reads).toEqual([...few, 'e'])
    expect(read('a')).toBe('A')
    expect(reads).toEqual([...few, 'e', 'a'])
  })

  it('remembers that there was nothing', () => {
    let reads = 0
    const read = rememberFew((_: string): string | undefined => {
      reads++
      return undefined
    })
    expect([read('a'), read('a')]).toEqual([undefined, undefined])
    expect(reads).toBe(1)
  })
})
