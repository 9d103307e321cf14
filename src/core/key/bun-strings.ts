import { KEY_TYPES } from './key-types.ts'
import { MAX_RECORD_LENGTH, parseKeyRecord } from './record.ts'

/**
 * Bun returns the strings of all TXT records in their order, each as a record of its own: the boundaries between
 * records are lost. This joins them where they can only be one record, and throws otherwise: a wrong guess could lose a
 * restriction, such as `t=y`.
 *
 * @throws an error with the code `EAMBIGUOUS`
 */
export function joinIntoRecords(answer: readonly (readonly string[])[]): string[][] {
  if (answer.length < 2) return answer.map(strings => [...strings])
  const strings = answer.flat()
  if (hasNoKey(strings.join('')) || isOneRecord(strings)) return [strings]
  throw Object.assign(new Error('several strings: Bun does not tell where a TXT record ends'), { code: 'EAMBIGUOUS' })
}

/** Without a `p=` there is no key, wherever a record ends. */
const hasNoKey = (text: string): boolean => !/p[\s"'\\]*=/.test(text)

/**
 * Returns whether the strings are one key record beyond doubt. Together they are a tag list with a whole key or an
 * empty `p=`, and no tag but `p=` is cut. So no restriction can hide in the value of another tag.
 */
function isOneRecord(strings: readonly string[]): boolean {
  const text = strings.join('')
  if (text.length > MAX_RECORD_LENGTH || !hasWholeKey(text)) return false
  const cuts = new Set<number>()
  let end = 0
  for (const string of strings) {
    end += string.length
    cuts.add(end)
  }

  let start = 0
  for (const tag of text.split(';')) {
    const from = start + tag.length - tag.trimStart().length
    const to = start + tag.trimEnd().length
    start += tag.length + 1
    if (isKey(tag)) {
      // A cut within the name, or in front of the equals sign, still counts.
      if (isCut(cuts, from, from + tag.trimStart().indexOf('=') + 1)) return false
    } else if (isCut(cuts, from, to)) return false
  }
  return true
}

const isKey = (tag: string): boolean => tag.slice(0, tag.indexOf('=')).trim() === 'p'

/** Returns whether there is a cut between these two positions. */
function isCut(cuts: ReadonlySet<number>, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) if (cuts.has(at)) return true
  return false
}

function hasWholeKey(text: string): boolean {
  const record = parseKeyRecord(text)
  if (record.ok) return KEY_TYPES[record.value.type].isComplete(record.value.publicKey)
  // The other codes are those of a tag list that is right in itself.
  return record.code !== 'key-malformed' && record.code !== 'key-unreadable'
}
