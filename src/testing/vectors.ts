import { createRequire } from 'node:module'
import type { ReceivedBody, ReceivedRequest } from '../http/request.ts'
import type { LookupTxt } from '../key/dns.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { VectorBody, VectorFile, VectorJson, VectorVerdict } from './vector-form.ts'

/** One vector of the conformance suite, ready to run. */
export interface Vector {
  /** unique in the whole suite */
  name: string
  /** the file under `fixtures/`, without `.json`: mostly the check that it is about */
  file: string
  /** the clause that decides */
  source: string
  /** why, where the clause alone does not tell */
  note: string | undefined
  /** for `createVerifier`: the vector's clock, DNS and stores among them */
  options: VerifierOptions
  /** for `verify`; it can be judged more than once */
  request: ReceivedRequest
  /** what `verify` must say: all failures, in the order of the checks */
  verdict: VectorVerdict
  /** the vector as it stands in the file */
  json: VectorJson
}

/** The files of the suite; `draft-cavage-appendix-c.json` and `rfc9421-examples.json` beside them have other forms. */
const FILES = [
  'request',
  'https',
  'date',
  'host',
  'account',
  'signature-header',
  'coverage',
  'key-name',
  'key',
  'key-records',
  'dns',
  'signature',
  'digest',
  'replay',
  'several-failures',
  'verified',
  'rfc9421'
]

/**
 * The conformance suite that is shipped in `fixtures/`: requests with everything around them that decides, and the
 * verdict that each must get.
 *
 * @example
 * for (const { name, options, request, verdict } of loadVectors()) {
 *   test(name, async () => expect(await createVerifier(options)(request)).toMatchObject(verdict))
 * }
 */
export function loadVectors(): readonly Vector[] {
  // Here, so that the other exports can be imported where there are no files (Cloudflare Workers).
  const require = createRequire(import.meta.url)
  return FILES.flatMap(file => {
    // The package finds its own files by its own name, from wherever the build has put this module.
    const { source, vectors } = structuredClone<VectorFile>(require(`signed-requests/fixtures/${file}.json`))
    return vectors.map(json => ({
      name: json.name,
      file,
      source: json.source ?? source,
      note: json.note,
      options: readOptions(json),
      request: readRequest(json),
      verdict: json.verdict,
      json
    }))
  })
}

function readOptions({ options, now, dns, accountsError, replayStore }: VectorJson): VerifierOptions {
  return {
    ...options,
    ...(accountsError && { accounts: failingAccounts }),
    ...(replayStore !== undefined && { replayStore: REPLAY_STORES[replayStore] }),
    lookupTxt: lookUpIn(dns),
    now: () => Date.parse(now)
  }
}

const failingAccounts = (): never => {
  throw new Error('the accounts cannot be read')
}

const release = async (): Promise<void> => {}

const REPLAY_STORES: Readonly<Record<NonNullable<VectorJson['replayStore']>, ReplayStore>> = {
  empty: { claim: async () => true, release },
  claimed: { claim: async () => false, release },
  error: { claim: () => Promise.reject(new Error('the store is out of reach')), release }
}

function lookUpIn(dns: VectorJson['dns']): LookupTxt {
  return async name => {
    const answer = (Object.hasOwn(dns, name) ? dns[name] : undefined) ?? { error: 'ENOTFOUND' }
    if (!('error' in answer)) return answer.map(chunks => [...chunks])
    const error = new Error(`queryTxt ${answer.error ?? 'failed'} ${name}`)
    throw answer.error === null ? error : Object.assign(error, { code: answer.error })
  }
}

const readRequest = ({ request }: VectorJson): ReceivedRequest => ({
  ...request,
  body: request.body === null ? null : readBody(request.body)
})

function readBody(body: VectorBody): ReceivedBody {
  if ('utf8' in body) return new TextEncoder().encode(body.utf8)
  if ('base64' in body) return new Uint8Array(Buffer.from(body.base64, 'base64'))
  return { [Symbol.asyncIterator]: () => breakingStream(body.error) }
}

async function* breakingStream(code: string): AsyncGenerator<Uint8Array> {
  yield Uint8Array.of(0x7b)
  throw Object.assign(new Error('the connection is gone'), { code })
}
