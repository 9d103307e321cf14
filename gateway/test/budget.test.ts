import { expect, test } from 'vitest'
import { createBudget } from '../src/budget.ts'

/** A budget whose leases are named; `revoked` has those that were taken back. */
function start(limit: number) {
  const budget = createBudget(limit)
  const revoked: string[] = []
  const lease = (name: string, owner: unknown = Symbol(name)) => budget(owner, () => revoked.push(name))
  return { lease, revoked }
}

test('revokes the oldest of different owners, and never a lease that is pinned', () => {
  const { lease, revoked } = start(10)
  const [first, pinned, third] = [lease('first'), lease('pinned'), lease('third')]
  first.charge(4)
  pinned.charge(3)
  pinned.pin()
  third.charge(3)
  expect(revoked).toEqual([])
  third.charge(1)
  expect(revoked).toEqual(['first'])
  third.charge(4)
  expect(revoked).toEqual(['first', 'third'])
  // All that is left is pinned: a new lease is revoked at once.
  pinned.charge(7)
  lease('fourth').charge(1)
  expect(revoked).toEqual(['first', 'third', 'fourth'])
})

test('revokes the newest copy of the owner that has most, and the first of them last', () => {
  const { lease, revoked } = start(5)
  for (const [name, owner] of ['genuine', 'a1', 'b1', 'a2', 'b2'].map(name => [name, name[0]] as const))
    lease(name, owner).charge(1)
  for (const name of ['a3', 'b3', 'a4']) lease(name, name[0]).charge(1)
  expect(revoked).toEqual(['a3', 'b3', 'a4'])
  // One owner alone has several: as many as it floods with, each newest one goes.
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
