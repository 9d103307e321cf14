import { expect, test } from 'vitest'
import { createSearchBudget } from '../../../src/explain/search-budget.ts'

test('a budget pays for steps until one costs more than is left, and for none after that', () => {
  const budget = createSearchBudget(10)
  expect([budget.spend(4), budget.left, budget.spend(6), budget.left]).toEqual([true, 6, true, 0])
  expect([budget.spend(0), budget.spend(0.1), budget.spend(0)]).toEqual([true, false, false])
})
