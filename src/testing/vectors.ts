import { createRequire } from 'node:module'
import type { ReceivedRequest } from '../http/request.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { VectorFile, VectorJson, VectorVerdict } from './vector-form.ts'
import { optionsOfVector, requestOfVector } from './vector-setup.ts'

/** One vector of the conformance suite, ready to run. */
export interface Vector {
  /** unique in the whole suite */
  name: string
  /** the file under `fixtures/`, without `.json`: mostly the check that it is about */
  file: string
  /** the clause that decides */
  source: string
  /** why, if the clause alone does not say */
  note: string | undefined
  /** for `createVerifier`: the vector's clock, DNS and stores among them */
  options: VerifierOptions
  /** for `verify`; it can be judged more than once */
  request: ReceivedRequest
  /** what `verify` must say: all failures, in the order of the checks */
  verdict: VectorVerdict
  /** the vector as it is in the file */
  json: VectorJson
}

/** The files of the suite; `draft-cavage-appendix-c.json` and `rfc9421-examples.json` have other forms. */
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
  'schemes',
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
      // The files have every option that is required.
      options: optionsOfVector(json) as VerifierOptions,
      request: requestOfVector(json),
      verdict: json.verdict,
      json
    }))
  })
}
