import type { Budget } from '../budget.ts'

// Prices are in microseconds: at least the cost of a step for the most expensive bytes there are.

/** The price of a pass over a body for its buffer, besides that of its bytes. */
const PASS = 1
const READ_BYTE = 0.006
const WRITE_BYTE = 0.002
const SCAN_BYTE = 0.002
const COPY_BYTE = 0.0002

/**
 * Writes a text that the body may have been made from, and returns its length. It reads each byte a constant number of
 * times, copies bytes that it does not know, and stops soon after the end of the text's buffer, where bytes are
 * dropped.
 */
export type Writer = (body: Buffer, text: Buffer) => number

/** Runs a writer, and pays for each byte that it reads or writes. Undefined when the text is too long or not paid. */
export function rewrite(body: Buffer, budget: Budget, write: Writer): Buffer | undefined {
  if (!budget.spend(PASS + READ_BYTE * body.length)) return undefined
  // Escapes and indentation make a text longer.
  const size = Math.min(4 * body.length + 64, Math.floor(budget.left / WRITE_BYTE))
  const text = Buffer.allocUnsafe(size)
  const length = write(body, text)
  budget.spend(WRITE_BYTE * Math.min(length, size))
  return length <= size ? text.subarray(0, length) : undefined
}

/** Pays for looking at each byte of a body. */
export const spendScan = (body: Buffer, budget: Budget): boolean => budget.spend(SCAN_BYTE * body.length)

/** Pays for copying, comparing or searching so many bytes with one call of the platform. */
export const spendCopy = (length: number, budget: Budget): boolean => budget.spend(COPY_BYTE * length)

/** Puts parts together; undefined when the budget is used up. */
export function concat(parts: readonly Buffer[], budget: Budget): Buffer | undefined {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return budget.spend(PASS + COPY_BYTE * length) ? Buffer.concat(parts, length) : undefined
}
