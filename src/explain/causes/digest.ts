import type { EvidenceByCode, Reencoding } from '../../core/result/evidence.ts'
import { fact, lengths, longFact, reasonFact } from '../facts.ts'
import type { CausesOf, FactsOf } from './row.ts'

/** Describes each change of a body after it was signed. */
const CHANGES: Readonly<Record<Reencoding, string>> = {
  'newline-removed': 'a newline at its end was removed',
  'newline-added': 'a newline was added at its end',
  'crlf-to-lf': 'its line breaks were changed from CRLF to LF',
  'lf-to-crlf': 'its line breaks were changed from LF to CRLF',
  'bom-removed': 'the byte order mark at its start was removed',
  'bom-added': 'a byte order mark was added at its start',
  'json-reserialized': 'a JSON parser read it, and it was serialized again',
  'form-reserialized': 'a form parser read it, and it was serialized again',
  'latin1-as-utf8': 'its UTF-8 was read as Latin-1 and written as UTF-8',
  'utf8-as-latin1': 'it was read as UTF-8 and written as Latin-1',
  'base64-encoded': 'it was encoded in base64, or not decoded,',
  'json-string': 'it was serialized as a JSON string',
  'read-as-text': 'it was read as text, and has U+FFFD for bytes that are not UTF-8,',
  'object-to-string': 'a parsed body was converted to a string',
  'cut-short': 'the body was cut short'
}

/** SHA-256 and SHA-512 of nothing. */
const EMPTY_DIGESTS = [
  '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  'z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=='
]

const RAW_BYTES = {
  options: 'Verify the raw bytes, before any body parser or proxy that re-encodes them.',
  flags: 'Have the bytes passed on as they were sent: no parser and no proxy that re-encodes them in front.'
} as const

/**
 * Returns by how many bytes the length differs from the signed one, where that is known: negative when the body is
 * shorter.
 */
const difference = ({ bodyLength, contentLength }: EvidenceByCode['digest-mismatch']): number =>
  contentLength === undefined ? 0 : bodyLength - contentLength

const size = ({ bodyLength, contentLength }: EvidenceByCode['digest-mismatch']): string =>
  lengths(bodyLength, contentLength)

export const digestFacts = (): FactsOf<'digest'> => ({
  'digest-missing': ({ header }) => fact('header', header),
  'digest-malformed': ({ received, reason }) => [...fact('received', received), ...reasonFact(reason)],
  'digest-unsupported': ({ received }) => fact('received', received),
  'digest-mismatch': evidence => [
    ...fact('algorithm', evidence.algorithm),
    ...fact('expected', evidence.expected),
    ...fact('actual', evidence.actual, 'received'),
    ...longFact('body', 'body', size(evidence))
  ],
  'body-too-large': ({ limit }) => fact('limit', limit),
  'body-unreadable': ({ error }) => fact('error', error)
})

export const digestCauses = (): CausesOf<'digest'> => ({
  'digest-missing': [
    {
      cause: 'a proxy dropped it, or the sender signs no body',
      fix: "Have proxies pass it on; if the sender's log does not have it either, have the sender add it."
    }
  ],
  'digest-malformed': [
    { cause: 'a broken sender, or a header that was cut', fix: 'Have the sender write SHA-256= and base64.' }
  ],
  'digest-unsupported': [{ cause: 'an old sender', fix: 'Have the sender add SHA-256: MD5 and SHA-1 never count.' }],
  'digest-mismatch': [
    {
      when: ({ evidence }) => evidence.bodyLength === 0,
      cause: 'the body is empty, and was not when it was signed: something else had already read it, or dropped it',
      fix: { options: 'Verify the raw bytes, before any body parser.', flags: 'Have the body passed on.' }
    },
    {
      when: ({ evidence }) => EMPTY_DIGESTS.includes(evidence.expected),
      cause: 'the sender signed an empty body: it hashed before it wrote the body, or a proxy added one',
      fix: "Compare with the sender's log."
    },
    {
      when: ({ body }) => body.decompressed !== undefined,
      cause: ({ body }) => `something decompressed it (it came with Content-Encoding: ${body.decompressed})`,
      fix: {
        options:
          'Give the adapter the request itself, with no parser in front: express.raw() and express.json() decompress ' +
          'too (inflate: false). If a proxy decompresses it, Apache does with SetInputFilter DEFLATE: take that out.',
        flags:
          'Have the proxy that decompresses requests pass the body on as it was sent (Apache: no SetInputFilter ' +
          'DEFLATE).'
      }
    },
    {
      when: ({ body }) => body.change === 'cut-short',
      cause: ({ shown: { bodyLength, contentLength } }) =>
        `the body was cut short after it was signed: ${bodyLength} of ${contentLength} bytes`,
      fix: 'Look for a limit on the size of bodies in proxies and parsers, and for connections that break.'
    },
    {
      when: ({ body }) => body.change !== undefined,
      cause: ({ body: { change } }) => `${change && CHANGES[change]} after it was signed (${change})`,
      fix: RAW_BYTES
    },
    {
      when: ({ evidence }) => difference(evidence) < 0,
      cause: ({ evidence }) =>
        `the body was changed after it was signed: parsed and serialized again, or replaced; it is ${size(evidence)}`,
      fix: RAW_BYTES
    },
    {
      when: ({ evidence }) => difference(evidence) > 0,
      cause: ({ evidence }) =>
        'the body was changed after it was signed: decompressed, parsed and serialized again, or replaced; it is ' +
        size(evidence),
      fix: {
        options:
          'If the sender compresses (Content-Encoding in its log), something in front decompresses: Apache with ' +
          'SetInputFilter DEFLATE, or express.raw() and express.json() without inflate: false; if not, verify the ' +
          'raw bytes, before any parser.',
        flags:
          'If the sender compresses (Content-Encoding in its log), something in front decompresses: Apache with ' +
          'SetInputFilter DEFLATE; if not, have the bytes passed on as they were sent.'
      }
    },
    { cause: 'the body was changed after it was signed', fix: RAW_BYTES }
  ],
  'body-too-large': [
    {
      cause: 'a large body, or a flood',
      fix: ({ shown, setting }) =>
        `Raise ${setting('maxBodyBytes')} if the service sends such bodies (it is now ${shown.limit} bytes).`
    }
  ],
  'body-unreadable': [
    {
      cause: {
        options: ({ shown }) =>
          'the connection broke, or the sender was too slow, or your own code answered before the body was read: ' +
          shown.error,
        flags: ({ shown }) => `the connection broke, or the sender was too slow: ${shown.error}`
      },
      fix: {
        options:
          'Nothing to fix if it is rare: the sender may try again. If it is always so, verify before next() and ' +
          'before any response, or pass the bytes.',
        flags: 'Nothing to fix if it is rare: the sender may try again.'
      }
    }
  ]
})
