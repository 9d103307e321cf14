import type { Writer } from './rewrite.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

export const hasLineFeed = (body: Buffer): boolean => body.includes(LINE_FEED)

/** Writes CRLF for each LF. */
export const crlfFromLf: Writer = (body, text) => {
  let length = 0
  for (let i = 0; i < body.length && length <= text.length; i++) {
    if (body[i] === LINE_FEED) text[length++] = CARRIAGE_RETURN
    text[length++] = body[i]!
  }
  return length
}

/** Writes LF for each CRLF. */
export const lfFromCrlf: Writer = (body, text) => {
  let length = 0
  for (let i = 0; i < body.length && length <= text.length; i++) {
    if (body[i] !== CARRIAGE_RETURN || body[i + 1] !== LINE_FEED) text[length++] = body[i]!
  }
  return length
}
