import { describe } from '../mistakes/describe.ts'
import { type Algorithm, SCHEME_ALGORITHMS } from '../signature/algorithms.ts'
import type { SchemeName } from '../verdict/verdict.ts'

/** The algorithms that are allowed, by scheme. */
export type AllowedAlgorithms = Readonly<Record<SchemeName, ReadonlySet<Algorithm>>>

/** The service's specification names one; RFC 9421 leaves the choice to key and signature. */
const DEFAULT_ALGORITHMS: AllowedAlgorithms = {
  'draft-cavage': new Set(['rsa-sha256']),
  rfc9421: new Set(SCHEME_ALGORITHMS.rfc9421)
}

export function validateSchemes(schemes: unknown): ReadonlySet<SchemeName> {
  const isScheme = (name: unknown): name is SchemeName =>
    typeof name === 'string' && Object.hasOwn(SCHEME_ALGORITHMS, name)
  if (Array.isArray(schemes) && schemes.length > 0 && schemes.every(isScheme)) return new Set(schemes)
  throw new TypeError(
    `schemes is ${showList(schemes)}: pass an array of ${Object.keys(SCHEME_ALGORITHMS).join(', ')}`
  )
}

export function validateAlgorithms(algorithms: unknown, schemes: ReadonlySet<SchemeName>): AllowedAlgorithms {
  if (algorithms === undefined) return DEFAULT_ALGORITHMS
  const known: ReadonlySet<unknown> = new Set(Object.values(SCHEME_ALGORITHMS).flat())
  if (!Array.isArray(algorithms) || !algorithms.every(name => known.has(name))) {
    throw new TypeError(`algorithms is ${showList(algorithms)}: pass an array of ${[...known].join(', ')}`)
  }
  for (const scheme of schemes) {
    const own: readonly Algorithm[] = SCHEME_ALGORITHMS[scheme]
    if (!own.some(name => algorithms.includes(name))) {
      throw new TypeError(
        `algorithms is ${showList(algorithms)}, which allows none of ${scheme}: add one of ${own.join(', ')}`
      )
    }
  }
  const ofScheme = (scheme: SchemeName): ReadonlySet<Algorithm> =>
    new Set(algorithms.filter(name => (SCHEME_ALGORITHMS[scheme] as readonly Algorithm[]).includes(name)))
  return { 'draft-cavage': ofScheme('draft-cavage'), rfc9421: ofScheme('rfc9421') }
}

const showList = (list: unknown): string =>
  Array.isArray(list) ? `[${list.map(describe).join(', ')}]` : describe(list)
