import { createHash } from 'node:crypto'
import { createVerifier, draftCavage, type VerifierOptions } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'

/** Holds requests to judge. */
export interface RequestBatch {
  options: Pick<VerifierOptions, 'serviceDomain' | 'hosts' | 'accounts' | 'algorithms'>
  now: number
  requests: readonly {
    method: string
    target: string
    headers: readonly (readonly [name: string, value: string])[]
    /** base64 */
    body: string
    https: boolean
    /** TXT records by name */
    records: Readonly<Record<string, readonly string[]>>
  }[]
}

/**
 * Judges all of them with one verifier. A verdict is one text, with every part that must be the same on all runtimes.
 */
export async function judgeRequests({ options, now, requests }: RequestBatch): Promise<string[]> {
  let records: Readonly<Record<string, readonly string[]>> = {}
  const verify = createVerifier({
    ...options,
    schemes: [draftCavage, rfc9421],
    now: () => now,
    replayStore: { claim: async () => true, release: async () => {} },
    lookupTxt: async name => {
      const found = Object.hasOwn(records, name) ? records[name] : undefined
      if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return found.map(record => record.match(/.{1,255}/gs) ?? [''])
    }
  })
  const verdicts: string[] = []
  for (const { body, records: own, ...request } of requests) {
    records = own
    try {
      const { checks, ...verdict } = await verify({ ...request, body: new Uint8Array(Buffer.from(body, 'base64')) })
      const bytes = 'body' in verdict ? createHash('sha256').update(verdict.body).digest('hex') : undefined
      verdicts.push(JSON.stringify({ ...verdict, body: bytes, checks: Object.values(checks).map(c => c.outcome) }))
    } catch (error) {
      verdicts.push(`thrown: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return verdicts
}
