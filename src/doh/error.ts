/**
 * Why a lookup did not succeed, in the codes of `node:dns`; `ENOTAUTHENTICATED` is our own. The verifier looks only at
 * `code`: `ENOTFOUND` and `ENODATA` mean that there is no key; with any other code that is unknown.
 */
export type DohErrorCode =
  | 'ENOTFOUND'
  | 'ENODATA'
  | 'EFORMERR'
  | 'ESERVFAIL'
  | 'ENOTIMP'
  | 'EREFUSED'
  | 'EBADNAME'
  | 'EBADRESP'
  | 'ECONNREFUSED'
  | 'ETIMEOUT'
  | 'ECANCELLED'
  | 'ENOTAUTHENTICATED'

/** A class, so that it differs from an error of `fetch` with the same code. */
export class DohError extends Error {
  readonly code: DohErrorCode
  constructor(code: DohErrorCode, message: string, cause: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export const dohError = (code: DohErrorCode, message: string, cause?: unknown): DohError =>
  new DohError(code, message, cause)
