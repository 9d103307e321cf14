import { expect, test } from 'vitest'
import { createBudget } from '../../../src/explain/budget.ts'

test('a budget pays for steps until one costs more than is left, and for none after that', () => {
  const budget = createBudget(10)
  expect([budget.spend(4), budget.left, budget.spend(6), budget.left]).toEqual([true, 6, true, 0])
  expect([budget.spend(0), budget.spend(0.1), budget.spend(0)]).toEqual([true, false, false])
})
