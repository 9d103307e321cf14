import { CODES, type Code } from './codes.ts'
import type { EvidenceOf } from './evidence.ts'

/** What a pure step found wrong. */
export type Failed = { [C in Code]: FailedWith<C> }[Code]

/** One failure: `code` tells which `evidence` there is. */
export interface FailedWith<C extends Code> {
  ok: false
  code: C
  /** a constant of the code, without text from the sender */
  message: string
  /** what was received and what was expected; text from outside, not to be printed unescaped */
  evidence?: EvidenceOf<C>
}

/** A value, or the reason there is none. Pure steps return this and never throw for bad input. */
export type Result<T> = { ok: true; value: T } | Failed

export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value })

export function fail<C extends Code>(
  code: C,
  ...evidence: [EvidenceOf<C>] extends [never] ? [] : [EvidenceOf<C>]
): Failed
export function fail(code: Code, evidence?: EvidenceOf<Code>): Failed {
  const message = CODES[code][1]
  return (
    evidence === undefined ? { ok: false, code, message } : { ok: false, code, message, evidence }
  ) as Failed
}
