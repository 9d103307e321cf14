import type { Evidence } from './evidence.ts'
import { escapeText, plural, wrapExact, wrapWords } from './text.ts'

/** The details below the advice: the body's length, the key record, the signing string. */
export function details({ bodyLength, contentLength, record, signingString }: Evidence): string[] {
  const lines: string[] = []
  if (bodyLength !== undefined) lines.push(wrapWords('  body: ', lengths(Number(bodyLength), contentLength)))
  if (record !== undefined) lines.push(wrapExact('  record as found: ', escapeText(String(record), 1000)))
  if (signingString !== undefined)
    lines.push('  signing string as rebuilt here:', ...signedLines(String(signingString)))
  return lines
}

/** The length of the body, compared with the signed Content-Length. */
export function lengths(received: number, signed: Evidence[string]): string {
  const size = plural(received, 'byte')
  if (signed === undefined) return `${size}; Content-Length is not signed`
  const difference = received - Number(signed)
  if (difference === 0) return `${size}, as long as what was signed`
  const more = difference > 0 ? 'longer' : 'shorter'
  return `${plural(Math.abs(difference), 'byte')} ${more} than what was signed (${received} instead of ${signed})`
}

const CHANGED_BY_PROXIES =
  /^"?(?:host|\(request-target\)|@(?:request-target|target-uri|authority|scheme|path|query)|content-(?:length|type))"?:/

/** Whether a line of a signing string is one that proxies often change: the target, the host, what describes the body. */
export const isOftenChanged = (line: string): boolean => CHANGED_BY_PROXIES.test(line)

/** Numbered from 1; a star marks the lines that proxies often change. */
const signedLines = (signingString: string): string[] =>
  signingString.split('\n').map((line, i) => {
    const star = isOftenChanged(line) ? '*' : ' '
    return wrapExact(`${String(i + 1).padStart(4)}${star} `, escapeText(line, 600))
  })
