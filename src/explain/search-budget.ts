/**
 * Limits the cost of a search. An attacker who captured a signed head can trigger a search as often as they like, with
 * any text in it. So every step pays before it runs, whatever the text looks like. Each search counts in its own unit:
 * microseconds, or bytes.
 */
export interface SearchBudget {
  /** what is not spent yet */
  readonly left: number
  /** Pays for one step. False when too little is left: the step must not run. */
  spend(cost: number): boolean
}

export function createSearchBudget(amount: number): SearchBudget {
  let left = amount
  return {
    get left() {
      return left
    },
    spend(cost) {
      left -= cost
      return left >= 0
    }
  }
}
