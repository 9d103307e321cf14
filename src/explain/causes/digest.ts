import { createHash } from 'node:crypto'
import { EMPTY_DIGESTS } from '../../core/http/digest.ts'
import type { EvidenceByCode, Reencoding } from '../../core/result/evidence.ts'
import { fact, lengths, longFact, reasonFact } from '../facts.ts'
import { type ConditionalCause, causeOf, type EntriesOf } from './entry.ts'

/** Describes each change of a body after it was signed. */
const CHANGES: Readonly<Record<Exclude<Reencoding, 'cut-short' | keyof typeof OTHER_CHARSETS>, string>> = {
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

/** Changes that senders make more often than anything on the way. */
const OTHER_CHARSETS = { 'latin1-to-utf8': 'Latin-1 or Windows-1252', 'utf16-to-utf8': 'UTF-16' } as const

const FORM_FIX =
  'Have the sender write SHA-256= and the 32 bytes of the hash in base64, with + and /, its padding and no quotes ' +
  '(RFC 5843 section 2.1)'

const CONTENT_FORM_FIX =
  'Have the sender write Content-Digest: sha-256=:BASE64: with the 32 bytes of the hash in base64, with + and / and ' +
  'its padding, and a colon on either side (RFC 9530 section 2)'

/** Returns the digest as the draft writes it: the colons of RFC 9530 belong to Content-Digest. */
const withoutColons = ({ received, header }: EvidenceByCode['digest-malformed']): string =>
  header === undefined ? received : received.replace(/=:(.*):$/s, '=$1')

/** Forms in which senders write a digest that is not base64 behind its name, and an example of each. */
const FORMS: readonly (readonly [pattern: RegExp, form: string, example: string])[] = [
  [
    /^(?:SHA-(?:256|512)=)?[\da-f]{64}(?:[\da-f]{64})?$/i,
    'it is hexadecimal',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  ],
  // Base64 of hexadecimal digits: each group of three begins with 3 or 6.
  [
    /^SHA-256=(?:[MNOYZ][A-Za-z0-9+/]{3}){21}[MNOYZ][A-Za-z0-9+/]==$/i,
    'it is the base64 of the hexadecimal digits, not of the bytes',
    'SHA-256=ZTNiMGM0NDI5OGZjMWMxNDlhZmJmNGM4OTk2ZmI5MjQyN2FlNDFlNDY0OWI5MzRjYTQ5NTk5MWI3ODUyYjg1NQ=='
  ],
  [/^(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)$/, 'the name of the algorithm is missing', EMPTY_DIGESTS[0]!],
  [/^sha-(?:256|512)=:[^:]*:/i, 'it has the colons of Content-Digest (RFC 9530)', `sha-256=:${EMPTY_DIGESTS[0]}:`],
  [/^sha-(?:256|512)="/i, 'it is in quotes', `SHA-256="${EMPTY_DIGESTS[0]}"`],
  [
    /^sha-(?:256|512)=b'/i,
    "it is b'...' of Python: decode the bytes first, base64.b64encode(hash).decode()",
    `SHA-256=b'${EMPTY_DIGESTS[0]}'`
  ],
  [
    /^sha-(?:256|512)=(?=[\w]*[_-])[\w-]+=*$/i,
    'it is base64url',
    'SHA-256=-_8LqSlx0E5BYgWdoPc7Pq5UYkNZrXr1bvN0j1vwzYA='
  ],
  [
    /^sha-256=[A-Za-z0-9+/]{43}$|^sha-512=[A-Za-z0-9+/]{86}=?$/i,
    'its padding (=) is missing',
    `SHA-256=${EMPTY_DIGESTS[0]!.slice(0, -1)}`
  ]
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

const HASH_WHAT_IS_SENT =
  'the sender hash the very bytes that it sends: serialize once, in UTF-8, hash the result and send it'

/** Explains each change of a body. */
const changes = (): ConditionalCause<'digest-mismatch'>[] => [
  causeOf({
    find: ({ body }) => body.hashedBefore,
    cause: ({ found }) => `the sender hashed the body in another form than it sent (${found})`,
    fix: `Have ${HASH_WHAT_IS_SENT}.`,
    examples: [{ body: { hashedBefore: 'json-reserialized' } }]
  }),
  ...(Object.keys(OTHER_CHARSETS) as (keyof typeof OTHER_CHARSETS)[]).map(
    (change): ConditionalCause<'digest-mismatch'> => ({
      find: ({ body }) => body.change === change,
      cause:
        `the sender hashed the body in ${OTHER_CHARSETS[change]} and sent it in UTF-8 (${change}), or something on ` +
        'the way encoded it again',
      fix: `Have ${HASH_WHAT_IS_SENT}; if its log has other bytes than arrive, find what encodes them again.`,
      examples: [{ body: { change } }]
    })
  ),
  ...(Object.keys(CHANGES) as (keyof typeof CHANGES)[]).map(
    (change): ConditionalCause<'digest-mismatch'> => ({
      find: ({ body }) => body.change === change,
      cause: `${CHANGES[change]} after it was signed (${change}), on the way or by the sender`,
      fix: {
        options: `${RAW_BYTES.options} If they arrive as they were sent, have ${HASH_WHAT_IS_SENT}.`,
        flags: `${RAW_BYTES.flags} If they arrive as they were sent, have ${HASH_WHAT_IS_SENT}.`
      },
      examples: [{ body: { change } }]
    })
  )
]

/** Lists the texts that programs hash by mistake when they have an object or nothing instead of the body's text. */
const WRONG_TEXTS = ['[object Object]', 'undefined', 'null', 'None', 'Array', '""', '{}']

/** Finds the text whose digest was signed. */
const findWrongText = ({ expected, bodyLength }: EvidenceByCode['digest-mismatch']): string | undefined =>
  bodyLength === 0
    ? undefined
    : WRONG_TEXTS.find(text =>
        ['sha256', 'sha512'].some(hash => createHash(hash).update(text).digest('base64') === expected)
      )

export const digestEntries = (): EntriesOf<'digest'> => ({
  'digest-missing': {
    about: 'There is no `Digest` (for RFC 9421: `Content-Digest`).',
    example: { header: 'Content-Digest' },
    exampleNote: 'only for RFC 9421; `similar` is a header that has a digest and does not count',
    facts: ({ header, similar }) => [...fact('header', header), ...fact('received', similar)],
    causes: [
      {
        find: ({ evidence }) => evidence?.similar !== undefined && evidence.header === undefined,
        cause: ({ shown }) => `the sender writes ${shown?.similar}, and the draft asks for Digest (RFC 3230)`,
        fix: 'Have the sender write and sign Digest: SHA-256=BASE64, without colons (RFC 5843 section 2.2).',
        examples: [{ evidence: { header: undefined, similar: 'Content-Digest' } }]
      },
      {
        find: ({ evidence }) => evidence?.similar !== undefined,
        cause: ({ shown }) =>
          `the sender writes ${shown?.similar}${shown?.similar === 'Digest' ? ", the draft's header" : ''}, and RFC ` +
          '9421 is used here with Content-Digest (RFC 9530)',
        fix: 'Have the sender write and sign Content-Digest: sha-256=:BASE64: (RFC 9530 section 2).',
        examples: [{ evidence: { similar: 'Digest' } }]
      },
      {
        find: ({ isSigned }) => isSigned,
        cause: 'a proxy dropped this signed header',
        fix: 'Have proxies pass it on unchanged.',
        examples: [{ isSigned: true }]
      },
      {
        cause: 'the sender does not write it, as some do for a request without a body; or a proxy dropped it',
        fix: ({ evidence }) =>
          `Have the sender add ${evidence?.header ?? 'Digest'} to each request, with the SHA-256 of the body or of ` +
          'nothing, and sign it; if its log has it, have proxies pass it on.'
      }
    ]
  },
  'digest-malformed': {
    about:
      'It is not a list of algorithms and values, or a SHA-256 or SHA-512 value is not canonical base64 of the right ' +
      'length.',
    example: { received: 'SHA-256=', reason: 'an algorithm, an equals sign and a value are expected' },
    facts: ({ received, reason, header }) => [
      ...fact('received', received),
      ...reasonFact(reason),
      ...fact('header', header)
    ],
    causes: [
      ...FORMS.map(
        ([pattern, form, example]): ConditionalCause<'digest-malformed'> => ({
          find: ({ evidence }) => pattern.test(withoutColons(evidence)),
          cause: `the sender writes the digest in another form: ${form}`,
          fix: ({ evidence }) => `${evidence.header === undefined ? FORM_FIX : CONTENT_FORM_FIX}.`,
          examples: [{ evidence: { received: example } }]
        })
      ),
      {
        // As a Digest, this would be well formed.
        find: ({ evidence }) =>
          evidence.header !== undefined && /^sha-(?:256|512)=[A-Za-z0-9+/]{43,86}={1,2}$/i.test(evidence.received),
        cause: "the sender writes Content-Digest in the form of the draft's Digest",
        fix: 'Have the sender write sha-256=:BASE64: with a colon on either side (RFC 9530 section 2).',
        examples: [{ evidence: { received: `SHA-256=${EMPTY_DIGESTS[0]}`, header: 'Content-Digest' } }]
      },
      {
        cause: ({ shown }) => `the sender writes it in another form, or it was cut: ${shown.reason}`,
        fix: ({ evidence }) => `${evidence.header === undefined ? FORM_FIX : CONTENT_FORM_FIX}.`,
        examples: [{}, { evidence: { header: 'Content-Digest', reason: 'a sha-256 digest has the wrong length' } }]
      }
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
      'The body does not have the digest that was signed. Evidence: `contentLength` is the length that was signed, ' +
      'if it was. `diagnose(verdict)` finds what happened to the body: `change`, and in `decompressed` the ' +
      'Content-Encoding that something removed. It needs the verdict that `verify` returned, because a copy does not ' +
      'have the body.',
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
      ...fact('matching', evidence.matching, 'fits'),
      ...longFact('body', 'body', size(evidence))
    ],
    causes: [
      {
        find: ({ evidence }) => evidence.matching !== undefined,
        cause: ({ shown: { matching, algorithm } }) =>
          `${matching?.toUpperCase()} matches, so the body was not changed: the sender's ${algorithm.toUpperCase()} ` +
          'is wrong',
        fix: ({ shown: { matching, algorithm } }) =>
          `Have the sender compute ${algorithm.toUpperCase()} of the same bytes, or write ${matching?.toUpperCase()} ` +
          'alone.',
        examples: [{ evidence: { algorithm: 'sha-512', matching: 'sha-256' } }]
      },
      causeOf({
        find: ({ evidence }) => findWrongText(evidence),
        cause: ({ found }) => `the sender hashed the text ${found}, and not the body`,
        fix: `Have ${HASH_WHAT_IS_SENT}.`,
        examples: [{ evidence: { expected: createHash('sha256').update('[object Object]').digest('base64') } }]
      }),
      {
        find: ({ evidence }) => evidence.bodyLength === 0 && evidence.contentLength === 0,
        cause: 'the body was empty when it was signed, too: the sender hashed something else',
        fix: 'Have the sender hash the bytes that it sends: of a request without a body, the hash of nothing.',
        examples: [{ evidence: { bodyLength: 0, contentLength: 0 } }]
      },
      {
        find: ({ evidence }) => evidence.bodyLength === 0 && evidence.contentLength === undefined,
        cause: 'the body is empty: something in front read or dropped it, or the sender hashed something else',
        fix: {
          options: 'Verify the raw bytes, before any body parser; if the sender has no body, have it hash nothing.',
          flags: 'Have the body passed on; if the sender has no body, have it hash nothing.'
        },
        examples: [{ evidence: { bodyLength: 0, contentLength: undefined } }]
      },
      {
        find: ({ evidence }) => evidence.bodyLength === 0,
        cause: 'the body is empty, but was not when it was signed: something in front read or dropped it',
        fix: { options: 'Verify the raw bytes, before any body parser.', flags: 'Have the body passed on.' },
        examples: [{ evidence: { bodyLength: 0 } }]
      },
      {
        find: ({ evidence }) => EMPTY_DIGESTS.includes(evidence.expected),
        cause: 'the sender signed an empty body: it hashed before it wrote the body, or a proxy added a body',
        fix:
          'Have the sender hash the very bytes that it sends (a stream that was read before is empty; Ruby: rewind). ' +
          'If its log has no body, find what adds one.',
        examples: [{ evidence: { expected: EMPTY_DIGESTS[0]! } }]
      },
      {
        find: ({ body }) => body.decompressed !== undefined,
        cause: ({ body }) => `something decompressed it (it came with Content-Encoding: ${body.decompressed})`,
        fix: {
          options:
            'Give the adapter the request itself, with no parser in front: express.raw() and express.json() ' +
            'decompress too (inflate: false). If a proxy decompresses it, stop that (Apache: no SetInputFilter ' +
            'DEFLATE).',
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
      {
        find: ({ body }) => body.compressed !== undefined,
        cause: ({ body }) =>
          `the sender hashed the body before it compressed it (it arrived with Content-Encoding: ${body.compressed}, ` +
          'and compressed), or it was changed',
        fix:
          'Have the sender hash the bytes after they are compressed, as it sends them (OkHttp: sign in a network ' +
          'interceptor); if its log has that digest, find what changes the body.',
        examples: [{ body: { compressed: 'gzip' } }]
      },
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
        cause: 'the body was changed after it was signed, or the sender hashed other bytes than it sends',
        fix: {
          options: `${RAW_BYTES.options} If its log has these bytes, have the sender hash what it sends.`,
          flags: `${RAW_BYTES.flags} If its log has these bytes, have the sender hash what it sends.`
        },
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
            'Nothing to fix if this is rare: the sender can retry. If it always happens, verify before next() and ' +
            'before any response, or pass the bytes.',
          flags: 'Nothing to fix if this is rare: the sender can retry.'
        }
      }
    ]
  }
})
