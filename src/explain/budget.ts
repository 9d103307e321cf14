/**
 * Limits the cost of a search. An attacker who captured a signed head can trigger a search as often as they like, with
 * any text in it. So every step pays before it runs, whatever the text looks like.
 */
export interface Budget {
  /** microseconds that are not spent yet */
  readonly left: number
  /** Pays for one step. False when too little is left: the step must not run. */
  spend(microseconds: number): boolean
}

export function createBudget(microseconds: number): Budget {
  let left = microseconds
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
