/** The standards by which a request can be signed: the draft, and its successor. */
export type SchemeName = 'draft-cavage' | 'rfc9421'
