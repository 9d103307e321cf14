import { RSA_BITS } from '../../core/key/rsa-der.ts'
import { cdnIn } from '../cdn.ts'
import type { LineChange } from '../changed-line.ts'
import { fact, longFact, recordFacts } from '../facts.ts'
import type { Made } from '../opened-signature.ts'
import type { ShowsValue } from '../shown-values.ts'
import { escapeText, plural } from '../text.ts'
import { type ConditionalCause, causeOf, type EntriesOf, type Known, type LastCause } from './entry.ts'
import { keyCommand } from './key.ts'

/** Says how the CDN in front, or else nginx, keeps Host. */
function keepHost({ evidence }: Known<'signature-mismatch'>, nginx: string): string {
  const cdn = cdnIn(evidence.proxies)
  return cdn === undefined
    ? `Have the proxy keep Host (nginx: ${nginx}).`
    : `Have ${cdn.name} keep Host: ${cdn.keepHost}.`
}

const HTTP_HOST = 'proxy_set_header Host $http_host'

const isLowerCase = (line = ''): boolean => line === line.toLowerCase()

/** Explains each change of the one line that was changed on the way, where it was found. */
const BY_CHANGE: Readonly<Record<LineChange, LastCause<'signature-mismatch'>>> = {
  prefix: {
    cause: ({ search }) => `a proxy or router stripped ${search.detail} from the path`,
    fix: {
      options: ({ search, setting }) => `Restore it: ${setting('prefix', search.detail)} in the adapter.`,
      flags: ({ search, setting }) => `Restore it: ${setting('prefix', search.detail)}.`
    }
  },
  slash: {
    cause: {
      options: ({ search }) =>
        `a proxy or router stripped ${search.detail} from the path and added a slash, which a prefix cannot restore`,
      flags: ({ search }) =>
        `a proxy stripped ${search.detail} from the path and added a slash, which a prefix cannot restore`
    },
    fix: {
      options: 'Have the path passed on as received (nginx: proxy_pass without a path; Express: req.originalUrl).',
      flags: 'Have the path passed on as received (nginx: proxy_pass without a path).'
    }
  },
  url: {
    cause: 'the target is a whole URL, and the sender signed path and query',
    fix: {
      options: 'Pass path and query as received, or let an adapter do it (fromFetchRequest).',
      flags: 'Have proxies pass on path and query.'
    }
  },
  added: {
    cause: ({ setting }) =>
      `a proxy or router added a prefix to the path, or ${setting('prefix')} is set but nothing was stripped, or the ` +
      'sender signed only what stands behind its base URL',
    fix: ({ setting }) =>
      `Have the path passed on as received (nginx: proxy_pass without a path), and leave ${setting('prefix')} out if ` +
      'nothing is stripped. If the URL that the sender calls has the prefix, have it sign the whole path.'
  },
  rewritten: {
    cause: ({ search }) => `a proxy or router rewrote the target; ${search.detail} has the signed one`,
    fix: {
      options: 'Have it pass the target on as received, and give the adapter the original, such as req.originalUrl.',
      flags: 'Have it pass the target on as received.'
    }
  },
  query: {
    cause: 'the query was dropped on the way',
    fix: {
      options: 'Have path and query passed on as received, such as req.originalUrl.',
      flags: 'Have path and query passed on as received.'
    }
  },
  'empty-query': {
    cause:
      'it was signed with a question mark and nothing behind it: the sender adds one to a path without a query, or ' +
      'something on the way removed it',
    fix:
      'Have the sender add the question mark only in front of a query; if it calls that URL, have it passed on as ' +
      'is.'
  },
  'without-query': {
    cause: 'it was signed without the query: either the sender leaves it out, or something on the way added it',
    fix:
      'Compare with the URL that the sender calls: if that has the query, have the sender sign path and query; if ' +
      'not, find the proxy or router that adds it.'
  },
  'method-case': {
    cause: 'the sender signed the method in upper case',
    fix: 'Have the sender write it in lower case in (request-target), such as "post /hook" (draft section 2.3).'
  },
  'absolute-url': {
    cause: 'the sender signed the whole URL as the target',
    fix: 'Have the sender sign path and query alone, as they stand in the request line (draft section 2.3).'
  },
  'date-moved': {
    cause: 'the sender signed another time than it sent: it takes the time twice',
    fix: 'Have the sender take the time once, for the signature and for the header.'
  },
  'names-case': {
    cause: 'the sender signed the names of headers as they are written in the request',
    fix: 'Have the sender write the names in lower case in the signing string (draft section 2.3).'
  },
  'no-space': {
    cause: 'the sender signed without the space after each colon',
    fix: 'Have the sender write a colon and one space after each name in the signing string (draft section 2.3).'
  },
  'line-ends': {
    cause: 'the sender joined the lines of the signing string by CR LF',
    fix: 'Have the sender join them by LF alone (draft section 2.3).'
  },
  'last-newline': {
    cause: 'the sender signed a line break at the end of the signing string',
    fix: 'Have the sender leave it out: lines are joined by LF, with none after the last (draft section 2.3).'
  },
  'literal-newlines': {
    cause: 'the sender joined the lines of the signing string by a backslash and an n, which is no line break',
    fix: 'Have the sender join them by LF, one character (PHP: "\\n" in double quotes).'
  },
  joined: {
    cause: 'the sender joined the lines of the signing string by another character than LF, or by none',
    fix: 'Have the sender join them by LF (draft section 2.3).'
  },
  'line-order': {
    cause: 'the sender signed the lines in another order than headers lists them, such as that of a map',
    fix: 'Have the sender sign the lines in the order of the names in headers, and list the names in that order.'
  },
  'values-alone': {
    cause: 'the sender signed the values of the headers without their names',
    fix: 'Have the sender write each line as its name in lower case, ": " and the value (draft section 2.3).'
  },
  'line-left-out': {
    cause: ({ search }) => `the sender lists ${search.detail} in headers, and did not sign that line`,
    fix: 'Have the sender sign a line for each name of headers, in that order.'
  },
  'hashed-twice': {
    cause: 'the sender hashed the signing string before it signed, so that it is hashed twice',
    fix: 'Have the sender give the signing function the string itself: it hashes once (Go alone signs a hash).'
  },
  'http-version': {
    cause: 'the sender signed HTTP/1.1 after the target, as in a request line',
    fix: 'Have the sender sign path and query alone: (request-target): post /hook (draft section 2.3).'
  },
  'host-url': {
    cause: 'the sender signed Host as a URL, with https:// in front',
    fix: 'Have the sender sign the name alone, as it stands in Host.'
  },
  'digest-case': {
    cause: 'the sender signed the algorithm of Digest in another case than it sends',
    fix: 'Have the sender sign the same value of Digest that it sends.'
  },
  'other-text': {
    cause: ({ search }) => `the sender signed the signing string in another form: ${search.detail}`,
    fix:
      'Have the sender give the signing function the string itself, as UTF-8 without a byte order mark, quotes or an ' +
      'encoding around it (C#: new UTF8Encoding(false)).'
  },
  'values-case': {
    cause: 'the sender signed the whole signing string in lower case',
    fix:
      'Have the sender put names and method in lower case, and keep values as they stand in the request (draft ' +
      'section 2.3).'
  },
  'target-case': {
    cause: 'the sender signed the target in lower case',
    fix: 'Have the sender put only the method in lower case, and sign the target as it calls it (draft section 2.3).'
  },
  'decoded-target': {
    cause: 'the sender signed the target decoded, as no request line can have it',
    fix: 'Have the sender sign the target as it calls it, with its escapes (Java: getRawPath; Go: EscapedPath).'
  },
  'empty-host': {
    cause: 'the sender signed an empty Host: its HTTP client adds Host after signing',
    fix: 'Have the sender sign the host of the URL that it calls (Go: req.Host, which is not in req.Header).'
  },
  quotes: {
    cause: 'the sender signed the value without the quotes that it sends',
    fix: 'Have the sender sign the value as it stands in the header, with its quotes.'
  },
  'no-target-label': {
    cause: 'the sender signed method and target without "(request-target): " in front',
    fix: 'Have the sender write that name and ": " in front, as for a header (draft section 2.3).'
  },
  encoding: {
    cause:
      "the target was decoded or encoded again, or slashes were merged or removed: on the way, or by the sender's " +
      'HTTP client after it was signed',
    fix: {
      options:
        'Have it passed on as received, never rebuilt through URL. If it arrives as the client sends it, have the ' +
        'sender sign that.',
      flags:
        'Have it passed on as received, never rebuilt. If it arrives as the client sends it, have the sender sign that.'
    }
  },
  case: {
    cause: 'capital letters became lower case',
    fix: 'Have the path passed on as received, or give the service a URL in lower case.'
  },
  'host-case': {
    cause: ({ search }) =>
      isLowerCase(search.changed?.received)
        ? "capital letters of Host were put in lower case, as nginx's $host does"
        : 'the case of Host was changed',
    fix: known => keepHost(known, `${HTTP_HOST}; $host is in lower case`)
  },
  order: {
    cause: 'the query parameters were reordered',
    fix: 'Have the query passed on as received: no proxy or cache that sorts it.'
  },
  method: {
    cause: 'the method was changed: a redirect turned POST into GET, or a header overrode it',
    fix: 'Give the service the URL to which the redirect leads, and have no middleware change the method.'
  },
  host: {
    cause: ({ evidence }) => `${cdnIn(evidence.proxies)?.name ?? 'a proxy'} replaced Host`,
    fix: known => keepHost(known, HTTP_HOST)
  },
  port: {
    cause: 'a proxy changed the port in Host',
    fix: known => keepHost(known, `${HTTP_HOST}; $host leaves the port out`)
  },
  protocol: {
    cause: 'TLS ends at a proxy, and the sender signed https',
    fix: ({ setting }) => `Have the proxy say so: ${setting('https', 'x-forwarded-proto')}.`
  },
  length: {
    cause: 'Content-Length was rewritten: something decoded, decompressed or re-serialized the body',
    fix: 'Have proxies and parsers leave the body as it was sent.'
  },
  type: {
    cause: "Content-Type was rewritten: the type, or its charset; by the sender's HTTP client, or on the way",
    fix: 'Have the sender sign the Content-Type that its client sends, and proxies pass it on unchanged.'
  },
  list: {
    cause: 'the lines of a header were joined, split or repeated',
    fix: 'Have proxies pass every header line on unchanged.'
  },
  character: {
    cause: 'a part of it was changed',
    fix: 'Find what changes it, and have it passed on as received.'
  }
}

