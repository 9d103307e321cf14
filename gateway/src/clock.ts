import { createVerifier, parseHttpDate, type VerifierOptions } from 'signed-requests'
import { isSignedUnderDomain, lineValues } from '../../src/internal/index.ts'
import type { Exchange, Malformed } from './exchange.ts'

/** Names the clocks with which that of this machine is compared. */
export const CLOCK_SOURCES = ['store', 'signatures'] as const

/** Seconds by which the clock of this machine is ahead; undefined where it was not compared lately. */
export type ClockOffsets = Readonly<Record<(typeof CLOCK_SOURCES)[number], number | undefined>>

/** Milliseconds between two looks at the clock of the store. */
const STORE_PAUSE = 30_000

/** Milliseconds for which an offset by signatures counts, at least; at most twice as long. */
const WINDOW = 300_000

/** Milliseconds between two signatures that are verified although their Date was refused: each asks DNS. */
const PROBE_PAUSE = 10_000

interface ClockOptions {
  readonly verifier: VerifierOptions
  /** returns milliseconds since 1970 by the clock of the store; undefined where it cannot */
  readonly storeClock?: (() => Promise<number | undefined>) | undefined
  readonly now?: () => number
}

/**
 * Compares the clock of this machine with that of the store, and with the time of signatures that the published key has
 * made: anybody can write another Date. A request that comes late, or is replayed, seems to show a clock that is
 * ahead, so the smallest offset of some minutes counts.
 */
export function watchClock({ verifier, storeClock, now = Date.now }: ClockOptions) {
  const { accounts: _, hosts, ...others } = verifier
  let store: number | undefined
  /** the smallest offsets of this window and of the one before */
  let [current, previous]: (number | undefined)[] = []
  let windowStart = now()
  let probeTime = 0
  let lastProbe = Number.NEGATIVE_INFINITY
  // Only the signature counts: the request was answered, and its body is gone.
  const probe = createVerifier({ ...others, hosts, accounts: () => false, now: () => probeTime })

  async function lookAtStore(): Promise<void> {
    const time = await storeClock?.().catch(() => undefined)
    store = time === undefined ? undefined : (now() - time) / 1000
  }

  function turnWindow(): void {
    const passed = now() - windowStart
    if (Math.abs(passed) < WINDOW) return
    previous = Math.abs(passed) < 2 * WINDOW ? current : undefined
    current = undefined
    windowStart = now()
  }

  function addOffset(receivedAt: number, signedAt: number): void {
    turnWindow()
    current = smaller(current, (receivedAt - signedAt) / 1000)
  }

  /** Verifies the signature of a request that was refused for its Date alone, as at that Date. */
  async function probeSignature({ receivedAt, method, target, headers, https }: Exchange): Promise<void> {
    const dates = lineValues(headers, 'date')
    const date = parseHttpDate(dates.join())
    // By RFC 9421, Date need not be signed.
    if (!date.ok || lineValues(headers, 'signature-input').length > 0) return
    // This clock may have been set back meanwhile.
    if (Math.abs(now() - lastProbe) < PROBE_PAUSE) return
    lastProbe = now()
    probeTime = date.value.getTime()
    const { checks } = await probe({ method, target, headers, body: null, https })
    if (checks.signature.outcome === 'pass') addOffset(receivedAt, date.value.getTime())
  }

  void lookAtStore()
  const timer = setInterval(() => void lookAtStore(), STORE_PAUSE).unref()

  return {
    /** Takes the time from a request that is over. Never rejects. */
    async note(exchange: Exchange | Malformed): Promise<void> {
      const { verdict } = exchange
      if (verdict === undefined) return
      if (verdict.status === 'verified') return addOffset(exchange.receivedAt, verdict.date.getTime())
      const isByDate = verdict.failures.every(({ code }) => code === 'date-too-old' || code === 'date-in-future')
      if (isByDate && isSignedUnderDomain(verdict)) await probeSignature(exchange)
    },
    offsets(): ClockOffsets {
      turnWindow()
      return { store, signatures: smaller(current, previous) }
    },
    close: (): void => clearInterval(timer)
  }
}

const smaller = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || (b !== undefined && Math.abs(b) < Math.abs(a)) ? b : a

/** Seconds that are not worth a word: delivery takes some. */
const SMALL_OFFSET = 5

/** Describes for the page what the comparisons say. */
export function clockFact(offsets: ClockOffsets): string {
  const compared = CLOCK_SOURCES.flatMap(source => {
    const seconds = offsets[source]
    if (seconds === undefined) return []
    const size = Math.round(Math.abs(seconds))
    if (size <= SMALL_OFFSET) return [`as ${NAMES[source]}`]
    return [`${size} s ${seconds > 0 ? 'ahead of' : 'behind'} ${NAMES[source]}: run NTP`]
  })
  return compared.length === 0 ? 'not compared yet' : compared.join(', ')
}

const NAMES = { store: 'the replay store', signatures: 'the signed requests' } as const
