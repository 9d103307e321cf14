// By their names, so that the gateway uses the library that is installed beside it.
import { draftCavage, type Scheme, type SchemeName } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'

/** The schemes by the names that `--scheme` takes. */
export const SCHEMES: Readonly<Record<SchemeName, Scheme>> = { 'draft-cavage': draftCavage, rfc9421 }
