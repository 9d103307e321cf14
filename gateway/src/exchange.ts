import type { ReceivedRequest, Verdict } from 'signed-requests'
import { type GatewayCode, situationOf, visibleText } from '../../src/internal/index.ts'

/** One line of a head: the name in its case, and the value. */
export type HeaderLine = readonly [name: string, value: string]

const UPSTREAM_RESULTS = ['not-asked', 'answered', 'unreachable', 'timed-out', 'broken-off', 'upload-failed'] as const

/** Lists the outcomes at the upstream, for log and metrics; `malformed` if there was no request to forward. */
export const UPSTREAM_LABELS = [...UPSTREAM_RESULTS, 'malformed'] as const

/**
 * The result from the upstream: not asked, because the request was refused; an answer that ended; or a failure. With
 * `upload-failed` the sender failed: while observing, a body is forwarded as it arrives, and it broke off or was too
 * large.
 */
export interface UpstreamResult {
  readonly upstream: (typeof UPSTREAM_RESULTS)[number]
  /** place and reason: `127.0.0.1:9000 ECONNREFUSED` */
  readonly upstreamError?: string | undefined
}

/** The code of the error of a body that is above the limit. */
export const TOO_LARGE = 'TOO_LARGE'

/** Limits how much of a body is kept for the page. */
export const MAX_SHOWN_BYTES = 64 * 1024

/** All data about one request when it is over. Log, metrics and page are made from it. */
export interface Exchange extends Omit<ReceivedRequest, 'headers' | 'body'>, UpstreamResult {
  /** milliseconds since 1970 */
  readonly receivedAt: number
  /** milliseconds from the head of the request to the end of the answer */
  readonly duration: number
  /** milliseconds from the head of the request to its verdict */
  readonly verdictMs: number
  readonly headers: readonly HeaderLine[]
  readonly verdict: Verdict
  /** the body, once it was read to its end and the gateway has it */
  readonly body?: Uint8Array | undefined
  /** bytes of the whole body, where `body` may be its beginning alone */
  readonly bodyLength?: number | undefined
  /** the id that the proxy in front gave it (`--request-id`) */
  readonly requestId?: string | undefined
  /** the code of the reason why `authorize` refused a verified request */
  readonly refusal?: OwnCode
  /** of a signature that did not verify: whether the published key made it; undefined where that is not known */
  readonly madeByKey?: boolean | undefined
  /** the error because of which the replay store could not decide, in printable ASCII */
  readonly storeError?: string | undefined
  /** a mistake that can be fixed, for the log; without any text of the sender */
  readonly finding?: string | undefined
  /** the status sent to the sender; 0 when the connection ended before */
  readonly status: number
}

/**
 * Returns the domain of the key of a request that is signed under another domain: a claim that anybody can write. The
 * key is at `selector._domainkey.domain` (RFC 6376 section 3.6.2.1).
 */
export function otherDomainOf({ failures }: Verdict): string | undefined {
  const [claimed] = failures.flatMap(({ code, evidence }) =>
    code === 'key-name-outside-domain' ? evidence.received : []
  )
  return visibleText(claimed)?.toLowerCase().split('._domainkey.').at(-1)
}

/** Returns whether a sender that gets this status tries again (RFC 9110 section 15.6, RFC 6585 section 4). */
export const asksAgain = (status: number): boolean => status >= 500 || status === 429

/** Returns whether the request has nothing of a signed one, not even a signature in Authorization. */
export const isUnsigned = ({ failures }: Verdict): boolean => situationOf(failures).isUnsigned

/** Returns the codes that matter: of a request that is not signed, only that. */
export const mainCodes = (verdict: Verdict): string[] =>
  isUnsigned(verdict) ? ['signature-missing'] : verdict.failures.map(({ code }) => code)

/** A message that was not HTTP that can be forwarded, so it has no verdict. */
export interface Malformed {
  /** milliseconds since 1970 */
  readonly receivedAt: number
  readonly verdict?: undefined
  /** 400, 408, 413, 417 or 431 */
  readonly status: number
  readonly upstream: 'malformed'
  /** the reason, without any text of the sender: `target`, `HPE_INVALID_METHOD` */
  readonly reason: OwnCode | NodeCode
  readonly finding?: string
}

/** Codes in the log that are not of a check. `explain CODE` says what each means. */
type OwnCode = Exclude<GatewayCode, NodeCode>

/** Codes of Node.js for bytes that are not HTTP, or that came too late. */
export type NodeCode = 'ERR_HTTP_REQUEST_TIMEOUT' | `HPE_${string}`
