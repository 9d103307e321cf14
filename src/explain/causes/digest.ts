import type { EvidenceByCode, Reencoding } from '../../core/result/evidence.ts'
import { fact, lengths, longFact, reasonFact } from '../facts.ts'
import { type ConditionalCause, causeOf, type EntriesOf } from './entry.ts'

/** Describes each change of a body after it was signed. */
const CHANGES: Readonly<Record<Exclude<Reencoding, 'cut-short'>, string>> = {
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
  'object-to-string': 'a parsed body was converted to a string'
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

/** Explains each change of a body. */
const changes = (): ConditionalCause<'digest-mismatch'>[] =>
  (Object.keys(CHANGES) as (keyof typeof CHANGES)[]).map(change => ({
    find: ({ body }) => body.change === change,
    cause: `${CHANGES[change]} after it was signed (${change})`,
    fix: RAW_BYTES,
    examples: [{ body: { change } }]
  }))

export const digestEntries = (): EntriesOf<'digest'> => ({
  'digest-missing': {
    about: 'There is no `Digest` (for RFC 9421: `Content-Digest`).',
    example: { header: 'Content-Digest' },
    exampleNote: 'only for RFC 9421',
    facts: ({ header }) => fact('header', header),
    causes: [
      {
        cause: 'a proxy dropped it, or the sender signs no body',
        fix: "Have proxies pass it on; if the sender's log does not have it either, have the sender add it."
      }
    ]
  },
  'digest-malformed': {
    about:
      'It is not a list of algorithms and values, or a SHA-256 or SHA-512 value is not canonical base64 of the right ' +
      'length.',
    example: { received: 'SHA-256=', reason: 'an algorithm, an equals sign and a value are expected' },
    facts: ({ received, reason }) => [...fact('received', received), ...reasonFact(reason)],
    causes: [
      {
        find: ({ evidence }) => /^(?:SHA-(?:256|512)=)?[\da-f]{64}(?:[\da-f]{64})?$/i.test(evidence.received),
        cause: 'the sender writes the digest in hexadecimal',
        fix: 'Have the sender write SHA-256= and the digest in base64 (RFC 5843 section 2.1).',
        examples: [{ evidence: { received: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' } }]
      },
      { cause: 'a broken sender, or a header that was cut', fix: 'Have the sender write SHA-256= and base64.' }
    ]
  },
  'digest-unsupported': {
    about: 'It has neither SHA-256 nor SHA-512. MD5 and SHA-1 never count.',
    example: { received: ['md5'] },
    facts: ({ received }) => fact('received', received),
    causes: [
      {
        find: ({ evidence }) => evidence.received.some(name => /^(?:id-)?sha[-_ ]?(?:256|512)$/i.test(name)),
        cause: ({ shown }) => `the sender spells the algorithm in another way: ${shown.received}`,
        fix: 'Have the sender write SHA-256= or SHA-512= (RFC 5843 section 2.1).',
        examples: [{ evidence: { received: ['sha256'] } }]
      },
      { cause: 'an old sender', fix: 'Have the sender add SHA-256: MD5 and SHA-1 never count.' }
    ]
  },
  'digest-mismatch': {
    about:
      'The body does not have the digest that was signed. Evidence: `contentLength` is the length that was signed, if it ' +
      'was. `diagnose(verdict)` finds what happened to the body: `change`, and in `decompressed` the Content-Encoding that ' +
      'something removed. It needs the verdict that `verify` returned, because a copy does not have the body.',
    example: {
      algorithm: 'sha-256',
      expected: 'Vvq...',
      actual: '47D...',
      bodyLength: 14,
      contentLength: 15
    },
    facts: evidence => [
      ...fact('algorithm', evidence.algorithm),
      ...fact('expected', evidence.expected),
      ...fact('actual', evidence.actual, 'received'),
      ...longFact('body', 'body', size(evidence))
    ],
    causes: [
      {
        find: ({ evidence }) => evidence.bodyLength === 0,
        cause: 'the body is empty, and was not when it was signed: something else had already read it, or dropped it',
        fix: { options: 'Verify the raw bytes, before any body parser.', flags: 'Have the body passed on.' },
        examples: [{ evidence: { bodyLength: 0 } }]
      },
      {
        find: ({ evidence }) => EMPTY_DIGESTS.includes(evidence.expected),
        cause: 'the sender signed an empty body: it hashed before it wrote the body, or a proxy added one',
        fix: "Compare with the sender's log.",
        examples: [{ evidence: { expected: EMPTY_DIGESTS[0]! } }]
      },
      {
        find: ({ body }) => body.decompressed !== undefined,
        cause: ({ body }) => `something decompressed it (it came with Content-Encoding: ${body.decompressed})`,
        fix: {
          options:
            'Give the adapter the request itself, with no parser in front: express.raw() and express.json() decompress ' +
            'too (inflate: false). If a proxy decompresses it, Apache does with SetInputFilter DEFLATE: take that out.',
          flags:
            'Have the proxy that decompresses requests pass the body on as it was sent (Apache: no SetInputFilter ' +
            'DEFLATE).'
        },
        examples: [{ body: { decompressed: 'gzip' } }]
      },
      {
        find: ({ body }) => body.change === 'cut-short',
        cause: ({ shown: { bodyLength, contentLength } }) =>
          `the body was cut short after it was signed: ${bodyLength} of ${contentLength} bytes`,
        fix: 'Look for a limit on the size of bodies in proxies and parsers, and for connections that break.',
        examples: [{ body: { change: 'cut-short' } }]
      },
      ...changes(),
      causeOf({
        find: ({ evidence }) => difference(evidence) < 0 && size(evidence),
        cause: ({ found }) =>
          `the body was changed after it was signed: parsed and serialized again, or replaced; it is ${found}`,
        fix: RAW_BYTES
      }),
      causeOf({
        find: ({ evidence }) => difference(evidence) > 0 && size(evidence),
        cause: ({ found }) =>
          'the body was changed after it was signed: decompressed, parsed and serialized again, or replaced; it is ' +
          found,
        fix: {
          options:
            'If the sender compresses (Content-Encoding in its log), something in front decompresses: Apache with ' +
            'SetInputFilter DEFLATE, or express.raw() and express.json() without inflate: false; if not, verify the ' +
            'raw bytes, before any parser.',
          flags:
            'If the sender compresses (Content-Encoding in its log), something in front decompresses: Apache with ' +
            'SetInputFilter DEFLATE; if not, have the bytes passed on as they were sent.'
        },
        examples: [{ evidence: { bodyLength: 16 } }]
      }),
      {
        cause: 'the body was changed after it was signed',
        fix: RAW_BYTES,
        examples: [{ evidence: { contentLength: undefined } }]
      }
    ]
  },
  'body-too-large': {
    about: 'The body is larger than `maxBodyBytes`. Alone, it is answered with 413.',
    example: { limit: 10_485_760 },
    facts: ({ limit }) => fact('limit', limit),
    causes: [
      {
        cause: 'a large body, or a flood',
        fix: ({ shown, setting }) =>
          `Raise ${setting('maxBodyBytes')} if the service sends such bodies (it is now ${shown.limit} bytes).`
      }
    ]
  },
  'body-unreadable': {
    about: 'The stream broke, or did not end within `bodyTimeout`.',
    example: { error: 'ECONNRESET' },
    facts: ({ error }) => fact('error', error),
    causes: [
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
  }
})
