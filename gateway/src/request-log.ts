import { diagnose, explain, mainFailure } from 'signed-requests'
import type { Exchange, Malformed } from './exchange.ts'
import { logText } from './log.ts'
import { type Signer, signerOf } from './signer.ts'

/**
 * Limits the bytes of refusals that are logged in a second: 20 KB in all, whatever arrives. What the key made has a
 * part of its own, which no stranger can use up, and so has what claims a key under the domain.
 */
const MAX_BYTES: Readonly<Record<Signer, number>> = { key: 10_000, claimed: 5000, no: 5000 }

/** Milliseconds until the same code is explained again. */
const EXPLAIN_AGAIN = 60_000

/** Counts the bytes logged about refusals of one kind of signer. */
interface Written {
  /** the current second, and the bytes in it */
  second: number
  bytes: number
  /** by code, the refusals that were left out since the last line with it; there are some seventy codes */
  readonly leftOut: Map<string, number>
  /** by code, when it was explained, and how many were refused with it since */
  readonly explained: Map<string, { at: number; since: number }>
}

const nothingWritten = (): Written => ({ second: 0, bytes: 0, leftOut: new Map(), explained: new Map() })

/**
 * Makes the function that logs each request. A verified request is always one line. Refusals are limited; the next line
 * of a code says how many of it were left out. A refusal that is signed under the domain is explained, each code once a
 * minute: in text below its line, in JSON by its cause and fix.
 *
 * @param now milliseconds of a monotonic clock
 */
export function createRequestLog(
  form: 'json' | 'text',
  print: (line: string) => void,
  now = (): number => performance.now()
): (exchange: Exchange | Malformed) => void {
  const written: Readonly<Record<Signer, Written>> = {
    key: nothingWritten(),
    claimed: nothingWritten(),
    no: nothingWritten()
  }

  return exchange => {
    if (isLetIn(exchange)) return print(logText(exchange, form))
    const signer = exchange.verdict === undefined ? 'no' : signerOf(exchange.verdict, exchange.madeByKey)
    const code = codeOf(exchange)
    const state = written[signer]
    const second = Math.floor(now() / 1000)
    if (second !== state.second) Object.assign(state, { second, bytes: 0 })
    const leftOut = state.leftOut.get(code)
    const left = MAX_BYTES[signer] - state.bytes
    const additions = leftOut === undefined ? {} : { leftOut }
    const line = left > 0 ? logText(exchange, form, additions) : ''
    if (line.length >= left) {
      state.leftOut.set(code, (leftOut ?? 0) + 1)
      return
    }
    const explained = signer === 'no' ? undefined : explainedLine(exchange, line, additions, state, code)
    const text = explained !== undefined && explained.length < left ? explained : line
    if (text === explained) state.explained.set(code, { at: now(), since: 0 })
    state.leftOut.delete(code)
    state.bytes += text.length + 1
    print(text)
  }

  /** Returns the line of a refusal with its explanation, where that is due. */
  function explainedLine(
    exchange: Exchange | Malformed,
    line: string,
    additions: { readonly leftOut?: number },
    { explained }: Written,
    code: string
  ): string | undefined {
    const { verdict } = exchange
    if (verdict === undefined || verdict.status === 'verified') return undefined
    const last = explained.get(code)
    if (last !== undefined && now() - last.at < EXPLAIN_AGAIN) {
      last.since += 1
      return undefined
    }
    if (form === 'json') {
      const [failure] = diagnose(verdict, { settings: 'flags' }).failures
      return logText(exchange, form, { ...additions, ...(failure && { cause: failure.cause, fix: failure.fix }) })
    }
    const count = last !== undefined && last.since > 0 ? `${last.since} more since the last explanation\n` : ''
    return `${line}\n${count}${explain(verdict, { settings: 'flags' })}\n`
  }
}

const isLetIn = (exchange: Exchange | Malformed): boolean =>
  exchange.verdict?.status === 'verified' && (exchange as Exchange).refusal === undefined

/** Returns the one code of a refusal, by which lines are counted. */
function codeOf(exchange: Exchange | Malformed): string {
  if (exchange.verdict === undefined) return exchange.reason
  return exchange.refusal ?? mainFailure(exchange.verdict)?.code ?? ''
}
