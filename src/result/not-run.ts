/** A step that had nothing to check, and why. */
export interface NotRun {
  ok: false
  reason: string
}

/** The result of a check that needs the signature, when that cannot be parsed. */
export const UNREADABLE: NotRun = { ok: false, reason: 'there is no Signature header that can be parsed' }
