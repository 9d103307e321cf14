import { SCHEME_ALGORITHMS } from '../signature/algorithms.ts'
import type { Code } from '../verdict/codes.ts'
import type { BodyChange, Reencoding } from '../verdict/evidence.ts'
import type { CheckName } from '../verdict/verdict.ts'
import type { ChangedLine } from './changed-line.ts'
import { compareWithClock, type Evidence, lengths } from './facts.ts'
import type { Say } from './settings.ts'
import { escapeText, plural } from './text.ts'

/** The text below a failed check. */
export type Advice = readonly [cause: string, fix: string]

/** What a cause is found from, besides the evidence. */
export interface Situation {
  /** names settings in the reader's language */
  say: Say
  /** the codes of all failures of the verdict */
  codes: ReadonlySet<Code>
  /** for a signature that did not verify: the line that was changed, and whether the key made the signature */
  changed?: ChangedLine | undefined
  isByKey?: boolean | undefined
}

type Rule = Advice | ((evidence: Evidence, situation: Situation) => Advice)

/** By code, or else by check, or else a header that is missing, repeated or malformed. */
export function adviceOn(code: Code, check: CheckName, evidence: Evidence, situation: Situation): Advice {
  const rule = CAUSES[code] ?? CAUSES[check] ?? CHANGED_HEADER
  return typeof rule === 'function' ? rule(evidence, situation) : rule
}

const CHANGED_HEADER: Advice = [
  'the sender wrote it so, or a proxy changed it: if the sender has it otherwise in its log, it was a proxy',
  'Have proxies pass every header on unchanged.'
]

const text = (value: Evidence[string]): string => escapeText([value].flat().slice(0, 10).join(', '))

/** RFC 9110 section 5.3: a list, or several lines joined. */
const isList = (value: Evidence[string]): boolean => String(value).includes(',')

const isMissing = (value: Evidence[string]): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)

/** The command that shows a key. The name is filled in only if a shell takes it as it is. */
const keyCommand = ({ name }: Evidence): string =>
  `npx signed-requests key ${/^[\w][\w.-]{0,252}$/.test(String(name)) ? name : 'NAME'}`

const KEEP_HOST = 'Have the proxy keep Host (nginx: proxy_set_header Host $http_host)'

const ONE_VALUE =
  'Have the outermost proxy replace the header, and the inner ones pass it on: the sender may have written a part of ' +
  'a list.'

const time: Rule = evidence => {
  const { received, created, offsetSeconds } = evidence
  const what = received !== undefined ? 'Date' : created !== undefined ? 'created' : 'expires'
  const isPast = Number(offsetSeconds) < 0
  return [
    `${compareWithClock(what, evidence)}: ` +
      (isPast
        ? 'the request was delayed or replayed, or this clock is fast'
        : "the sender's clock is fast, or this one is slow"),
    "Run date -u on this machine: if it differs from the true time, mend this machine's clock (NTP); if not, " +
      (isPast
        ? 'the request is old (or the clock of the sender is slow), and a retry needs a fresh signature.'
        : 'have the sender mend its clock.')
  ]
}

const lookup: Rule = evidence => [
  evidence['servers'] === undefined
    ? 'your DNS server, or the network path to it'
    : `your DNS server (${text(evidence['servers'])}), or the network path to it`,
  `${LOOKUP_ERRORS[String(evidence['error'])] ?? 'Check the resolver and the firewall (UDP and TCP 53)'}, with: ` +
    `${keyCommand(evidence)}; the sender may try again.`
]

const LOOKUP_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing answers at that DNS server: check its address and that it runs',
  EREFUSED: 'The DNS server refuses to answer this machine: use a resolver that does',
  ESERVFAIL:
    'The DNS server could not get an answer (its upstream, or DNSSEC of the zone): ask another one to compare'
}

const otherScheme = (say: Say): Advice => [
  'it is signed by RFC 9421, not by the draft',
  `If the service says so, allow it: ${say.either('schemes: [draftCavage, rfc9421]', '--scheme draft-cavage --scheme rfc9421')}.`
]

