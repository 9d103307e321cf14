import { httpDate, receiverClock } from './clock.ts'
import type { Evidence } from './evidence.ts'
import { duration, escapeText } from './text.ts'

/** How evidence is labelled on a check's line; other evidence keeps its own name. */
const LABELS: Evidence = {
  allowed: 'expected',
  actual: 'received',
  decompressed: 'Content-Encoding',
  excerpt: 'near',
  reason: 'because',
  toleranceSeconds: 'expected within'
}

/** Shown in the advice and below it instead. */
const ELSEWHERE = /^(?:offset|record|signature$|signingS|bodyL|contentL|reenc)/

/** Something that was received, found or configured: `received`, `a.example`. */
export interface Fact {
  name: string
  value: string
}

/** What was received and what was expected. */
export function facts(evidence: Evidence): Fact[] {
  const clock = receiverClock(evidence)
  return [
    ...Object.entries(evidence)
      .filter(([name, value]) => value !== undefined && !ELSEWHERE.test(name))
      .map(([name, value]) => ({ name: String(LABELS[name] ?? name), value: shown(name, value) })),
    ...(clock === undefined ? [] : [{ name: "this machine's clock", value: clock }])
  ]
}

export const factText = ({ name, value }: Fact): string => `${name} ${value}`

function shown(name: string, value: Evidence[string]): string {
  if (name === 'toleranceSeconds') return duration(Number(value))
  const time = name === 'created' || name === 'expires' ? httpDate(Number(value) * 1000) : undefined
  const text = escapeText(Array.isArray(value) ? value.join(', ') || 'nothing' : String(value))
  return time === undefined ? text : `${text} (${time})`
}