/** Gives a cause the detail of the change that the search has found. */
const DETAILS: Partial<Record<LineChange, string>> = {
  prefix: '/api',
  slash: '/api',
  rewritten: 'x-original-uri',
  'line-left-out': 'date',
  'other-text': 'UTF-16'
}

const changedLines = (): ConditionalCause<'signature-mismatch'>[] =>
  (Object.keys(BY_CHANGE) as LineChange[]).map(change => {
    const detail = DETAILS[change]
    return {
      find: ({ search }) => search.change === change,
      ...BY_CHANGE[change],
      examples: [{ search: { change, ...(detail !== undefined && { detail }) } }]
    }
  })

/** Describes how each algorithm signs. */
const NAMED: Readonly<Record<string, string>> = {
  'rsa-sha256': 'by RSASSA-PKCS1-v1_5 with SHA-256',
  'rsa-v1_5-sha256': 'by RSASSA-PKCS1-v1_5 with SHA-256',
  'rsa-sha512': 'by RSASSA-PKCS1-v1_5 with SHA-512',
  hs2019: 'by RSASSA-PSS with SHA-512',
  'rsa-pss-sha512': 'by RSASSA-PSS with SHA-512'
}

const FORMS = { hexadecimal: 'written in hexadecimal', 'base64-twice': 'encoded in base64 twice' } as const

