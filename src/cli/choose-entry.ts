import { lineValues } from '../http/fields.ts'
import type { Capture, Entry } from './captures/capture.ts'
import { chooseVector } from './captures/fixture.ts'
import { UsageError } from './usage.ts'

interface Choice {
  entry: string | undefined
  vector: string | undefined
}

/** The selected request of a file, and a note when there are others. */
export function chooseEntry(
  { format, entries }: Capture,
  { entry, vector }: Choice
): { chosen: Entry; note: readonly string[] } {
  if (entry !== undefined) return { chosen: byNumber(entries, entry), note: [] }
  if (format === 'a fixture') return { chosen: chooseVector(entries, vector), note: [] }
  if (vector !== undefined) throw new UsageError(`--vector is for a fixture, and the file is ${format}`)
  const signed = entries.findIndex(isSigned)
  const index = Math.max(signed, 0)
  const note =
    entries.length === 1
      ? []
      : [
          `this is request ${index + 1} of ${entries.length} in the file${signed < 0 ? ', none of which is signed' : ''}: ` +
            '--entry N chooses another'
        ]
  return { chosen: entries[index]!, note }
}

function byNumber(entries: readonly Entry[], text: string): Entry {
  const found = /^[1-9]\d{0,8}$/.test(text) ? entries[Number(text) - 1] : undefined
  if (found !== undefined) return found
  throw new UsageError(`--entry is ${text}: the file has requests 1 to ${entries.length}`)
}

const isSigned = ({ request }: Entry): boolean =>
  lineValues(request.headers, 'signature').length > 0 ||
  lineValues(request.headers, 'signature-input').length > 0
