import type { Peer } from './peers/peer.ts'

/** What a peer cannot do, or does otherwise than the standard says; and what comes of it, exactly. */
export interface Limit {
  peers: readonly string[]
  scheme: Peer['scheme']
  cases: readonly string[]
  theySign?: string
  weSign?: string
  /** the clause, and what the peer does */
  reason: string
}

export const DIRECTIONS = ['theySign', 'weSign'] as const
export type Direction = (typeof DIRECTIONS)[number]

const DRAFT = 'draft-cavage'
const SECTION_2_3 = 'draft section 2.3'
const LIST = 'draft section 2.1.6: without a list it is `(created)`'
const HS2019 = 'draft section 2.1.3, appendix E.2: hs2019 with RSA is RSASSA-PSS with SHA-512'
const OCTETS = 'RFC 9110 section 5.5: a value is octets'
const JOINED = `${SECTION_2_3}: the values of repeated lines are joined by a comma and a space, in their order`
const TRIMMED = `${SECTION_2_3}: white space around a value is left out`
const MIXED = `${SECTION_2_3}: names are compared in lower case`
const TARGET = `${SECTION_2_3}: the target as it is sent`
const DIGEST = 'RFC 3230 section 4.3.2: the digest is of the body'
const CONTENT_DIGEST = 'RFC 9530 section 2: the digest is of the content'
const NO_DIGEST = 'It has no function for it, so the test made the line and nothing compared it with the body'
const TARGET_URI = 'RFC 9421 section 2.2.2: the target URI of the request'
const METHOD = 'RFC 9421 section 2.2.1: the method is not changed'
const URL_CLASS = 'It signs what the URL class makes of it'

const TIMES = '(created) and (expires) with hs2019'
const REPEATED = ['a repeated header', 'an empty line among repeated ones'] as const
const SERVICE = "the service's own list, with X-Nonce"
const NEW_ALGORITHM = ['no list', 'the algorithm hs2019', TIMES] as const