const HASHES = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' } as const
const PADDINGS = { pkcs1: 'RSASSA-PKCS1-v1_5', pss: 'RSASSA-PSS' } as const

/** Says how a signature was made. */
export const inMaking = ({ padding, hash }: Made): string =>
  `by ${PADDINGS[padding]} ` +
  `${hash === undefined ? 'over a bare digest, without the name of its hash' : `with ${HASHES[hash]}`}`

/** Finds the algorithm of the draft that is made so. */
const fittingAlgorithm = (made: Made): string | undefined =>
  ['rsa-sha256', 'rsa-sha512', 'hs2019'].find(name => NAMED[name] === inMaking(made))

const shownAlgorithm = ({ algorithm }: { readonly algorithm: string }): string => escapeText(algorithm, 40)

/** The command that says which key made the signature of a captured request. */
const tryEachRecord = ({ keyId }: { keyId: string }): string => `${keyCommand({ name: keyId })} --request FILE`

/** RFC 3279 section 2.2.3: a SEQUENCE of two INTEGERs. */
const ECDSA_EXAMPLE = Buffer.from(`3044${`0220${'01'.repeat(32)}`.repeat(2)}`, 'hex').toString('base64')

/** The shortest signature of an RSA key that is accepted. */
const MIN_OCTETS = RSA_BITS.min / 8

