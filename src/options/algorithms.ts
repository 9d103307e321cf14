import { describe } from '../mistakes/describe.ts'
import type { SchemeSteps } from '../scheme.ts'
import { type Algorithm, SCHEME_ALGORITHMS } from '../signature/algorithms.ts'
import type { SchemeName } from '../verdict/verdict.ts'

/** The algorithms that are allowed, by scheme. */
export type AllowedAlgorithms = Readonly<Record<SchemeName, ReadonlySet<Algorithm>>>

/** The service's specification names one; RFC 9421 leaves the choice to key and signature. */
const DEFAULT_ALGORITHMS: AllowedAlgorithms = {
  'draft-cavage': new Set(['rsa-sha256']),
  rfc9421: new Set(SCHEME_ALGORITHMS.rfc9421)
}

/** How to import each scheme, for those who write its name. */
const IMPORTS: Readonly<Record<SchemeName, string>> = {
  'draft-cavage': "import { draftCavage } from 'signed-requests'",
  rfc9421: "import { rfc9421 } from 'signed-requests/rfc9421'"
}

/** By shape and not by identity: the values of the ES module and of the CommonJS build are different objects. */
const isScheme = (value: unknown): value is SchemeSteps =>
  typeof value === 'object' &&
  value !== null &&
  Object.hasOwn(IMPORTS, (value as SchemeSteps).name) &&
  typeof (value as SchemeSteps).parseSignature === 'function'

export function validateSchemes(schemes: unknown): readonly SchemeSteps[] {
  if (Array.isArray(schemes) && schemes.length > 0 && schemes.every(isScheme)) return schemes
  const names = [schemes].flat().filter(name => typeof name === 'string' && Object.hasOwn(IMPORTS, name))
  const imports = [...new Set(names.length === 0 ? Object.keys(IMPORTS) : names)].map(
    name => IMPORTS[name as SchemeName]
  )
  throw new TypeError(
    `schemes is ${showList(schemes)}: pass an array of schemes, such as [draftCavage], with ${imports.join('; ')}`
  )
}

export function validateAlgorithms(algorithms: unknown, schemes: readonly SchemeSteps[]): AllowedAlgorithms {
  if (algorithms === undefined) return DEFAULT_ALGORITHMS
  const known: ReadonlySet<unknown> = new Set(Object.values(SCHEME_ALGORITHMS).flat())
  if (!Array.isArray(algorithms) || !algorithms.every(name => known.has(name))) {
    throw new TypeError(`algorithms is ${showList(algorithms)}: pass an array of ${[...known].join(', ')}`)
  }
  for (const { name: scheme } of schemes) {
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
  Array.isArray(list) && list.length > 0 ? `[${list.map(describe).join(', ')}]` : describe(list)
