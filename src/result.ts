import { CODES, type Code } from './codes.ts'
import type { EvidenceOf } from './evidence.ts'

/** What a pure step found wrong. */
export type Failed = { [C in Code]: FailedWith<C> }[Code]

export interface FailedWith<C extends Code> {
  ok: false
  code: C
  message: string
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
