import type { EvidenceByCode } from '../verdict/evidence.ts'
import { openSignature } from './opened-signature.ts'
import { duration, escapeText } from './text.ts'

/** The evidence of any code, as `explain` reads it. */
export type Evidence = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** What evidence is called on a check's line; the rest keeps its own name. */
const LABELS: Evidence = {
  allowed: 'expected',
  actual: 'received',
  reason: 'because',
  toleranceSeconds: 'expected within'
}

/** What was received and what was expected: `received a.example`, `expected b.example`. */
export const facts = (evidence: Evidence): string[] =>
  Object.entries(evidence)
    .filter(([name]) => !/^(?:offset|record|signature$|signingS|bodyL|contentL|reenc)/.test(name))
    .map(([name, value]) => `${LABELS[name] ?? name} ${shown(name, value)}`)

const shown = (name: string, value: Evidence[string]): string =>
  name === 'toleranceSeconds'
    ? duration(Number(value))
    : escapeText(Array.isArray(value) ? value.join(', ') : String(value))

/** The likely cause: what the evidence says of it, or else what is likely for the code. */
export function causeFrom(evidence: Evidence, likely: string): string {
  const { offsetSeconds, reencoding, bodyLength, contentLength, signingString } = evidence
  if (reencoding !== undefined) return `${reencoding} after it was signed`
  if (bodyLength === 0 && contentLength) return 'something read the body before it came here'
  if (
    signingString !== undefined &&
    openSignature(evidence as unknown as EvidenceByCode['signature-mismatch']) !== undefined
  )
    return 'the key did make this signature, so one of the lines was changed on the way'
  if (offsetSeconds === undefined) return likely
  const offset = Number(offsetSeconds)
  return `${duration(Math.abs(offset))} ${offset < 0 ? 'slow' : 'fast'}: is this machine's clock right? ${likely}`
}