/** A Signature that reads like a dictionary of structured fields, `sig1=:...:` (RFC 9421 section 4.2). */
export const isOtherScheme = ({ excerpt }: Evidence): boolean =>
  /^[a-z*][a-z0-9_.*-]*=:/.test(String(excerpt))

const host: Rule = ({ header, received, expected }, { say }) => {
  if (header !== undefined && isMissing(received)) {
    return [
      'your proxy sends no X-Forwarded-Host, which the adapter is told to trust',
      'Have the proxy set it (nginx: proxy_set_header X-Forwarded-Host $http_host), or, if it keeps Host, leave the ' +
        'host option out.'
    ]
  }
  if (isMissing(received)) return ['a proxy dropped it', `${KEEP_HOST}.`]
  if (header !== undefined && isList(received))
    return [`${text(header)} came with more than one value`, ONE_VALUE]
  if (isList(received)) {
    return [
      'a broken sender or proxy, or an attack',
      'Find out who adds the second one; a receiver cannot tell which of them counts.'
    ]
  }
  const name = String(received)
  const add = `${say.set('hosts', name)} only if the URL that you gave to the service has that name`
  const ours = [expected].flat().find(other => withoutPort(String(other)) === withoutPort(name.toLowerCase()))
  if (ours !== undefined) {
    return [
      `the port differs: ${text(received)} was received and ${text(ours)} is configured`,
      `If the URL that you gave to the service has that port: ${say.set('hosts', name)}; if not, a proxy changed it. ${KEEP_HOST}.`
    ]
  }
  if (isInternal(name)) {
    return [
      `a proxy replaced Host with the address that it forwards to (${text(received)})`,
      `${KEEP_HOST}${say.either(", or, if it sends X-Forwarded-Host, give the adapter host: 'x-forwarded-host'", '')}. ` +
        `Add it, ${add}: what was signed is the name in that URL.`
    ]
  }
  if (header !== undefined) {
    return [
      'the request is for another receiver, or the proxy writes another name into X-Forwarded-Host',
      `Have the proxy send the name that the sender used, or add it to hosts, ${add}.`
    ]
  }
  return [
    'the request is for another receiver, or a proxy replaced Host, or it is a name of yours that is not configured',
    `Compare it with the URL that you gave to the service. ${KEEP_HOST}${say.either(", or use the adapter's host option", '')}; add it, ${add}.`
  ]
}

const withoutPort = (name: string): string => name.replace(/:\d+$/, '')

/** An IP address, a name without a dot, or one that is only used inside a network. */
const isInternal = (name: string): boolean =>
  /^(?:\[[\da-f:.]+\]|[\d.]+|[^.:]+|.+\.(?:internal|local|localhost|lan|svc|svc\.cluster\.local))(?::\d+)?$/i.test(
    name
  )

const account: Rule = ({ header, received, similar, expected }, { say }) => {
  const prefix = String(expected).replace('<account id>', '')
  if (similar !== undefined) {
    const name = String(similar).split(':', 1)[0]!
    return [
      `${say.name('accountHeader')} is not the header that the service uses: ${text(similar)} is there: is that it?`,
      `If so: ${say.set('accountHeader', name)}.`
    ]
  }
  if (received === undefined) {
    return [
      `the service sends it in another header than ${text(header)}, or a proxy dropped it`,
      `Set ${say.name('accountHeader')} to what the service documents; if that is ${text(header)}, have proxies pass it on.`
    ]
  }
  return [
    'the service uses another header or prefix',
    `Set ${say.name('accountHeader')} and ${say.name('accountPrefix')} (now ${escapeText(prefix)}) to what the service sends.`
  ]
}

const outsideDomain: Rule = ({ received, domain }, { say }) => {
  const isItself = String(received).toLowerCase().replace(/\.$/, '') === domain
  if (isItself) {
    return [
      `${say.name('serviceDomain')} is the name of the key itself; keys are under it, never at it`,
      `Set ${say.name('serviceDomain')} to the service's own domain${domainAbove(String(domain))}.`
    ]
  }
  return [
    `somebody else's key, or a wrong ${say.name('serviceDomain')}`,
    `Set ${say.name('serviceDomain')} to the domain that the service documents for its keys (it is now ${text(domain)}).`
  ]
}

