import { type KeptExchange, PREVIEW_BYTES } from './recent.ts'

/** The start of a body, for the page. */
export interface BodyPreview {
  kind: 'text' | 'hex' | 'none'
  text: string
  /** of the whole body, in bytes; undefined when it was not read to its end */
  length: number | undefined
  isCut: boolean
  /** why nothing is shown */
  note: string
}

/** As many as a phone can show. */
const BYTES_IN_LINE = 8
const MAX_HEX = 1024

/** The body as text where it is UTF-8, and else in hex. */
export function bodyPreview({ body, bodyLength }: KeptExchange, redact: boolean): BodyPreview {
  const nothing = (note: string): BodyPreview => ({
    kind: 'none',
    text: '',
    length: bodyLength,
    isCut: false,
    note
  })
  if (bodyLength === 0) return nothing('The body is empty.')
  if (redact) return nothing('Bodies are not shown (--redact).')
  if (body === undefined || bodyLength === undefined) {
    return nothing(
      'The body was not kept: it is read only after the signature has verified, and of a refused request 64 KiB are kept.'
    )
  }
  const text = textOf(
    body.subarray(0, PREVIEW_BYTES),
    body.length > PREVIEW_BYTES || bodyLength > body.length
  )
  const shown = text === undefined ? MAX_HEX : PREVIEW_BYTES
  return {
    kind: text === undefined ? 'hex' : 'text',
    text: text ?? hexDump(body.subarray(0, MAX_HEX)),
    length: bodyLength,
    isCut: bodyLength > shown,
    note: ''
  }
}

/** @param isCut a character at the end may be cut in two */
function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    const text = decoder.decode(bytes, { stream: isCut })
    return text.includes('\0') ? undefined : text.replace(INVISIBLE, asEscape)
  } catch {
    return undefined
  }
}

/**
 * Control and format characters (bidirectional ones too), line and paragraph separators, and unassigned code points.
 */
const INVISIBLE = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu

const asEscape = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

function hexDump(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += BYTES_IN_LINE) {
    const line = Buffer.from(bytes.subarray(at, at + BYTES_IN_LINE))
    const hex = (line.toString('hex').match(/../g) ?? []).join(' ').padEnd(BYTES_IN_LINE * 3 - 1)
    const text = line.toString('latin1').replace(/[^ -~]/g, '.')
    lines.push(`${at.toString(16).padStart(4, '0')}  ${hex}  ${text}`)
  }
  return lines.join('\n')
}