/** Says what a signature may be that is shorter than those of RSA. */
function otherKind(signature: string): string | undefined {
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length === 0 || bytes.length >= MIN_OCTETS) return undefined
  const size = `it has ${bytes.length} bytes`
  if (bytes[0] === 0x30 && bytes[1] === bytes.length - 2 && bytes[2] === 2) return `${size} and the form of ECDSA`
  if (bytes.length === 32) return `${size}, as HMAC-SHA256 with a shared secret has, or a bare SHA-256`
  if (bytes.length === 64) return `${size}, as Ed25519 and ECDSA have, or HMAC-SHA512 with a shared secret`
  return undefined
}

function signedLines(signingString: string, shows: ShowsValue): string {
  const lines = signingString.split('\n').map((line, i) => (i < 100 ? signedLine(line, shows) : '...'))
  return lines.slice(0, 101).join('\n')
}

/** Shows a line, or the length of its value. The name of RFC 9421 stands in quotes, with its parameters behind them. */
function signedLine(line: string, shows: ShowsValue): string {
  const [, label = '', name, value = ''] = /^("?([^":;]*)(?:"[^:]*)?): (.*)$/s.exec(line) ?? []
  if (name === undefined || shows(name.toLowerCase())) return escapeText(line, 600)
  return `${escapeText(label, 600)}: (${plural(value.length, 'character')}, not shown)`
}

