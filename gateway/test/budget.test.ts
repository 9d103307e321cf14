import { expect, test } from 'vitest'
import { createBudget } from '../src/budget.ts'

/** Makes a budget with named leases; `revoked` lists those that were taken back. */
function start(limit?: number) {
  const { lease: leaseFor, ...budget } = createBudget(limit === undefined ? {} : { limit })
  const revoked: string[] = []
  const lease = (name: string, owner: unknown = Symbol(name)) => leaseFor(owner, () => revoked.push(name))
  return { ...budget, lease, revoked }
}

test('revokes the owner that holds most, of those that hold the same the oldest, and never a lease that is pinned', () => {
  const { lease, revoked, used } = start(10)
  const [first, pinned, third, fourth] = [lease('first'), lease('pinned'), lease('third'), lease('fourth')]
  first.charge(2)
  pinned.charge(4)
  pinned.pin()
  third.charge(2)
  fourth.charge(2)
  expect([revoked, used()]).toEqual([[], 10])
  third.charge(1)
  expect(revoked).toEqual(['third'])
  lease('fifth').charge(3)
  expect(revoked).toEqual(['third', 'fifth'])
  lease('sixth').charge(2)
  lease('seventh').charge(1)
  expect(revoked).toEqual(['third', 'fifth', 'first'])
  // All remaining leases are pinned: a new lease is revoked at once, but not one that holds nothing.
  lease('eighth')
  pinned.charge(6)
  lease('ninth').charge(1)
  expect(revoked).toEqual(['third', 'fifth', 'first', 'fourth', 'sixth', 'seventh', 'ninth'])
})

test('without a limit, revokes one lease when it is asked to', () => {
  const { lease, revoked, revokeOne, used } = start()
  for (const name of ['first', 'second']) lease(name).charge(1)
  expect([revokeOne(), revoked, used()]).toEqual([true, ['first'], 1])
  expect([revokeOne(), revokeOne(), revoked, used()]).toEqual([true, false, ['first', 'second'], 0])
})

test('revokes the newest copy of the owner that has most, and the first of them last', () => {
  const { lease, revoked } = start(5)
  for (const [name, owner] of ['genuine', 'a1', 'b1', 'a2', 'b2'].map(name => [name, name[0]] as const))
    lease(name, owner).charge(1)
  for (const name of ['a3', 'b3', 'a4']) lease(name, name[0]).charge(1)
  expect(revoked).toEqual(['a3', 'b3', 'a4'])
  // Only one owner has several leases: with each one that it adds, its newest is revoked.
  for (let n = 2; n < 50; n++) lease(`g${n}`, 'g').charge(1)
  expect(revoked).not.toContain('genuine')
  expect(revoked).not.toContain('a1')
  expect(revoked).not.toContain('b1')
})

test('a copy that charges much is paid for by the copies, newest first', () => {
  const { lease, revoked } = start(10)
  lease('genuine', 'other').charge(2)
  const copies = ['first', 'second', 'third'].map(name => lease(name, 'captured'))
  for (const copy of copies) copy.charge(2)
  copies[0]!.charge(4)
  expect(revoked).toEqual(['third'])
  copies[0]!.charge(2)
  expect(revoked).toEqual(['third', 'second'])
})

test('what is released or given back can be leased again, once', () => {
  const { lease, revoked } = start(10)
  const first = lease('first')
  first.charge(10)
  first.release()
  first.release()
  const second = lease('second')
  second.charge(10)
  second.charge(-3)
  lease('third').charge(3)
  expect(revoked).toEqual([])
  second.charge(1)
  expect(revoked).toEqual(['second'])
})

test('an owner that has released all is no older than others when it leases again', () => {
  const { lease, revoked } = start(1)
  lease('early', 'a').release()
  lease('b', 'b').charge(1)
  lease('late', 'a').charge(1)
  expect(revoked).toEqual(['b'])
})

test('a budget that is used up by pinned leases revokes nothing, and goes on', () => {
  const { lease, revoked } = start(10)
  const pinned = lease('pinned')
  pinned.pin()
  pinned.charge(20)
  pinned.charge(-15)
  lease('other').charge(5)
  expect(revoked).toEqual([])
})

test('a random lease of the owner that holds most is revoked, and each may be the one', () => {
  const revoked = new Set<number>()
  for (let round = 0; round < 200; round++) {
    const { lease, revokeOne } = createBudget({ choose: 'random' })
    const other = lease('other', () => revoked.add(-1))
    other.charge(1)
    for (let i = 0; i < 3; i++) lease('most', () => revoked.add(i)).charge(1)
    revokeOne()
  }
  // One of three stays untouched 200 times in a row once in 10^35 runs.
  expect([...revoked].sort()).toEqual([0, 1, 2])
})
