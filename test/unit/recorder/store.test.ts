import { describe, expect, test } from 'vitest'
import { createStore } from '../../../src/recorder/store.ts'

interface Named {
  readonly name: string
  readonly isSigned: boolean
  readonly code: string
}

/** `S:a1` is a signed item of code `a`, `u:a1` an unsigned one. */
const item = (name: string): Named => ({ name, isSigned: name.startsWith('S'), code: name[2]! })

function fill(keep: number, names: string) {
  const store = createStore<Named>(keep)
  const evicted = names.split(' ').flatMap(name => store.add(item(name))?.name ?? [])
  return {
    store,
    evicted,
    left: store
      .newestFirst()
      .map(({ name }) => name)
      .reverse()
      .join(' ')
  }
}

describe('what a store evicts', () => {
  test.each<[keep: number, added: string, left: string]>([
    // The first of a code stays, and the newest.
    [4, 'S:a1 S:a2 S:a3 S:a4 S:a5 S:a6', 'S:a1 S:a4 S:a5 S:a6'],
    [4, 'S:a1 S:b1 S:a2 S:b2 S:a3 S:b3', 'S:a1 S:b1 S:a3 S:b3'],
    // It goes when another code needs its place, and for the newest of its own code where no place is left.
    [3, 'S:a1 S:b1 S:c1 S:d1', 'S:b1 S:c1 S:d1'],
    [3, 'S:a1 S:b1 S:c1 S:c2', 'S:a1 S:b1 S:c2'],
    [1, 'S:a1 S:a2 S:a3', 'S:a3'],
    [1, 'S:a1 S:b1', 'S:b1'],
    // Each half keeps its share, whatever is added to the other.
    [4, 'u:a1 u:a2 u:a3 u:a4 S:a1 S:a2 S:a3', 'u:a1 u:a4 S:a1 S:a3'],
    [4, 'S:a1 S:a2 S:a3 S:a4 u:a1 u:a2 u:a3', 'S:a1 S:a4 u:a1 u:a3'],
    [5, 'S:a1 S:a2 S:a3 u:b1 u:c1 u:d1 u:e1', 'S:a1 S:a2 S:a3 u:d1 u:e1'],
    [1, 'u:a1 S:a1 u:a2 u:b1', 'S:a1'],
    // One code is another one in the other half.
    [4, 'S:a1 S:a2 u:a1 u:a2 u:a3 S:a3', 'S:a1 u:a1 u:a3 S:a3']
  ])('of %i: %s', (keep, added, left) => {
    const { evicted, left: found } = fill(keep, added)
    expect(found).toBe(left)
    expect([...evicted, ...found.split(' ')].sort()).toEqual(added.split(' ').sort())
  })
})

test.each([['S:a1 u:a1 S:b1 u:b1'], ['u:a1 u:a2 S:a1 S:a2'], ['u:a1'], ['S:a1'], ['S:b1 S:a1 S:b2']])(
  'a store gives the oldest first, signed or not, and lists the newest first: %s',
  added => {
    const { store, left } = fill(9, added)
    expect(left).toBe(added)
    expect(added.split(' ').map(() => store.takeOldest()?.name)).toEqual(added.split(' '))
    expect(store.takeOldest()).toBeUndefined()
    expect(store.newestFirst()).toEqual([])
  }
)
