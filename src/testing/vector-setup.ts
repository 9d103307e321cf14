import { draftCavage } from '../draft-cavage/scheme.ts'
import type { ReceivedBody, ReceivedRequest } from '../http/request.ts'
import type { LookupTxt } from '../key/dns.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { ReplayStore } from '../replay/store.ts'
import { rfc9421 } from '../rfc9421/scheme.ts'
import type { Scheme } from '../scheme.ts'
import type { SchemeName } from '../verdict/verdict.ts'
import type { VectorBody, VectorJson } from './vector-form.ts'

type Surroundings = Pick<VectorJson, 'accountsError' | 'replayStore'> &
  Partial<Pick<VectorJson, 'options' | 'dns' | 'now'>>

/**
 * The options for `createVerifier` that a vector describes: its plain options, and DNS, clock, accounts function and
 * replay store that behave as it says. What a document leaves out is left out.
 */
export function optionsOfVector({
  options,
  now,
  dns,
  accountsError,
  replayStore
}: Surroundings): Partial<VerifierOptions> {
  const { schemes, ...plain } = options ?? {}
  return {
    ...plain,
    ...(schemes !== undefined && { schemes: schemes.map(name => SCHEMES[name]) }),
    ...(accountsError && { accounts: failingAccounts }),
    ...(replayStore !== undefined && { replayStore: REPLAY_STORES[replayStore] }),
    ...(dns !== undefined && { lookupTxt: lookupOf(dns) }),
    ...(now !== undefined && { now: () => Date.parse(now) })
  }
}

/** The request that a vector describes; it can be judged more than once. */
export const requestOfVector = ({ request }: Pick<VectorJson, 'request'>): ReceivedRequest => ({
  ...request,
  body: request.body === null ? null : decodeBody(request.body)
})

/** The schemes by the names that vectors and command lines have for them. */
export const SCHEMES: Readonly<Record<SchemeName, Scheme>> = { 'draft-cavage': draftCavage, rfc9421 }

const failingAccounts = (): never => {
  throw new Error('the accounts cannot be read')
}

const release = async (): Promise<void> => {}

const REPLAY_STORES: Readonly<Record<NonNullable<VectorJson['replayStore']>, ReplayStore>> = {
  empty: { claim: async () => true, release },
  claimed: { claim: async () => false, release },
  error: { claim: () => Promise.reject(new Error('the store is out of reach')), release }
}

function lookupOf(dns: VectorJson['dns']): LookupTxt {
  return async name => {
    const answer = (Object.hasOwn(dns, name) ? dns[name] : undefined) ?? { error: 'ENOTFOUND' }
    if (!('error' in answer)) return answer.map(strings => [...strings])
    const error = new Error(`queryTxt ${answer.error ?? 'failed'} ${name}`)
    throw answer.error === null ? error : Object.assign(error, { code: answer.error })
  }
}

function decodeBody(body: VectorBody): ReceivedBody {
  if ('utf8' in body) return new TextEncoder().encode(body.utf8)
  if ('base64' in body) return new Uint8Array(Buffer.from(body.base64, 'base64'))
  return { [Symbol.asyncIterator]: () => breakingStream(body.error) }
}

async function* breakingStream(code: string): AsyncGenerator<Uint8Array> {
  yield Uint8Array.of(0x7b)
  throw Object.assign(new Error('the connection is gone'), { code })
}
