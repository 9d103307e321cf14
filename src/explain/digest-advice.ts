import type { Reencoding } from '../verdict/evidence.ts'
import type { Advice, Evidence } from './evidence.ts'
import { escapeText } from './text.ts'

const REENCODINGS: Readonly<Record<Reencoding, string>> = {
  'newline-removed': 'a newline at its end was removed',
  'newline-added': 'a newline was added at its end',
  'crlf-to-lf': 'its line breaks were changed from CRLF to LF',
  'lf-to-crlf': 'its line breaks were changed from LF to CRLF',
  'bom-removed': 'the byte order mark at its start was removed',
  'bom-added': 'a byte order mark was added at its start',
  'json-reserialized': 'a JSON parser read it, and it was serialized again'
}

const RAW_BYTES = 'Verify the raw bytes, before any body parser or proxy that re-encodes them.'

/** What happened to a body that does not match its digest. */
export function digestAdvice({ reencoding, decompressed, bodyLength, contentLength }: Evidence): Advice {
  if (bodyLength === 0 && contentLength) return ['something else had already read the body', RAW_BYTES]
  if (decompressed !== undefined) {
    return [
      `something decompressed it (it was signed with Content-Encoding: ${escapeText(String(decompressed))})`,
      'Give the adapter the request itself, with no parser in front: express.raw() and express.json() decompress too.'
    ]
  }
  if (reencoding !== undefined && Object.hasOwn(REENCODINGS, String(reencoding))) {
    return [`${REENCODINGS[reencoding as Reencoding]} after it was signed (${reencoding})`, RAW_BYTES]
  }
  return ['the body was changed after it was signed', RAW_BYTES]
}
