import { lineValues } from '../../http/fields.ts'
import type { Capture, Entry } from '../captures/capture.ts'
import { UsageError } from '../command.ts'

/** The selected request of a file, and a note when there are others. */
export function chooseEntry(
  { format, entries }: Capture,
  { entry, vector }: { entry?: string; vector?: string }
): { chosen: Entry; note: readonly string[] } {
  if (entry !== undefined) {
    const chosen = /^[1-9]\d{0,8}$/.test(entry) ? entries[Number(entry) - 1] : undefined
    if (chosen !== undefined) return { chosen, note: [] }
    throw new UsageError(`--entry is ${entry}: the file has requests 1 to ${entries.length}`)
  }
  if (format === 'a fixture') return { chosen: chooseVector(entries, vector), note: [] }
  if (vector !== undefined) throw new UsageError(`--vector is for a fixture, and the file is ${format}`)
  const signed = entries.findIndex(isSigned)
  const index = Math.max(signed, 0)
  const which = `this is request ${index + 1} of ${entries.length} in the file`
  const note = `${which}${signed < 0 ? ', none of which is signed' : ''}: --entry N chooses another`
  return { chosen: entries[index]!, note: entries.length === 1 ? [] : [note] }
}

/** The vector of that name; without one, the only vector. */
export function chooseVector(entries: readonly Entry[], name: string | undefined): Entry {
  const [chosen, ...others] = name === undefined ? entries : entries.filter(entry => entry.name === name)
  if (chosen !== undefined && others.length === 0) return chosen
  const names = entries.map(entry => entry.name).join(', ')
  throw new UsageError(
    name === undefined ? `--vector is missing: one of ${names}` : `there is no vector ${name} among ${names}`
  )
}

const isSigned = ({ request }: Entry): boolean =>
  ['signature', 'signature-input'].some(name => lineValues(request.headers, name).length > 0)
