import { CODES, type Code } from './codes.ts'
import type { EvidenceGiven, FailedWith } from './evidence.ts'

/** The failure of a pure step. */
export type Failed = { [C in Code]: FailedWith<C> }[Code]

/** A value, or why it could not be made. Pure steps return this and never throw for bad input. */
export type Result<T> = { ok: true; value: T } | Failed

/** A step that had nothing to check, and why. */
export interface NotRun {
  ok: false
  reason: string
}

/** The result of a check that needs the signature, when that cannot be parsed. */
export const UNREADABLE: NotRun = { ok: false, reason: 'there is no Signature header that can be parsed' }

export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value })

export function fail<C extends Code>(code: C, ...[evidence]: EvidenceGiven<C>): FailedWith<C> {
  const message = CODES[code].message
  // The object is written out in both forms: a copy would make a refusal take a fifth longer.
  const failed = evidence === undefined ? { ok: false, code, message } : { ok: false, code, message, evidence }
  return failed as unknown as FailedWith<C>
}

/**
 * Adds the error of the receiver's own function to a failure. Not enumerable: a verdict stays plain data, and a log
 * does not print what the error may hold.
 */
export const withCause = <F extends object>(failure: F, cause: unknown): F =>
  Object.defineProperty(failure, 'cause', { value: cause, configurable: true, writable: true })

/** The label of an error that has neither a code nor a name. */
const NAMELESS = 'an error without a name'

/**
 * Returns the label of an error from outside: its code or its name, never its text, which may hold addresses and
 * passwords.
 */
export function errorLabel(error: unknown): string {
  try {
    const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
    if (typeof code === 'string') return code
    if (typeof name === 'string') return name
  } catch {
    // A getter threw: there is no name to use.
  }
  return NAMELESS
}

/** Adds the text around the position at which a header is malformed and, by RFC 9421, the name of the header. */
export function withExcerpt<T>(parsed: Result<T>, value: string, header?: 'Signature-Input' | 'Signature'): Result<T> {
  if (parsed.ok || parsed.code !== 'signature-malformed') return parsed
  const { position } = parsed.evidence
  const excerpt = value.slice(Math.max(0, position - 20), position + 20)
  return fail('signature-malformed', { ...parsed.evidence, excerpt, ...(header && { header }) })
}

/** Found by every copy of this package, such as its ESM and its CommonJS form in one process. */
const recorded = (): symbol => Symbol.for('signed-requests.recorded')

/**
 * Makes the reply of DNS, the accounts function or the store of a fixture: the recorded failure itself, at once.
 * Otherwise a fixture of a late reply would have to be late as well.
 */
export const recordedReply = (failed: Failed): object => ({ [recorded()]: failed })

/** Returns the failure in such a reply, and undefined for any other. */
export const failureIn = (reply: unknown): Failed | undefined =>
  (reply as Record<symbol, Failed> | null | undefined)?.[recorded()]
