import { parseSignatureHeader } from 'signed-requests'
import { isCanonical, spellings } from '../../support/spellings.ts'

/** Holds the results of a runtime's base64 decoder. */
export interface Spellings {
  tried: number
  /** JSON of the first few texts that were accepted though they are not canonical, or refused though they are */
  wrong: readonly string[]
}

/** Each runtime has its own base64 decoder; none may make a signature out of a non-canonical form. */
export function trySpellings(): Spellings {
  const wrong: string[] = []
  let tried = 0
  for (const text of spellings()) {
    const header = parseSignatureHeader(`keyId="key1.service.example",signature="${text}"`)
    const read = header.ok ? Buffer.from(header.value.signature).toString('base64') : undefined
    if (read !== (isCanonical(text) ? text : undefined) && wrong.length < 10) wrong.push(JSON.stringify(text))
    tried += 1
  }
  return { tried, wrong }
}
