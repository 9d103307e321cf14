import { Resolver } from 'node:dns/promises'
import { createVerifier, dnsTxtLookup, type ReceivedRequest } from 'signed-requests'
import { type DohTxtLookupOptions, dohTxtLookup } from 'signed-requests/doh'

/**
 * Selects how keys are looked up: at these servers, over HTTPS, or with the runtime's own resolver, which has no
 * option.
 */
export type Way = { servers: string[] } | DohTxtLookupOptions | 'of the system'

export interface Lookups {
  requests: readonly ReceivedRequest[]
  ways: readonly Way[]
  /** a name to ask the runtime itself for, without a dot at its end */
  bareName?: string
}

export interface LookupsReport {
  /** for each way: of each verdict the status and the codes */
  verdicts: readonly (readonly string[])[]
  /** does the runtime answer with records for the bare name? */
  answersBareName: boolean
}

function lookupBy(way: Way) {
  if (way === 'of the system') return { lookupTimeout: 3000 }
  return { lookupTxt: 'servers' in way ? dnsTxtLookup(way) : dohTxtLookup(way) }
}

/** Verifies all requests in each way, one after another. */
export async function judgeLookups({ requests, ways, bareName }: Lookups): Promise<LookupsReport> {
  const asked = bareName === undefined ? [] : await new Resolver().resolveTxt(bareName).catch(() => [])
  const verdicts: string[][] = []
  for (const way of ways) {
    const options = { serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234', ...lookupBy(way) }
    const verify = createVerifier(options)
    const found: string[] = []
    for (const request of requests) {
      const { status, failures } = await verify(request)
      found.push([status, ...failures.map(({ code }) => code)].join(' '))
    }
    verdicts.push(found)
  }
  return { verdicts, answersBareName: asked.length > 0 }
}