/** DKIM publishes keys at `<selector>._domainkey.<domain>` (RFC 6376 section 3.6.2.1). */
function domainAbove(name: string): string {
  const [, above = name.slice(name.indexOf('.') + 1)] = name.split('._domainkey.')
  return above.includes('.') ? `, such as ${escapeText(above)}` : ''
}

const keyLength: Rule = ({ bits, limit }, { say }) => {
  const isShort = Number(bits) < Number(limit)
  const name = say.name(isShort ? 'minRsaBits' : 'maxRsaBits')
  return [
    `the key has ${text(bits)} bits, ${isShort ? 'fewer' : 'more'} than ${name} (${text(limit)})` +
      (isShort && Number(bits) >= 1024 ? `: ${name} is above what the service uses` : ''),
    isShort && Number(bits) < 1024
      ? 'Have the service publish a longer key: RFC 8301 forbids such a short one, and 2048 bits are usual.'
      : `If the service documents keys of ${text(bits)} bits, set ${name} to ${text(bits)}; if not, have it publish another key.`
  ]
}

const CHANGES: Readonly<Record<ChangedLine['change'], (detail: string, say: Say) => Advice>> = {
  'prefix-stripped': (prefix, say) => [
    `a proxy or router took ${prefix} off the path`,
    `Put it back: ${say.set('prefix', prefix)}${say.either(' in the adapter', '')}.`
  ],
  'prefix-added': prefix => [
    `a proxy or router put ${prefix} in front of the path`,
    'Have it pass the path on as received (nginx: proxy_pass without a path).'
  ],
  rewritten: (header, say) => [
    `a proxy or router rewrote the target; ${header} has the one that was signed`,
    `Have it pass the target on as received${target(say)}.`
  ],
  'query-dropped': (_, say) => [
    'a proxy or router dropped the query',
    `Have it pass path and query on as received${target(say)}.`
  ],
  'query-added': (_, say) => [
    'something added a query on the way, or the sender signed the path without its query',
    `Compare with the sender's log; have proxies pass the target on as received${target(say)}.`
  ],
  slash: (_, say) => [
    'a slash in the path was added or removed',
    `Have the path passed on as received${target(say)}.`
  ],
  're-encoded': (_, say) => [
    'the target was decoded or encoded again',
    `Have it passed on as received, never rebuilt${say.either(' through URL', '')}${target(say)}.`
  ],
  method: () => [
    'the method was changed: a redirect turned POST into GET, or a header overrode it',
    'Give the service the URL to which the redirect leads, and have no middleware change the method.'
  ],
  absolute: () => [
    'the sender signed the whole URL, or a proxy reduced it to its path',
    'Have the sender sign the path and query only.'
  ],
  host: () => ['a proxy replaced Host', `${KEEP_HOST}.`],
  port: () => ['a proxy changed the port in Host', `${KEEP_HOST}: $host leaves the port out.`],
  protocol: (_, say) => [
    'TLS ends at a proxy, and the sender signed https',
    `Have the proxy say so: ${say.set('https', 'x-forwarded-proto')}.`
  ],
  length: () => [
    'Content-Length was rewritten: something decoded, decompressed or re-serialized the body on the way',
    'Have proxies and parsers leave the body as it was sent.'
  ],
  charset: () => [
    'Content-Type was rewritten: its charset was added or removed',
    'Have proxies and middleware pass Content-Type on unchanged.'
  ],
  list: () => [
    'the lines of a header were joined, split or repeated',
    'Have proxies pass every header line on unchanged.'
  ],
  character: () => [
    'a part of this line was changed',
    'Find what changes it, and have it passed on as received.'
  ]
}

