import { kindOf, mistake } from '../core/mistakes.ts'

/** The TXT records of one name, each a list of strings. */
type Records = readonly (readonly string[])[]

/** TXT records by name in lower case; they may change at any time. */
export type TxtRecords = Readonly<Record<string, Records>>

/** Returns the records of a name in lower case, or undefined without any. @throws TypeError for a wrong shape */
export function recordsOf(records: TxtRecords, name: string): Records | undefined {
  if (!Object.hasOwn(records, name)) return undefined
  const found: unknown = records[name]
  assertRecords(name, found)
  return found
}

function assertRecords(name: string, value: unknown): asserts value is Records {
  const wrong = wrongPart(value)
  if (wrong === undefined) return
  const rule = 'pass a list of records, each a list of strings, such as [["v=DKIM1; k=rsa; p=..."]]'
  throw mistake(`records[${JSON.stringify(name)}]`, value, rule, () => wrong)
}

/** Says which part of a list of records is not what it should be, or nothing. */
function wrongPart(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `is ${kindOf(value)}`
  for (const record of value) {
    if (!Array.isArray(record)) return `has ${kindOf(record)} for a record`
    for (const text of record) if (typeof text !== 'string') return `has ${kindOf(text)} in a record`
  }
  return undefined
}
