import { draftCavage } from './draft-cavage/scheme.ts'
import type { Fields } from './http/fields.ts'
import type { Scheme } from './scheme.ts'
import type { SchemeName } from './signature/algorithms.ts'

/**
 * Chooses the scheme to judge a request by: RFC 9421 where that is allowed and there is a Signature-Input (section
 * 4.1), the draft otherwise. Never both, so an attacker cannot choose the weaker reading of a request.
 *
 * RFC 9421 is loaded when it is allowed, because it brings the parser of structured fields. The promise rejects when
 * it cannot be loaded, and the next request tries again.
 */
export function createSchemeChooser(
  schemes: ReadonlySet<SchemeName>
): (fields: Fields) => Scheme | Promise<Scheme> {
  if (!schemes.has('rfc9421')) return () => draftCavage

  let loading: Promise<Scheme> | undefined
  const load = (): Promise<Scheme> => {
    loading ??= import('./rfc9421/scheme.ts').then(
      loaded => loaded.rfc9421,
      error => {
        loading = undefined
        throw error
      }
    )
    return loading
  }
  // Ahead of the first request, which reports a failure.
  load().catch(() => {})

  const alone = !schemes.has('draft-cavage')
  return fields => (alone || fields.values.has('signature-input') ? load() : draftCavage)
}