export const LIMITS: readonly Limit[] = [
  // python3-httpsig
  {
    peers: ['python3-httpsig'],
    scheme: DRAFT,
    cases: ['names in the list in mixed case'],
    theySign: 'own list',
    reason: 'draft section 2.1.6: names should be in lower case, and it writes them so'
  },
  {
    peers: ['python3-httpsig'],
    scheme: DRAFT,
    cases: ['names in the list in mixed case', SERVICE],
    weSign: 'throws: digest is a required header(s)',
    reason: `${MIXED}. It looks its required names up as the list writes them`
  },
  {
    peers: ['python3-httpsig'],
    scheme: DRAFT,
    cases: NEW_ALGORITHM,
    theySign: 'throws: Unknown algorithm',
    weSign: 'throws: Unknown algorithm',
    reason: `${HS2019}. It has none of the algorithms under which (created) is allowed`
  },
  {
    peers: ['python3-httpsig'],
    scheme: DRAFT,
    cases: REPEATED,
    theySign: 'joined by the test',
    weSign: 'joined by the test',
    reason: `${JOINED}. It takes a dictionary with one value for a name`
  },
  {
    peers: ['python3-httpsig'],
    scheme: DRAFT,
    cases: ['white space around a value'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${TRIMMED}. It takes values as they are`
  },
  {
    peers: ['python3-httpsig'],
    scheme: DRAFT,
    cases: ['octets above ASCII in a value'],
    theySign:
      "throws: 'ascii' codec can't encode character '\\xe9' in position 187: ordinal not in range(128)",
    weSign: "throws: 'ascii' codec can't encode character '\\xe9' in position 187: ordinal not in range(128)",
    reason: `${OCTETS}. It only takes ASCII`
  },
  // http-signature and its fork
  {
    peers: ['http-signature'],
    scheme: DRAFT,
    cases: NEW_ALGORITHM,
    theySign: 'throws: HS2019 is not a valid algorithm',
    weSign: 'throws: hs2019 is not supported',
    reason: `${HS2019}. It has none of the algorithms under which (created) is allowed`
  },
  {
    peers: ['@peertube/http-signature'],
    scheme: DRAFT,
    cases: ['no list'],
    theySign: 'signature-parameter-missing',
    weSign: 'no',
    reason: `${LIST}. It signs and verifies Date, as early drafts had it`
  },
  {
    peers: ['@peertube/http-signature'],
    scheme: DRAFT,
    cases: ['the algorithm hs2019', TIMES],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${HS2019}. Under this name it signs and verifies RSASSA-PKCS1-v1_5 with SHA-256`
  },
  {
    peers: ['http-signature', '@peertube/http-signature'],
    scheme: DRAFT,
    cases: ['header lines in upper case'],
    weSign: 'lower-cased by the test',
    reason: `${MIXED}. It takes headers as node:http makes them`
  },
  {
    peers: ['http-signature', '@peertube/http-signature'],
    scheme: DRAFT,
    cases: ['an empty value'],
    theySign: 'throws: x-empty was not in the request',
    reason: `${SECTION_2_3}: an empty value gives the name, a colon and a space. It takes the header for missing`
  },
  {
    peers: ['http-signature', '@peertube/http-signature'],
    scheme: DRAFT,
    cases: REPEATED,
    theySign: 'signature-mismatch',
    reason: `${JOINED}. It signs the array of the values as JavaScript writes it, without the space`
  },
  {
    peers: ['http-signature', '@peertube/http-signature'],
    scheme: DRAFT,
    cases: REPEATED,
    weSign: 'joined by the test',
    reason: `${JOINED}. It takes headers as node:http makes them`
  },
  {
    peers: ['http-signature', '@peertube/http-signature'],
    scheme: DRAFT,
    cases: ['white space around a value'],
    theySign: 'signature-mismatch',
    reason: `${TRIMMED}. It signs values as they are`
  },
  {
    peers: ['http-signature', '@peertube/http-signature'],
    scheme: DRAFT,
    cases: ['white space around a value'],
    weSign: 'trimmed by the test',
    reason: `${TRIMMED}. It takes headers as node:http makes them`
  },
  // activitypub-http-signatures
  {
    peers: ['activitypub-http-signatures'],
    scheme: DRAFT,
    cases: ['names in the list in mixed case', SERVICE],
    theySign: 'coverage-insufficient',
    weSign: 'no',
    reason: `${MIXED}. It looks headers up as the list writes them, and does not sign those that it does not find`
  },
  {
    peers: ['activitypub-http-signatures'],
    scheme: DRAFT,
    cases: NEW_ALGORITHM,
    theySign: 'own algorithm',
    weSign: "throws: Don't know how to verify hs2019 signatures.",
    reason: `${HS2019}. It only has rsa-sha256`
  },
  {
    peers: ['activitypub-http-signatures'],
    scheme: DRAFT,
    cases: ['header lines in upper case'],
    theySign: 'lower-cased by the test',
    weSign: 'lower-cased by the test',
    reason: `${MIXED}. It takes headers as node:http makes them`
  },
  {
    peers: ['activitypub-http-signatures'],
    scheme: DRAFT,
    cases: REPEATED,
    theySign: 'joined by the test',
    weSign: 'joined by the test',
    reason: `${JOINED}. It takes headers as node:http makes them`
  },
  {
    peers: ['activitypub-http-signatures'],
    scheme: DRAFT,
    cases: ['white space around a value'],
    theySign: 'trimmed by the test',
    weSign: 'trimmed by the test',
    reason: `${TRIMMED}. It takes headers as node:http makes them`
  },
  {
    peers: ['activitypub-http-signatures'],
    scheme: DRAFT,
    cases: ['a target with dot segments and escapes'],
    theySign: 'signature-mismatch',
    reason: `${TARGET}. ${URL_CLASS}`
  },
  // @misskey-dev/node-http-message-signatures
  {
    peers: ['@misskey-dev/node-http-message-signatures'],
    scheme: DRAFT,
    cases: ['no list'],
    theySign: "throws: Cannot read properties of undefined (reading 'map')",
    weSign: 'throws: Signature header content lacked: headers',
    reason: `${LIST}. It demands a list`
  },
  {
    peers: ['@misskey-dev/node-http-message-signatures'],
    scheme: DRAFT,
    cases: ['the algorithm hs2019'],
    theySign: 'own algorithm',
    weSign: 'no',
    reason: `${HS2019}. It only signs rsa-sha256, and verifies RSASSA-PKCS1-v1_5 with SHA-256 under this name`
  },
  {
    peers: ['@misskey-dev/node-http-message-signatures'],
    scheme: DRAFT,
    cases: [TIMES],
    theySign: 'signature-parameter-missing',
    reason: 'draft section 2.3: (created) and (expires) need their parameters. It signs the word undefined'
  },
  {
    peers: ['@misskey-dev/node-http-message-signatures'],
    scheme: DRAFT,
    cases: [TIMES],
    weSign: 'throws: Clock skew is invalid (expires)',
    reason:
      'draft sections 2.1.4 and 2.1.5: the times are numbers. Without quotes it reads only the first digit'
  },
  {
    peers: ['@misskey-dev/node-http-message-signatures'],
    scheme: DRAFT,
    cases: REPEATED,
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${JOINED}. It takes the array of the values as JavaScript writes it, without the space`
  },
  {
    peers: ['@misskey-dev/node-http-message-signatures'],
    scheme: DRAFT,
    cases: ['white space around a value'],
    theySign: 'signature-mismatch',
    reason: `${TRIMMED}. It signs values as they are`
  },
  {
    peers: ['@misskey-dev/node-http-message-signatures'],
    scheme: DRAFT,
    cases: ['white space around a value'],
    weSign: 'trimmed by the test',
    reason: `${TRIMMED}. It takes the rawHeaders of node:http`
  },
  {
    peers: ['@misskey-dev/node-http-message-signatures'],
    scheme: DRAFT,
    cases: ['a header named like a property of objects'],
    weSign: 'throws: dst[toStringOrToLc(...)].push is not a function',
    reason: 'RFC 9110 section 5.1: any token is a name. It finds the property of its own object'
  },
  // @digitalbazaar/http-signature-header
  {
    peers: ['@digitalbazaar/http-signature-header'],
    scheme: DRAFT,
    cases: ['no list', TIMES],
    theySign: 'signature-malformed',
    weSign: 'throws: bad param format',
    reason:
      'draft sections 2.1.4 and 2.1.5: the times are numbers. It writes and reads them as strings in quotes'
  },
  {
    peers: ['@digitalbazaar/http-signature-header'],
    scheme: DRAFT,
    cases: ['a header named like a property of objects'],
    theySign: 'throws: function Object() { [native code] } was not found in `requestOptions.headers`',
    weSign: 'throws: function Object() { [native code] } was not in the request',
    reason: 'RFC 9110 section 5.1: any token is a name. It finds the property of its own object'
  },
  // http-message-signatures
  {
    peers: ['http-message-signatures'],
    scheme: DRAFT,
    cases: ['names in the list in mixed case'],
    theySign: 'own list',
    reason: 'draft section 2.1.6: names should be in lower case, and it writes them so'
  },
  {
    peers: ['http-message-signatures'],
    scheme: DRAFT,
    cases: ['no list'],
    theySign: 'own list',
    reason: `${LIST}. It writes this list`
  },
  {
    peers: ['http-message-signatures'],
    scheme: DRAFT,
    cases: ['a target with dot segments and escapes'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${TARGET}. ${URL_CLASS}`
  },
  {
    peers: ['http-message-signatures'],
    scheme: 'rfc9421',
    cases: ['a method in lower case'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${METHOD}. It puts it in upper case`
  },
  // @fedify/fedify
  {
    peers: ['@fedify/fedify'],
    scheme: DRAFT,
    cases: ['another order', 'names in the list in mixed case'],
    theySign: 'own list',
    reason: 'draft section 2.1.6: the list is for the signer to choose. It signs what the request has'
  },
  {
    peers: ['@fedify/fedify'],
    scheme: DRAFT,
    cases: ['names in the list in mixed case', SERVICE],
    weSign: 'no',
    reason: `${MIXED}. It looks its required names up as the list writes them`
  },
  {
    peers: ['@fedify/fedify'],
    scheme: DRAFT,
    cases: ['no list'],
    theySign: 'own algorithm',
    weSign: 'no',
    reason: `${LIST}. It demands a list, and only has rsa-sha256`
  },
  {
    peers: ['@fedify/fedify'],
    scheme: DRAFT,
    cases: ['the algorithm hs2019', TIMES],
    theySign: 'own algorithm',
    weSign: 'no',
    reason: `${HS2019}. It signs and verifies RSASSA-PKCS1-v1_5 with SHA-256, whatever the name`
  },
  {
    peers: ['@fedify/fedify'],
    scheme: DRAFT,
    cases: ['a target with a query', 'a target with dot segments and escapes'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${SECTION_2_3}: the target has the query. It signs the path that the URL class makes, without the query`
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'rfc9421',
    cases: [
      'the usual components',
      'another order',
      'path and query',
      'the request target',
      SERVICE,
      'an empty list',
      'query parameters',
      'a field with sf',
      'members of a field with key',
      'repeated lines with bs',
      'an empty value',
      'a repeated header',
      'an empty line among repeated ones',
      'white space around a value'
    ],
    theySign: 'own list',
    reason:
      'RFC 9421 section 1.4: an application says which components are covered. Its list is always the same'
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'rfc9421',
    cases: ['path and query'],
    weSign: 'no',
    reason: 'RFC 9421 section 2.2.7: the query begins with the question mark. It leaves this out'
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'rfc9421',
    cases: ['the request target', SERVICE],
    weSign: 'no',
    reason: 'RFC 9421 section 2.2.5: the target alone. It writes the method in front'
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'rfc9421',
    cases: ['query parameters', 'a field with sf', 'members of a field with key', 'repeated lines with bs'],
    weSign: 'no',
    reason: 'RFC 9421 sections 2.1 and 2.2.8: parameters are a part of the component. It drops them'
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'rfc9421',
    cases: ['a target with dot segments and escapes'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${TARGET_URI}. It takes what the URL class makes of it`
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'rfc9421',
    cases: ['a method in lower case'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${METHOD}. It puts it in upper case`
  },
  // http-message-sig
  ...(
    [
      ['query parameters', '@query-param', '2.2.8'],
      ['a field with sf', 'sf', '2.1.1'],
      ['repeated lines with bs', 'bs', '2.1.3']
    ] as const
  ).map(
    ([name, part, section]): Limit => ({
      peers: ['http-message-sig'],
      scheme: 'rfc9421',
      cases: [name],
      theySign: `throws: ${part} is not supported`,
      weSign: `throws: ${part} is not supported`,
      reason: `RFC 9421 section ${section}: ${part}. It says that it does not have it`
    })
  ),
  // web-bot-auth
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: [SERVICE],
    weSign: "throws: tag must be 'web-bot-auth'",
    reason:
      'draft-meunier-web-bot-auth-architecture-04 section 4.2: a signature must have expires and tag="web-bot-auth". The service sets neither'
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['query parameters'],
    theySign: 'throws: Unknown specialty component @query-param',
    weSign: 'throws: Unknown specialty component @query-param',
    reason: 'RFC 9421 section 2.2.8: @query-param. It does not have it'
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['a field with sf', 'members of a field with key', 'repeated lines with bs'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason:
      'RFC 9421 sections 2.1.1, 2.1.2 and 2.1.3: sf, key and bs say how the value is written. It ignores them'
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['a method in lower case'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${METHOD}. It puts it in upper case`
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['path and query'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason:
      'RFC 9421 section 2.2.7: a query that is not there is a question mark alone. It signs an empty value'
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['white space around a value'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason:
      'RFC 9421 section 2.1: white space around a value is left out, white space inside is kept. It keeps the outer, and makes one space of two'
  },
  // several
  {
    peers: [
      'http-signature',
      '@peertube/http-signature',
      'activitypub-http-signatures',
      '@misskey-dev/node-http-message-signatures',
      'http-message-signatures',
      '@fedify/fedify'
    ],
    scheme: DRAFT,
    cases: ['octets above ASCII in a value'],
    theySign: 'signature-mismatch',
    weSign: 'no',
    reason: `${OCTETS}. It signs their UTF-8`
  },
  {
    peers: [
      'python3-httpsig',
      'http-signature',
      '@peertube/http-signature',
      'activitypub-http-signatures',
      '@digitalbazaar/http-signature-header',
      'http-message-signatures'
    ],
    scheme: DRAFT,
    cases: ['a body of 1 MiB'],
    theySign: 'body not judged',
    weSign: 'body not judged',
    reason: `${DIGEST}. ${NO_DIGEST}`
  },
  {
    peers: ['http-message-signatures', 'http-message-sig', 'web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['a body of 1 MiB'],
    theySign: 'body not judged',
    weSign: 'body not judged',
    reason: `${CONTENT_DIGEST}. ${NO_DIGEST}`
  }
]

/** The one limit of a peer in a case and a direction. */
export function limitFor(peer: Peer, name: string, direction: Direction): Limit | undefined {
  const found = LIMITS.filter(
    limit =>
      limit[direction] !== undefined &&
      limit.scheme === peer.scheme &&
      limit.peers.includes(peer.name) &&
      limit.cases.includes(name)
  )
  if (found.length > 1) throw new Error(`${peer.name}, ${name}, ${direction}: ${found.length} limits`)
  return found[0]
}
