import type { Code } from '../../src/verdict/codes.ts'
import type { Verdict } from '../../src/verdict/verdict.ts'
import { type CutExchange, cutDown } from './admin/recent.ts'
import type { DnsAnswer } from './dns-answers.ts'
import type { Exchange } from './exchange.ts'

/** What metrics count of a request. */
export type Counted = Pick<Exchange, 'status' | 'upstream' | 'duration'> & {
  readonly verdict: {
    readonly status: Verdict['status']
    readonly failures: readonly { readonly code: Code }[]
  }
}

/** What a worker sends to the process that serves the admin address. */
export interface Report {
  /** of every request */
  readonly counted: readonly Counted[]
  /** requests for the page */
  readonly kept: readonly CutExchange[]
  readonly dns: readonly (readonly [string, DnsAnswer])[]
}

/** Milliseconds between two reports, and the most requests for the page in one: a hundred a second. */
const INTERVAL = 100
const MOST_KEPT = 10

/** Gathers what is known of requests, and sends it at intervals. */
export interface Reporter {
  /** If there are too many, refused ones are kept first. */
  add(exchange: Exchange): void
  /** Sends what is left, and nothing after that. */
  end(): void
}

export function createReporter(
  send: (report: Report) => void,
  dns: ReadonlyMap<string, DnsAnswer>,
  redact: boolean
): Reporter {
  let timer: ReturnType<typeof setTimeout> | undefined
  let counted: Counted[] = []
  let kept: CutExchange[] = []
  const flush = () => {
    if (counted.length === 0) return
    send({ counted, kept, dns: [...dns] })
    counted = []
    kept = []
  }
  return {
    add(exchange) {
      if (counted.length === 0) timer = setTimeout(flush, INTERVAL)
      const { verdict, status, upstream, duration } = exchange
      const failures = verdict.failures.map(({ code }) => ({ code }))
      counted.push({ verdict: { status: verdict.status, failures }, status, upstream, duration })
      if (kept.length < MOST_KEPT) kept.push(cutDown(exchange, redact))
      else if (verdict.status !== 'verified') {
        const place = kept.findIndex(other => other.verdict.status === 'verified')
        if (place >= 0) kept[place] = cutDown(exchange, redact)
      }
    },
    end() {
      clearTimeout(timer)
      flush()
    }
  }
}