const target = (say: Say): string =>
  say.either(
    ' and give it to the adapter unchanged, such as req.originalUrl',
    ' (nginx: proxy_pass without a path)'
  )

const signature: Rule = (_, { changed, isByKey, say }) => {
  if (changed !== undefined) {
    const [cause, fix] = CHANGES[changed.change](escapeText(changed.detail ?? ''), say)
    return [`line ${changed.line} was changed after it was signed: ${cause}`, fix]
  }
  const compare =
    'Compare the lines below with those that the sender signed. Proxies often change the target (a query dropped, a ' +
    'path rewritten), Host and what describes the body'
  if (isByKey === false) {
    return [
      'another key made it: it was replaced under the same name, or this is a forgery',
      'If the service has rotated its key, have the request signed with the new one; nothing that a proxy changes ' +
        'looks like this.'
    ]
  }
  if (isByKey) {
    return [
      'the key did make this signature, so a signed line was changed on the way, or more than one',
      `${compare}${say.either(': pass the target as received, such as req.originalUrl', '')}.`
    ]
  }
  return [
    'another key made it (was it replaced?), or a signed line was changed on the way: such a signature does not tell which',
    `${compare}. If they are equal, it was the key.`
  ]
}

const REENCODINGS: Readonly<Record<Reencoding | BodyChange, string>> = {
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
  'base64-encoded': 'it is still in base64',
  'json-string': 'it was serialized as a JSON string',
  'read-as-text': 'it was read as text, and has replacement characters for the bytes that are not UTF-8',
  'object-to-string': 'a parsed body was converted to a string',
  'cut-short': 'it was cut short'
}

/** The digests of no bytes. */
const EMPTY = new Set([
  '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  'z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=='
])

const digest: Rule = (evidence, { say }) => {
  const { reencoding, change, decompressed, expected, bodyLength, contentLength } = evidence
  const raw = say.either(
    'Verify the raw bytes, before any body parser or proxy that re-encodes them.',
    'Have the bytes passed on as they were sent: no parser and no proxy that re-encodes them in front.'
  )
  const size = lengths(Number(bodyLength), contentLength)
  if (bodyLength === 0)
    return [
      'the body is empty, and was not when it was signed: something had already read it, or dropped it',
      raw
    ]
  if (EMPTY.has(String(expected)))
    return [
      'the sender signed an empty body: it hashed before it wrote the body, or a proxy added one',
      'Compare with the sender.'
    ]
  if (decompressed !== undefined) {
    return [
      `something decompressed it (it was signed with Content-Encoding: ${text(decompressed)})`,
      say.either(
        'Give the adapter the request itself, with no parser in front: express.raw() and express.json() decompress too.',
        'Have the proxy pass it on compressed (nginx: gunzip off).'
      )
    ]
  }
  const known = reencoding ?? change
  if (known !== undefined && Object.hasOwn(REENCODINGS, String(known))) {
    const lost =
      known === 'cut-short' ? ` (${text(bodyLength)} of ${plural(Number(contentLength), 'byte')})` : ''
    return [
      `${REENCODINGS[known as Reencoding]}${lost} after it was signed (${text(known)})`,
      known === 'cut-short' ? CUT : raw
    ]
  }
  const changed = 'the body was changed after it was signed'
  if (contentLength === undefined || contentLength === bodyLength) return [changed, raw]
  return Number(bodyLength) < Number(contentLength)
    ? [
        `${changed}: parsed and serialized again, cut short, or replaced; it is ${size}`,
        `If its end is missing, it was cut: ${CUT} If not: ${raw}`
      ]
    : [
        `${changed}: decompressed, parsed and serialized again, or replaced; it is ${size}`,
        `If the sender compresses (Content-Encoding in its log), something in front decompresses. ${raw}`
      ]
}

const CUT = 'Look for a limit on the size of bodies in proxies and parsers, and for connections that break.'

const STORE_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ECONNREFUSED|ENOENT)$/, 'nothing listens at its address'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'its host name is not found'],
  [/^(?:no answer|ETIMEDOUT)/, 'it is slow or unreachable'],
  [/^not a boolean$/, 'its claim() returned something other than true or false'],
  [/Full|NOAUTH|WRONGPASS|^28|^42/, 'it refuses']
]

