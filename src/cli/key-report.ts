import { facts, factText } from '../explain/facts.ts'
import { escapeText, wrapExact, wrapWords } from '../explain/text.ts'
import { parseKey } from '../key/import.ts'
import { type KeyRecord, looksLikeKeyRecord, parseKeyRecord } from '../key/record.ts'
import { isUnavailable } from '../verdict/codes.ts'
import type { Failed } from '../verdict/result.ts'

/** What is published at a DNS name: plain data, for `--json` and for a person. */
export interface KeyReport {
  name: string
  status: 'usable' | 'unusable' | 'unavailable'
  /** why there are no records at all */
  problem?: string
  records: readonly RecordReport[]
}

interface RecordReport {
  status: 'usable' | 'unusable' | 'unrelated'
  problem?: string
  type?: string
  bits?: number
  /** the hashes that `h=` allows; any when undefined */
  hashes?: readonly string[]
  flags?: readonly string[]
  text: string
}

/** From the TXT records at the name, chunks joined. */
export function reportOn(name: string, texts: readonly string[]): KeyReport {
  const records = texts.map(reportRecord)
  const status = records.some(record => record.status === 'usable') ? 'usable' : 'unusable'
  const noKey = records.every(record => record.status === 'unrelated')
  return { name, status, ...(noKey && { problem: 'no key record among the TXT records' }), records }
}

/** From a lookup without an answer. */
export const reportFailure = (name: string, failed: Failed): KeyReport => ({
  name,
  status: isUnavailable(failed.code) ? 'unavailable' : 'unusable',
  problem: problemOf(failed),
  records: []
})

function reportRecord(text: string): RecordReport {
  if (!looksLikeKeyRecord(text)) return { status: 'unrelated', text }
  const key = parseKey(text)
  if (key.ok) return { status: 'usable', bits: key.value.key.bits, ...factsOf(key.value.record) }
  const record = parseKeyRecord(text)
  return { status: 'unusable', problem: problemOf(key), text, ...(record.ok && factsOf(record.value)) }
}

const factsOf = ({ type, hashes, flags, text }: KeyRecord) => ({
  type,
  ...(hashes && { hashes }),
  flags,
  text
})

function problemOf({ code, message, evidence }: Failed): string {
  const { name: _, ...rest } = { ...evidence } as Record<string, string>
  return [`${code}: ${message}`, ...facts(rest).map(factText)].join('; ')
}

/** The report for a person: printable ASCII in 80 columns. */
export function keyReportText({ name, status, problem, records }: KeyReport): string {
  const lines = [`${status}: ${name}`]
  if (problem !== undefined) lines.push(wrapWords('  problem: ', problem))
  records.forEach((record, i) => {
    lines.push('', `record ${i + 1}: ${record.status === 'unrelated' ? 'not a key record' : record.status}`)
    if (record.problem !== undefined) lines.push(wrapWords('  problem: ', record.problem))
    if (record.type !== undefined) {
      lines.push(`  type: ${record.type}${record.bits === undefined ? '' : `, ${record.bits} bits`}`)
      lines.push(wrapWords('  hashes: ', escapeText(record.hashes?.join(', ') ?? 'any')))
      lines.push(wrapWords('  flags: ', escapeText(record.flags?.join(', ') || 'none')))
    }
    lines.push(wrapExact('  text: ', escapeText(record.text, 2000)))
  })
  return lines.join('\n')
}
