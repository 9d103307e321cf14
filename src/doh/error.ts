/**
 * Why a lookup did not succeed, in the codes of `node:dns`; `ENOTAUTHENTICATED` is our own. The verifier goes by
 * `code` alone: `ENOTFOUND` and `ENODATA` say that there is no key, every other that it is not known.
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

/** A class, so that an error of `fetch`, whatever its code, is told apart. */
export class DohError extends Error {
  readonly code: DohErrorCode
  constructor(code: DohErrorCode, message: string, cause: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export const dohError = (code: DohErrorCode, message: string, cause?: unknown): DohError =>
  new DohError(code, message, cause)