/** By code, or else by check. */
export const CAUSES: Readonly<Partial<Record<Code | CheckName, Rule>>> = {
  request: ({ part, name }, { say }) => [
    part === 'header-count'
      ? 'it has more than 500 header lines: a loop of proxies, or an attack'
      : `${part === 'header-name' || part === 'header-value' ? `the header ${text(name)}` : `the ${text(part)}`} was decoded ` +
        'or rebuilt on the way, or it is a broken sender, or an attack',
    say.either(
      'Pass method, target and headers as received, undecoded: let an adapter do it.',
      'Pass method, target and headers on as received.'
    )
  ],
  https: ({ header, received }, { say }) => {
    const fixed = say.either(
      'if the proxy accepts only TLS, give the adapter https: true',
      'if the proxy accepts only TLS: --https always'
    )
    if (header === undefined) {
      return [
        'TLS ends at a proxy, or the sender used http',
        `If your own proxy sets X-Forwarded-Proto${say.either(', give the adapter ', ': ')}${say.set('https', 'x-forwarded-proto')}; ${fixed}.`
      ]
    }
    if (isMissing(received)) {
      return [
        `your proxy sends no ${text(header)}, which ${say.either('the adapter', 'the gateway')} is told to trust`,
        `Have the proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme), or, ${fixed}.`
      ]
    }
    if (isList(received)) return [`${text(header)} came with more than one value`, ONE_VALUE]
    return [
      'the sender used http, or a proxy in front of yours ends TLS',
      'Have the sender use https; with two proxies, have the outer one set the header and the inner one keep it.'
    ]
  },
  'date-missing': [
    'a proxy or CDN dropped it, or the sender did not write it',
    'Have proxies pass Date on unchanged; if the sender has none in its log, have it add one.'
  ],
  'date-too-old': time,
  'date-in-future': time,
  'signature-created-out-of-range': time,
  'signature-expired': time,
  host,
  account,
  'account-repeated': CHANGED_HEADER,
  'account-mismatch': ({ received, expected }, { say }) =>
    expected === undefined
      ? [
          'your accounts function returned false',
          `If ${text(received)} is yours, have the function return true for it.`
        ]
      : [
          'the request is for another customer of the service, or for an account of yours that is not configured',
          `If ${text(received)} is yours: ${say.set('accounts', String(received))} (now ${text(expected)}).`
        ],
  'account-check-failed': ({ error }) =>
    String(error).startsWith('it returned')
      ? [
          'your accounts function does not return a boolean',
          'Return true or false: async id => (await find(id)) !== undefined.'
        ]
      : [`your accounts function threw ${text(error)}`, 'Mend it; the sender may try again.'],
  'signature-missing': (_, { codes }) =>
    isUnsigned(codes)
      ? [
          'this request is not signed, so it is not from the service: a scanner, a health check, a browser',
          'Nothing to mend. If the service did send it, a proxy drops Signature and Digest: have it pass every header on.'
        ]
      : [
          'a proxy dropped it: other headers of a signed request are there',
          'Have proxies pass Signature on unchanged.'
        ],
  'signature-malformed': (evidence, { say }) => (isOtherScheme(evidence) ? otherScheme(say) : CHANGED_HEADER),
  'signature-algorithm-not-allowed': ({ received }, { say }) => {
    const known = Object.values(SCHEME_ALGORITHMS)
      .flat()
      .find(name => name === String(received).toLowerCase())
    return [
      'the sender uses another algorithm',
      known === undefined
        ? 'Have the sender sign with an allowed one: this library has no such algorithm.'
        : `If the service says so, add it: ${say.set('algorithms', known)}.`
    ]
  },
  'signature-times-not-allowed': [
    'the sender covers a time that the draft forbids with this algorithm',
    'Have the sender leave (created) and (expires) out of headers, or sign with hs2019.'
  ],
  'coverage-insufficient': ({ missing }, { say }) => {
    const more = [missing].flat().every(name => /^x-|^content-/.test(String(name)))
    return [
      'the sender signs less than the service does, or a name is configured that the service does not sign',
      `Have the sender sign ${text(missing)}, or anyone can change it${more ? `; check ${say.name('accountHeader')} and ${say.name('alsoCovered')}` : ''}.`
    ]
  },
  'coverage-repeated': ['a broken sender, or an attack', 'Have the sender list each name once.'],
  'coverage-absent': ({ absent, reason }) =>
    reason === undefined
      ? [
          [absent].flat().includes('content-encoding')
            ? 'a proxy removed Content-Encoding: it decompressed the body'
            : `a proxy removed ${text(absent)}, which is signed`,
          'Have the proxy pass it on unchanged.'
        ]
      : [`${text(absent)}: ${text(reason)}`, 'Have the sender sign it in that form.'],
  'key-name-malformed': [
    'the sender uses another kind of key id, or it is an attack on the resolver',
    'Nothing to mend here: this receiver verifies keys in DNS only.'
  ],
  'key-name-outside-domain': outsideDomain,
  key: evidence => [
    'the service published a bad record, or it was changed on the way into DNS',
    `Look at it with: ${keyCommand(evidence)}; the service must mend it.`
  ],
  'key-type-mismatch': (evidence, { say }) => [
    `the key in DNS and the algorithm do not fit: a setting (${say.name('algorithms')}), or a bad record`,
    `Look at it with: ${keyCommand(evidence)}; if the service documents such keys, add their algorithm to ${say.name('algorithms')}.`
  ],
  'key-too-short': keyLength,
  'key-too-long': keyLength,
  'key-not-found': evidence => [
    'it was withdrawn, is not published yet, or your DNS server cannot see it',
    `Ask again with: ${keyCommand(evidence)}; if others see it, it is your DNS server.`
  ],
  'key-revoked': [
    'it was replaced: the request was signed with an old key',
    'Have the request signed with the new key.'
  ],
  'key-lookup-failed': lookup,
  'key-lookup-timeout': lookup,
  signature,
  'digest-missing': [
    'a proxy dropped it, or the sender signs no body',
    'Have proxies pass it on; if the sender has none in its log, have it add one.'
  ],
  'digest-malformed': [
    'a broken sender, or a header that was cut',
    'Have the sender write SHA-256= and base64.'
  ],
  'digest-unsupported': ['an old sender', 'Have the sender add SHA-256: MD5 and SHA-1 never count.'],
  'digest-mismatch': digest,
  'body-too-large': ({ limit }, { say }) => [
    'a large body, or a flood',
    `Raise ${say.name('maxBodyBytes')} if the service sends such bodies (it is now ${text(limit)} bytes).`
  ],
  'body-unreadable': ({ error }, { say }) => [
    String(error).startsWith('no ')
      ? `the sender, or a proxy, was slower than ${say.name('bodyTimeout')}`
      : `the connection broke (${text(error)})`,
    'Nothing to mend if it is rare: the sender may try again.'
  ],
  'replay-store-failed': ({ error }) => {
    const [, what = 'it is down or slow'] =
      STORE_ERRORS.find(([pattern]) => pattern.test(String(error))) ?? []
    return [
      `the replay store failed with ${text(error)}: ${what}`,
      'Check the store; the sender may try again.'
    ]
  },
  replayed: (_, { say }) => [
    'the same bytes came again: a retry of the sender (was the answer late?), or an attack',
    'Nothing to mend if the first one was handled: this is what a replay store is for. If handling it failed, ' +
      say.either(
        'have your handler call verify.release(verdict), so that a retry is let in.',
        'the sender needs to sign a retry afresh.'
      )
  ]
}

/** Nothing of a signed request is there. */
export const isUnsigned = (codes: ReadonlySet<Code>): boolean =>
  codes.has('signature-missing') && codes.has('digest-missing') && codes.has('account-missing')
