import type { DnsAnswer } from '../dns-answers.ts'
import type { Exchange } from '../exchange.ts'
import { claimedSignature } from './signing.ts'

const MAX_KEPT = 200

/** Bytes of a body that are kept. */
const MAX_BODY = 64 * 1024

/** What is kept of one request. */
export interface KeptExchange extends Exchange {
  /** counts up, also from one process to the next on the same machine */
  readonly number: number
  /** with a `Signature` under the domain; or anything else, such as scanners */
  readonly list: 'signed' | 'other'
  /** of the whole body, in bytes, of which `body` may be the beginning; undefined when it was not read to its end */
  readonly bodyLength: number | undefined
  /** what DNS answered about the key */
  readonly dns: Readonly<Record<string, DnsAnswer>> | undefined
}

export type Recent = ReturnType<typeof createRecent>

/**
 * The last 200 requests of each list, in memory only: nothing unsigned can push a signed one out.
 *
 * @param redact keep no body at all
 */
export function createRecent(redact: boolean, domain: string, dns: ReadonlyMap<string, DnsAnswer>) {
  const lists: Record<KeptExchange['list'], KeptExchange[]> = { signed: [], other: [] }
  const all = () => [...lists.signed, ...lists.other]
  let number = Date.now() * 1000
  return {
    keep(exchange: Exchange): void {
      number += 1
      const list = exchange.verdict.checks['key-name'].outcome === 'pass' ? 'signed' : 'other'
      const { keyId = '' } = claimedSignature(exchange.headers, domain) ?? {}
      const answer = dns.get(keyId)
      const kept = { ...exchange, ...cutBody(exchange, redact), dns: answer && { [keyId]: answer } }
      lists[list].push({ ...kept, number, list })
      if (lists[list].length > MAX_KEPT) lists[list].shift()
    },
    /** Those with a higher number, oldest first. */
    after: (than: number): readonly KeptExchange[] =>
      all()
        .filter(kept => kept.number > than)
        .sort((a, b) => a.number - b.number),
    get: (wanted: number): KeptExchange | undefined => all().find(kept => kept.number === wanted)
  }
}

function cutBody({ verdict, body: refused }: Exchange, redact: boolean) {
  const received = verdict.status === 'verified' ? verdict.body : refused
  return {
    verdict: verdict.status === 'verified' ? { ...verdict, body: new Uint8Array() } : verdict,
    // A copy: a view would keep all of the buffer behind it.
    body: redact ? undefined : received && new Uint8Array(received.subarray(0, MAX_BODY)),
    bodyLength: received?.length
  }
}
