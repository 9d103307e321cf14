import { draftCavage } from './draft-cavage/scheme.ts'
import type { Fields } from './http/fields.ts'
import type { Scheme } from './scheme.ts'
import type { SchemeName } from './verdict/verdict.ts'

/** Which scheme a request is judged by. */
export interface SchemeChooser {
  /** Undefined while the scheme is still being loaded. */
  choose(fields: Fields): Scheme | undefined
  /** Rejects when the scheme cannot be loaded; the next request tries again. */
  load(): Promise<Scheme>
}

/**
 * Chooses the scheme to judge a request by: RFC 9421 where that is allowed and there is a Signature-Input (section
 * 4.1), the draft otherwise. Never both, so an attacker cannot choose the weaker reading of a request.
 *
 * RFC 9421 is loaded only when it is allowed, because it brings in the parser of structured fields.
 */
export function createSchemeChooser(schemes: ReadonlySet<SchemeName>): SchemeChooser {
  let rfc9421: Scheme | undefined
  let loading: Promise<Scheme> | undefined
  const load = (): Promise<Scheme> => {
    loading ??= import('./rfc9421/scheme.ts').then(
      loaded => {
        rfc9421 = loaded.rfc9421
        return rfc9421
      },
      error => {
        loading = undefined
        throw error
      }
    )
    return loading
  }
  if (!schemes.has('rfc9421')) return { choose: () => draftCavage, load }

  // Loads before the first request, which reports a failure.
  load().catch(() => {})
  const isAlone = !schemes.has('draft-cavage')
  return { choose: fields => (isAlone || fields.values.has('signature-input') ? rfc9421 : draftCavage), load }
}
