/** Prints an error for the receiver. Never throws. */
export type Report = (error: unknown) => void

/** Milliseconds in which each text is printed once. */
const PAUSE = 1000

/** Texts that are remembered, and so are printed in each pause, at most. */
const MAX_TEXTS = 100

interface Printed {
  readonly until: number
  /** how often the text was left out since */
  leftOut: number
}

/**
 * Makes a function that prints errors with the `console.error` of that moment: each text at most once a second, with
 * the number of those left out before. Each unwanted request can cause an error, such as a body parser in front of a
 * handler.
 */
export function createReport(): Report {
  const printed = new Map<string, Printed>()
  return error => {
    const text = reportedText(error)
    const now = performance.now()
    const known = printed.get(text)
    if (known !== undefined && now < known.until) {
      known.leftOut++
      return
    }
    if (known === undefined && printed.size >= MAX_TEXTS) {
      for (const [old, { until }] of printed) if (until <= now) printed.delete(old)
      if (printed.size >= MAX_TEXTS) return
    }
    printed.set(text, { until: now + PAUSE, leftOut: 0 })
    // Prints the error alone: the console shows whole objects, and a request has Authorization.
    if (known?.leftOut) console.error(error, `(and ${known.leftOut} more like it)`)
    else console.error(error)
  }
}

function reportedText(error: unknown): string {
  try {
    return String(error).slice(0, 200)
  } catch {
    return typeof error
  }
}
