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
const RFC_9421 = 'rfc9421'

type Outcome = Pick<Limit, 'theySign' | 'weSign'>
const both = (outcome: string): Outcome => ({ theySign: outcome, weSign: outcome })
const limit = (cases: readonly string[], reason: string, outcome: Outcome) => ({ cases, reason, ...outcome })
const limitsOf = (
  peers: readonly string[],
  scheme: Peer['scheme'],
  ...limits: readonly ReturnType<typeof limit>[]
): Limit[] => limits.map(each => ({ peers, scheme, ...each }))

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
  ...limitsOf(
    ['python3-httpsig'],
    DRAFT,
    limit(
      ['names in the list in mixed case'],
      'draft section 2.1.6: names should be in lower case, and it writes them so',
      { theySign: 'own list' }
    ),
    limit(
      ['names in the list in mixed case', SERVICE],
      `${MIXED}. It looks its required names up as the list writes them`,
      { weSign: 'throws: digest is a required header(s)' }
    ),
    limit(
      NEW_ALGORITHM,
      `${HS2019}. It has none of the algorithms under which (created) is allowed`,
      both('throws: Unknown algorithm')
    ),
    limit(REPEATED, `${JOINED}. It takes a dictionary with one value for a name`, both('joined by the test')),
    limit(['white space around a value'], `${TRIMMED}. It takes values as they are`, {
      theySign: 'signature-mismatch',
      weSign: 'no'
    }),
    limit(
      ['octets above ASCII in a value'],
      `${OCTETS}. It only takes ASCII`,
      both("throws: 'ascii' codec can't encode character '\\xe9' in position 187: ordinal not in range(128)")
    )
  ),
  ...limitsOf(
    ['http-signature'],
    DRAFT,
    limit(NEW_ALGORITHM, `${HS2019}. It has none of the algorithms under which (created) is allowed`, {
      theySign: 'throws: HS2019 is not a valid algorithm',
      weSign: 'throws: hs2019 is not supported'
    })
  ),
  ...limitsOf(
    ['@peertube/http-signature'],
    DRAFT,
    limit(['no list'], `${LIST}. It signs and verifies Date, as early drafts had it`, {
      theySign: 'signature-parameter-missing',
      weSign: 'no'
    }),
    limit(
      ['the algorithm hs2019', TIMES],
      `${HS2019}. Under this name it signs and verifies RSASSA-PKCS1-v1_5 with SHA-256`,
      { theySign: 'signature-mismatch', weSign: 'no' }
    )
  ),
  ...limitsOf(
    ['http-signature', '@peertube/http-signature'],
    DRAFT,
    limit(['header lines in upper case'], `${MIXED}. It takes headers as node:http makes them`, {
      weSign: 'lower-cased by the test'
    }),
    limit(
      ['an empty value'],
      `${SECTION_2_3}: an empty value gives the name, a colon and a space. It takes the header for missing`,
      { theySign: 'throws: x-empty was not in the request' }
    ),
    limit(REPEATED, `${JOINED}. It signs the array of the values as JavaScript writes it, without the space`, {
      theySign: 'signature-mismatch'
    }),
    limit(REPEATED, `${JOINED}. It takes headers as node:http makes them`, { weSign: 'joined by the test' }),
    limit(['white space around a value'], `${TRIMMED}. It signs values as they are`, {
      theySign: 'signature-mismatch'
    }),
    limit(['white space around a value'], `${TRIMMED}. It takes headers as node:http makes them`, {
      weSign: 'trimmed by the test'
    })
  ),
  ...limitsOf(
    ['activitypub-http-signatures'],
    DRAFT,
    limit(
      ['names in the list in mixed case', SERVICE],
      `${MIXED}. It looks headers up as the list writes them, and does not sign those that it does not find`,
      { theySign: 'coverage-insufficient', weSign: 'no' }
    ),
    limit(NEW_ALGORITHM, `${HS2019}. It only has rsa-sha256`, {
      theySign: 'own algorithm',
      weSign: "throws: Don't know how to verify hs2019 signatures."
    }),
    limit(
      ['header lines in upper case'],
      `${MIXED}. It takes headers as node:http makes them`,
      both('lower-cased by the test')
    ),
    limit(REPEATED, `${JOINED}. It takes headers as node:http makes them`, both('joined by the test')),
    limit(
      ['white space around a value'],
      `${TRIMMED}. It takes headers as node:http makes them`,
      both('trimmed by the test')
    ),
    limit(['a target with dot segments and escapes'], `${TARGET}. ${URL_CLASS}`, { theySign: 'signature-mismatch' })
  ),
  ...limitsOf(
    ['@misskey-dev/node-http-message-signatures'],
    DRAFT,
    limit(['no list'], `${LIST}. It demands a list`, {
      theySign: "throws: Cannot read properties of undefined (reading 'map')",
      weSign: 'throws: Signature header content lacked: headers'
    }),
    limit(
      ['the algorithm hs2019'],
      `${HS2019}. It only signs rsa-sha256, and verifies RSASSA-PKCS1-v1_5 with SHA-256 under this name`,
      { theySign: 'own algorithm', weSign: 'no' }
    ),
    limit([TIMES], 'draft section 2.3: (created) and (expires) need their parameters. It signs the word undefined', {
      theySign: 'signature-parameter-missing'
    }),
    limit(
      [TIMES],
      'draft sections 2.1.4 and 2.1.5: the times are numbers. Without quotes it reads only the first digit',
      { weSign: 'throws: Clock skew is invalid (expires)' }
    ),
    limit(REPEATED, `${JOINED}. It takes the array of the values as JavaScript writes it, without the space`, {
      theySign: 'signature-mismatch',
      weSign: 'no'
    }),
    limit(['white space around a value'], `${TRIMMED}. It signs values as they are`, {
      theySign: 'signature-mismatch'
    }),
    limit(['white space around a value'], `${TRIMMED}. It takes the rawHeaders of node:http`, {
      weSign: 'trimmed by the test'
    }),
    limit(
      ['a header named like a property of objects'],
      'RFC 9110 section 5.1: any token is a name. It finds the property of its own object',
      { weSign: 'throws: dst[toStringOrToLc(...)].push is not a function' }
    )
  ),
  ...limitsOf(
    ['@digitalbazaar/http-signature-header'],
    DRAFT,
    limit(
      ['no list', TIMES],
      'draft sections 2.1.4 and 2.1.5: the times are numbers. It writes and reads them as strings in quotes',
      { theySign: 'signature-malformed', weSign: 'throws: bad param format' }
    ),
    limit(
      ['a header named like a property of objects'],
      'RFC 9110 section 5.1: any token is a name. It finds the property of its own object',
      {
        theySign: 'throws: function Object() { [native code] } was not found in `requestOptions.headers`',
        weSign: 'throws: function Object() { [native code] } was not in the request'
      }
    )
  ),
  ...limitsOf(
    ['http-message-signatures'],
    DRAFT,
    limit(
      ['names in the list in mixed case'],
      'draft section 2.1.6: names should be in lower case, and it writes them so',
      { theySign: 'own list' }
    ),
    limit(['no list'], `${LIST}. It writes this list`, { theySign: 'own list' }),
    limit(['a target with dot segments and escapes'], `${TARGET}. ${URL_CLASS}`, {
      theySign: 'signature-mismatch',
      weSign: 'no'
    })
  ),
  ...limitsOf(
    ['http-message-signatures'],
    RFC_9421,
    limit(['a method in lower case'], `${METHOD}. It puts it in upper case`, {
      theySign: 'signature-mismatch',
      weSign: 'no'
    })
  ),
  ...limitsOf(
    ['@fedify/fedify'],
    DRAFT,
    limit(
      ['another order', 'names in the list in mixed case'],
      'draft section 2.1.6: the list is for the signer to choose. It signs what the request has',
      { theySign: 'own list' }
    ),
    limit(
      ['names in the list in mixed case', SERVICE],
      `${MIXED}. It looks its required names up as the list writes them`,
      { weSign: 'no' }
    ),
    limit(['no list'], `${LIST}. It demands a list, and only has rsa-sha256`, {
      theySign: 'own algorithm',
      weSign: 'no'
    }),
    limit(
      ['the algorithm hs2019', TIMES],
      `${HS2019}. It signs and verifies RSASSA-PKCS1-v1_5 with SHA-256, whatever the name`,
      { theySign: 'own algorithm', weSign: 'no' }
    ),
    limit(
      ['a target with a query', 'a target with dot segments and escapes'],
      `${SECTION_2_3}: the target has the query. It signs the path that the URL class makes, without the query`,
      { theySign: 'signature-mismatch', weSign: 'no' }
    )
  ),
  ...limitsOf(
    ['@fedify/fedify'],
    RFC_9421,
    limit(
      [
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
      'RFC 9421 section 1.4: an application says which components are covered. Its list is always the same',
      { theySign: 'own list' }
    ),
    limit(['path and query'], 'RFC 9421 section 2.2.7: the query begins with the question mark. It leaves this out', {
      weSign: 'no'
    }),
    limit(['the request target', SERVICE], 'RFC 9421 section 2.2.5: the target alone. It writes the method in front', {
      weSign: 'no'
    }),
    limit(
      ['query parameters', 'a field with sf', 'members of a field with key', 'repeated lines with bs'],
      'RFC 9421 sections 2.1 and 2.2.8: parameters are a part of the component. It drops them',
      { weSign: 'no' }
    ),
    limit(['a target with dot segments and escapes'], `${TARGET_URI}. It takes what the URL class makes of it`, {
      theySign: 'signature-mismatch',
      weSign: 'no'
    }),
    limit(['a method in lower case'], `${METHOD}. It puts it in upper case`, {
      theySign: 'signature-mismatch',
      weSign: 'no'
    })
  ),
  ...limitsOf(
    ['http-message-sig'],
    RFC_9421,
    ...(
      [
        ['query parameters', '@query-param', '2.2.8'],
        ['a field with sf', 'sf', '2.1.1'],
        ['repeated lines with bs', 'bs', '2.1.3']
      ] as const
    ).map(([name, part, section]) =>
      limit(
        [name],
        `RFC 9421 section ${section}: ${part}. It says that it does not have it`,
        both(`throws: ${part} is not supported`)
      )
    )
  ),
  ...limitsOf(
    ['web-bot-auth'],
    RFC_9421,
    limit(
      [SERVICE],
      'draft-meunier-web-bot-auth-architecture-04 section 4.2: a signature must have expires and tag="web-bot-auth". The service sets neither',
      { weSign: "throws: tag must be 'web-bot-auth'" }
    ),
    limit(
      ['query parameters'],
      'RFC 9421 section 2.2.8: @query-param. It does not have it',
      both('throws: Unknown specialty component @query-param')
    ),
    limit(
      ['a field with sf', 'members of a field with key', 'repeated lines with bs'],
      'RFC 9421 sections 2.1.1, 2.1.2 and 2.1.3: sf, key and bs say how the value is written. It ignores them',
      { theySign: 'signature-mismatch', weSign: 'no' }
    ),
    limit(['a method in lower case'], `${METHOD}. It puts it in upper case`, {
      theySign: 'signature-mismatch',
      weSign: 'no'
    }),
    limit(
      ['path and query'],
      'RFC 9421 section 2.2.7: a query that is not there is a question mark alone. It signs an empty value',
      { theySign: 'signature-mismatch', weSign: 'no' }
    ),
    limit(
      ['white space around a value'],
      'RFC 9421 section 2.1: white space around a value is left out, white space inside is kept. It keeps the outer, and makes one space of two',
      { theySign: 'signature-mismatch', weSign: 'no' }
    )
  ),
  // several
  ...limitsOf(
    [
      'http-signature',
      '@peertube/http-signature',
      'activitypub-http-signatures',
      '@misskey-dev/node-http-message-signatures',
      'http-message-signatures',
      '@fedify/fedify'
    ],
    DRAFT,
    limit(['octets above ASCII in a value'], `${OCTETS}. It signs their UTF-8`, {
      theySign: 'signature-mismatch',
      weSign: 'no'
    })
  ),
  ...limitsOf(
    [
      'python3-httpsig',
      'http-signature',
      '@peertube/http-signature',
      'activitypub-http-signatures',
      '@digitalbazaar/http-signature-header',
      'http-message-signatures'
    ],
    DRAFT,
    limit(['a body of 1 MiB'], `${DIGEST}. ${NO_DIGEST}`, both('body not judged'))
  ),
  ...limitsOf(
    ['http-message-signatures', 'http-message-sig', 'web-bot-auth'],
    RFC_9421,
    limit(['a body of 1 MiB'], `${CONTENT_DIGEST}. ${NO_DIGEST}`, both('body not judged'))
  )
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
