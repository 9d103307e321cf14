import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storedId } from '../../../src/replay/shared.ts'
import { unicode } from '../properties/arbitraries.ts'

describe('storedId', () => {
  it('does not change an id of the verifier', () => {
    expect(storedId('l4K7LhDgR3E5S+0/Xbq9cWm2YyZy6cJcI0d3u1yJ2sU=')).toBe(
      'l4K7LhDgR3E5S+0/Xbq9cWm2YyZy6cJcI0d3u1yJ2sU='
    )
  })

  it('is printable ASCII and short', () => {
    fc.assert(
      fc.property(unicode({ maxLength: 400 }), id => {
        expect(storedId(id)).toMatch(/^[!-~]{1,200}$|^sha256:[\w+/]{43}=$/)
      })
    )
  })

  it('differs for different ids, even for an id that looks like a stored one', () => {
    const ids = [
      'a',
      'a ',
      'a\0',
      '\ud800',
      '\ud801',
      '\ufffd',
      'é',
      'e\u0301',
      'x'.repeat(200),
      'x'.repeat(201)
    ]
    const all = [...ids, ...ids.map(storedId), ...ids.map(storedId).map(storedId)]
    const distinct = new Set(all)
    expect(new Set([...distinct].map(storedId)).size).toBe(distinct.size)
  })
})
