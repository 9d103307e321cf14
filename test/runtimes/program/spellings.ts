import { parseSignatureHeader } from 'signed-requests'
import { isCanonical, spellings } from '../../support/spellings.ts'

/** How a runtime's decoder of base64 did. */
export interface Spellings {
  tried: number
  /** JSON of the first few that were taken though they are not canonical, or refused though they are */
  wrong: readonly string[]
}

/** Runtimes decode base64 each in their own way; none may make a signature out of another spelling. */
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
