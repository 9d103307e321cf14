import { expect, test } from 'vitest'
import { createRoom } from '../src/room.ts'

test('whoever has waited longest makes room, and nobody who has settled', () => {
  const room = createRoom(10)
  const told: string[] = []
  const enter = (name: string) => room(() => told.push(name))
  const [first, settled, third] = [enter('first'), enter('settled'), enter('third')]
  first.grow(4)
  settled.grow(3)
  settled.settle()
  third.grow(3)
  expect(told).toEqual([])
  third.grow(1)
  expect(told).toEqual(['first'])
  third.grow(4)
  expect(told).toEqual(['first', 'third'])
  // All that is left is settled: whoever comes is told at once.
  settled.grow(7)
  enter('fourth').grow(1)
  expect(told).toEqual(['first', 'third', 'fourth'])
})

test('what is given back is room again, once', () => {
  const room = createRoom(10)
  let isTold = false
  const place = room(() => {})
  place.grow(10)
  place.free()
  place.free()
  const next = room(() => {
    isTold = true
  })
  next.grow(10)
  expect(isTold).toBe(false)
  next.grow(1)
  expect(isTold).toBe(true)
})
