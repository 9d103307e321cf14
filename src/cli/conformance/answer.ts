import { escapeText } from '../../explain/text.ts'
import type { VectorVerdict } from '../../testing/vector-form.ts'
import { isFailure, verdictText } from './verdict-text.ts'

/** What the program said about one vector. */
export interface Answer {
  isRight: boolean
  /** for a person, in printable ASCII */
  text: string
}

/** Enough for a verdict with every code, short enough for a terminal. */
const MAX_TEXT = 300

/** Judges one line of the program's output. Members other than `status` and `failures` are ignored. */
export function judgeAnswer(line: string, expected: VectorVerdict): Answer {
  let answer: unknown
  try {
    answer = JSON.parse(line)
  } catch {
    return wrong(`not JSON: ${line}`)
  }
  if (typeof answer !== 'object' || answer === null) return wrong(`not an object: ${line}`)
  const { status, failures = [] } = answer as { status?: unknown; failures?: unknown }
  if (typeof status !== 'string') return wrong(`status is missing: ${line}`)
  if (!Array.isArray(failures) || !failures.every(isFailure))
    return wrong(`failures must be a list of {check, code}: ${line}`)
  const text = verdictText({ status, failures })
  return { isRight: text === verdictText(expected), text: escapeText(text, MAX_TEXT) }
}

const wrong = (text: string): Answer => ({ isRight: false, text: escapeText(text, MAX_TEXT) })
