import { describe, expect, test } from 'vitest'
import { freeMemory } from '../../../src/handlers/free-memory.ts'

describe('freeMemory', () => {
  test('empties a chunk that has a buffer of its own, and frees the buffer at once', () => {
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 100; i++) {
      const chunk = Buffer.allocUnsafeSlow(65_536)
      freeMemory(chunk)
      expect(chunk).toHaveLength(0)
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
  })

  test.each([
    ['a part of a larger buffer', Buffer.alloc(100).subarray(0, 50)],
    ['a chunk of the pool', Buffer.from('chunk')],
    ['shared memory', new Uint8Array(new SharedArrayBuffer(100))],
    ['text', 'chunk' as unknown as Uint8Array]
  ])('does not change %s', (_, chunk) => {
    const { length } = chunk
    freeMemory(chunk)
    expect(chunk).toHaveLength(length)
  })
})