export const signatureEntries = (): EntriesOf<'signature'> => ({
  'signature-mismatch': {
    about:
      'The key from DNS does not verify this signature over the lines that were received. The evidence has the ' +
      'signing string as rebuilt here, in `records` the keys that were tried, where a name has several, and in ' +
      '`forwarded` the headers in which proxies say what they changed; `diagnose` finds the changed line from them.',
    example: {
      signingString: '(request-target): post /hook\nhost: ...',
      keyId: 'key1._domainkey.service.example',
      algorithm: 'rsa-sha256',
      record: 'v=DKIM1; ...',
      signature: '...'
    },
    facts: ({ keyId, algorithm, record, records, signingString }, _, shows) => [
      ...fact('keyId', keyId),
      ...fact('algorithm', algorithm),
      ...recordFacts(record, records),
      ...longFact('signingString', 'signing string', signedLines(signingString, shows))
    ],
    causes: [
      causeOf({
        find: ({ search, evidence }) => search.isByKey === false && otherKind(evidence.signature),
        cause: ({ found }) => `no RSA key made it: ${found}`,
        fix: ({ evidence }) =>
          `Have the sender sign ${NAMED[evidence.algorithm.toLowerCase()] ?? 'as the algorithm says'}, with the ` +
          'private key whose public half is published.',
        examples: [
          { evidence: { signature: Buffer.alloc(32, 1).toString('base64') }, search: { isByKey: false } },
          { evidence: { signature: ECDSA_EXAMPLE }, search: { isByKey: false } }
        ]
      }),
      causeOf({
        find: ({ search }) => search.form,
        cause: ({ found, search }) =>
          `the signature is ${FORMS[found]}` +
          (search.isByKey
            ? '; the published key made it'
            : search.isByKey === false
              ? ', and another key made it'
              : ''),
        fix: 'Have the sender write its bytes in base64 (draft section 2.1.2), as one line with its padding.',
        examples: [
          { search: { form: 'hexadecimal', isByKey: true } },
          { search: { form: 'base64-twice', isByKey: true } }
        ]
      }),
      causeOf({
        find: ({ search }) => search.size,
        cause: ({ found: { received, expected } }) =>
          `the signature has ${plural(received, 'byte')}, and one by the published key has ${expected}: it was cut, ` +
          'it is an HMAC or a hash, or a key of another size made it',
        fix: ({ evidence }) =>
          "Compare it with the sender's log. If it is whole there and signed with a new key, check which record has " +
          `that key: ${tryEachRecord(evidence)}.`,
        examples: [{ search: { isByKey: false, size: { received: 32, expected: 256 } } }]
      }),
      causeOf({
        find: ({ search }) => search.made,
        cause: ({ found, evidence }) =>
          `the published key made it, ${inMaking(found)}, ` +
          `${found.isThisText ? 'over these lines' : 'over other lines'}: the request names ` +
          `${shownAlgorithm(evidence)}, which is made ${NAMED[evidence.algorithm.toLowerCase()] ?? 'in another way'}`,
        fix: ({ found, evidence, setting }) => {
          const fitting = fittingAlgorithm(found)
          const sign = `Have the sender sign ${NAMED[evidence.algorithm.toLowerCase()] ?? 'as the algorithm says'}`
          return fitting === undefined
            ? `${sign}.`
            : `${sign}, or name ${fitting}, which receivers allow by ${setting('algorithms', fitting)}.`
        },
        examples: [
          { search: { isByKey: true, made: { padding: 'pkcs1', hash: 'sha512', isThisText: true } } },
          { search: { isByKey: true, made: { padding: 'pkcs1', hash: 'sha1', isThisText: true } } },
          { search: { isByKey: true, made: { padding: 'pkcs1', hash: undefined, isThisText: true } } },
          {
            evidence: { algorithm: 'hs2019' },
            search: { isByKey: true, made: { padding: 'pkcs1', hash: 'sha256', isThisText: true } }
          }
        ]
      }),
      ...changedLines(),
      {
        find: ({ search }) => search.isByKey === true,
        examples: [{ search: { isByKey: true } }],
        cause:
          'the published key made this signature, over other lines: one or more were changed on the way, or the ' +
          'sender signs them in another form',
        fix: {
          options: ({ setting }) =>
            'Compare the lines below with those that the sender signed. Proxies often change the target (a part of ' +
            `the path stripped, which ${setting('prefix')} puts back; a query dropped, a path rewritten), Host and ` +
            'what describes the body: pass the target as received, such as req.originalUrl.',
          flags: ({ setting }) =>
            'Compare the lines below with those that the sender signed. Proxies often change the target (a part of ' +
            `the path stripped, which ${setting('prefix')} puts back; a query dropped, a path rewritten), Host and ` +
            'what describes the body.'
        }
      },
      {
        find: ({ search }) => search.isByKey === false,
        examples: [{ search: { isByKey: false } }],
        cause: 'another key made it: the key was replaced under the same name, or this is a forgery',
        fix: ({ evidence }) =>
          `Check whether a record of another name server made it: ${tryEachRecord(evidence)}. If the service has ` +
          'rotated its key, have the request signed with the new one. A proxy cannot cause this.'
      },
      {
        cause:
          'another key made it (was it replaced?), a signed line was changed on the way, or the sender signs the ' +
          'lines in another form: this kind of signature does not show which',
        fix: ({ evidence }) =>
          `Check whether a record of another name server made it: ${tryEachRecord(evidence)}. If none did, compare ` +
          'the lines below with those that the sender signed: if they are equal, it was the key. Proxies often ' +
          'change the target (a query dropped, a path rewritten), Host and what describes the body.'
      }
    ]
  }
})
