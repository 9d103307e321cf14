import type { SearchBudget } from '../search-budget.ts'

/**
 * Writes a text that the body may have been made from, and returns its length. It reads each byte a constant number of
 * times, copies bytes that it does not know, and stops soon after the end of the text's buffer, where bytes are
 * dropped.
 */
export type Writer = (body: Buffer, text: Buffer) => number

/**
 * Runs a writer, and pays for each byte that it reads or writes. Undefined when the text is too long or cannot be paid.
 */
export function rewrite(body: Buffer, budget: SearchBudget, write: Writer): Buffer | undefined {
  if (!budget.spend(body.length)) return undefined
  // Escapes and indentation make a text longer.
  const text = Buffer.allocUnsafe(Math.min(4 * body.length + 64, budget.left))
  const length = write(body, text)
  budget.spend(Math.min(length, text.length))
  return length <= text.length ? text.subarray(0, length) : undefined
}
