import type { Peer } from './peers/peer.ts'

/** The exact outcome of these cases with a peer, when it signs and when we do; `yes` means no limit. */
type Row = readonly [cases: string | readonly string[], theySign: string, weSign: string]

/** Lists what a peer cannot do, or does differently from the standard: the clause, and the peers' behaviour. */
type Limits = Readonly<Record<string, Readonly<Record<string, Row>>>>

export const DIRECTIONS = ['theySign', 'weSign'] as const
export type Direction = (typeof DIRECTIONS)[number]

const PYTHON = 'python3-httpsig'
const JOYENT = 'http-signature'
const PEERTUBE = '@peertube/http-signature'
const ACTIVITYPUB = 'activitypub-http-signatures'
const MISSKEY = '@misskey-dev/node-http-message-signatures'
const BAZAAR = '@digitalbazaar/http-signature-header'
const SIGNATURES = 'http-message-signatures'
const FEDIFY = '@fedify/fedify'

const both = (outcome: string): [theySign: string, weSign: string] => [outcome, outcome]

/** Gives each of these peers the same row. */
const each = (peers: readonly string[], ...row: Row) => Object.fromEntries(peers.map(peer => [peer, row]))

const SECTION_2_3 = 'draft section 2.3'
const NO_LIST = 'draft section 2.1.6: without a list it is `(created)`'
const HS2019 = 'draft section 2.1.3, appendix E.2: hs2019 with RSA is RSASSA-PSS with SHA-512'
const OCTETS = 'RFC 9110 section 5.5: a value is octets'
const PROPERTY = 'RFC 9110 section 5.1: any token is a name. It finds the property of its own object'
const JOINED = `${SECTION_2_3}: the values of repeated lines are joined by a comma and a space, in their order`
const TRIMMED = `${SECTION_2_3}: white space around a value is left out`
const MIXED = `${SECTION_2_3}: names are compared in lower case`
const NODE = 'It takes headers as node:http makes them'
const NO_DIGEST = 'It has no function for it, so the test made the line and nothing compared it with the body'
const URL_CLASS = 'It signs what the URL class makes of it'

const IN_MIXED_CASE = 'names in the list in mixed case'
const SERVICE = "the service's own list, with X-Nonce"
const TIMES = '(created) and (expires) with hs2019'
const NEW_ALGORITHM = ['no list', 'the algorithm hs2019', TIMES]
const REPEATED = ['a repeated header', 'an empty line among repeated ones']
const SPACE = 'white space around a value'
const DOTS = 'a target with dot segments and escapes'
const NO_BODY: Row = ['a body of 1 MiB', ...both('body not judged')]
const NOT_ASCII = "throws: 'ascii' codec can't encode character '\\xe9' in position 187: ordinal not in range(128)"

const DRAFT: Limits = {
  'draft section 2.1.6: names should be in lower case, and it writes them so': {
    ...each([PYTHON, SIGNATURES], IN_MIXED_CASE, 'own list', 'yes')
  },
  'draft section 2.1.6: the list is for the signer to choose. It signs what the request has': {
    [FEDIFY]: [['another order', IN_MIXED_CASE], 'own list', 'yes']
  },
  [`${MIXED}. It looks its required names up as the list writes them`]: {
    [PYTHON]: [[IN_MIXED_CASE, SERVICE], 'yes', 'throws: digest is a required header(s)'],
    [FEDIFY]: [[IN_MIXED_CASE, SERVICE], 'yes', 'no']
  },
  [`${MIXED}. It looks headers up as the list writes them, and does not sign those that it does not find`]: {
    [ACTIVITYPUB]: [[IN_MIXED_CASE, SERVICE], 'coverage-insufficient', 'no']
  },
  [`${MIXED}. ${NODE}`]: {
    ...each([JOYENT, PEERTUBE], 'header lines in upper case', 'yes', 'lower-cased by the test'),
    [ACTIVITYPUB]: ['header lines in upper case', ...both('lower-cased by the test')]
  },
  [`${HS2019}. It has none of the algorithms under which (created) is allowed`]: {
    [PYTHON]: [NEW_ALGORITHM, ...both('throws: Unknown algorithm')],
    [JOYENT]: [NEW_ALGORITHM, 'throws: HS2019 is not a valid algorithm', 'throws: hs2019 is not supported']
  },
  [`${HS2019}. Under this name it signs and verifies RSASSA-PKCS1-v1_5 with SHA-256`]: {
    [PEERTUBE]: [['the algorithm hs2019', TIMES], 'signature-mismatch', 'no']
  },
  [`${HS2019}. It only has rsa-sha256`]: {
    [ACTIVITYPUB]: [NEW_ALGORITHM, 'own algorithm', "throws: Don't know how to verify hs2019 signatures."]
  },
  [`${HS2019}. It only signs rsa-sha256, and verifies RSASSA-PKCS1-v1_5 with SHA-256 under this name`]: {
    [MISSKEY]: ['the algorithm hs2019', 'own algorithm', 'no']
  },
  [`${HS2019}. It signs and verifies RSASSA-PKCS1-v1_5 with SHA-256, whatever the name`]: {
    [FEDIFY]: [['the algorithm hs2019', TIMES], 'own algorithm', 'no']
  },
  [`${NO_LIST}. It signs and verifies Date, as early drafts had it`]: {
    [PEERTUBE]: ['no list', 'signature-parameter-missing', 'no']
  },
  [`${NO_LIST}. It writes this list`]: { [SIGNATURES]: ['no list', 'own list', 'yes'] },
  [`${NO_LIST}. It demands a list, and only has rsa-sha256`]: { [FEDIFY]: ['no list', 'own algorithm', 'no'] },
  [`${NO_LIST}. It demands a list`]: {
    [MISSKEY]: [
      'no list',
      "throws: Cannot read properties of undefined (reading 'map')",
      'throws: Signature header content lacked: headers'
    ]
  },
  'draft section 2.3: (created) and (expires) need their parameters. It signs the word undefined': {
    [MISSKEY]: [TIMES, 'signature-parameter-missing', 'yes']
  },
  'draft sections 2.1.4 and 2.1.5: the times are numbers. Without quotes it reads only the first digit': {
    [MISSKEY]: [TIMES, 'yes', 'throws: Clock skew is invalid (expires)']
  },
  'draft sections 2.1.4 and 2.1.5: the times are numbers. It writes and reads them as strings in quotes': {
    [BAZAAR]: [['no list', TIMES], 'signature-malformed', 'throws: bad param format']
  },
  [`${SECTION_2_3}: an empty value gives the name, a colon and a space. It takes the header for missing`]: {
    ...each([JOYENT, PEERTUBE], 'an empty value', 'throws: x-empty was not in the request', 'yes')
  },
  [`${JOINED}. It takes a dictionary with one value for a name`]: {
    [PYTHON]: [REPEATED, ...both('joined by the test')]
  },
  [`${JOINED}. It signs the array of the values as JavaScript writes it, without the space`]: {
    ...each([JOYENT, PEERTUBE], REPEATED, 'signature-mismatch', 'yes')
  },
  [`${JOINED}. It takes the array of the values as JavaScript writes it, without the space`]: {
    [MISSKEY]: [REPEATED, 'signature-mismatch', 'no']
  },
  [`${JOINED}. ${NODE}`]: {
    ...each([JOYENT, PEERTUBE], REPEATED, 'yes', 'joined by the test'),
    [ACTIVITYPUB]: [REPEATED, ...both('joined by the test')]
  },
  [`${TRIMMED}. It takes values as they are`]: { [PYTHON]: [SPACE, 'signature-mismatch', 'no'] },
  [`${TRIMMED}. It signs values as they are`]: {
    ...each([JOYENT, PEERTUBE, MISSKEY], SPACE, 'signature-mismatch', 'yes')
  },
  [`${TRIMMED}. It takes the rawHeaders of node:http`]: { [MISSKEY]: [SPACE, 'yes', 'trimmed by the test'] },
  [`${TRIMMED}. ${NODE}`]: {
    ...each([JOYENT, PEERTUBE], SPACE, 'yes', 'trimmed by the test'),
    [ACTIVITYPUB]: [SPACE, ...both('trimmed by the test')]
  },
  [`${OCTETS}. It only takes ASCII`]: { [PYTHON]: ['octets above ASCII in a value', ...both(NOT_ASCII)] },
  [`${OCTETS}. It signs their UTF-8`]: each(
    [JOYENT, PEERTUBE, ACTIVITYPUB, MISSKEY, SIGNATURES, FEDIFY],
    'octets above ASCII in a value',
    'signature-mismatch',
    'no'
  ),
  [PROPERTY]: {
    [MISSKEY]: [
      'a header named like a property of objects',
      'yes',
      'throws: dst[toStringOrToLc(...)].push is not a function'
    ],
    [BAZAAR]: [
      'a header named like a property of objects',
      'throws: function Object() { [native code] } was not found in `requestOptions.headers`',
      'throws: function Object() { [native code] } was not in the request'
    ]
  },
  [`${SECTION_2_3}: the target as it is sent. ${URL_CLASS}`]: {
    [ACTIVITYPUB]: [DOTS, 'signature-mismatch', 'yes'],
    [SIGNATURES]: [DOTS, 'signature-mismatch', 'no']
  },
  [`${SECTION_2_3}: the target has the query. It signs the path that the URL class makes, without the query`]: {
    [FEDIFY]: [['a target with a query', DOTS], 'signature-mismatch', 'no']
  },
  'RFC 9110 section 9.1: methods are case-sensitive, and the signing string is not. We refuse one that is not its own upper case':
    {
      ...each(
        [PYTHON, JOYENT, PEERTUBE, ACTIVITYPUB, MISSKEY, BAZAAR, SIGNATURES],
        'a method in lower case',
        'request-malformed',
        'yes'
      )
    },
  [`RFC 3230 section 4.3.2: the digest is of the body. ${NO_DIGEST}`]: {
    ...each([PYTHON, JOYENT, PEERTUBE, ACTIVITYPUB, BAZAAR, SIGNATURES], ...NO_BODY)
  }
}

const SIG = 'http-message-sig'
const BOT = 'web-bot-auth'
const PARAMETERS = ['a field with sf', 'members of a field with key', 'repeated lines with bs']
const QUERY_PARAM = 'RFC 9421 section 2.2.8: @query-param'
const IS_MISSING = 'It says that it does not have it'

const RFC9421: Limits = {
  'RFC 9421 section 2.2.1: the method is not changed. It puts it in upper case': {
    ...each([SIGNATURES, FEDIFY, BOT], 'a method in lower case', 'signature-mismatch', 'no')
  },
  'RFC 9421 section 2.2.2: the target URI of the request. It takes what the URL class makes of it': {
    [FEDIFY]: [DOTS, 'signature-mismatch', 'no']
  },
  'RFC 9421 section 2.2.5: the target alone. It writes the method in front': {
    [FEDIFY]: [['the request target', SERVICE], 'yes', 'no']
  },
  'RFC 9421 section 2.2.7: the query begins with the question mark. It leaves this out': {
    [FEDIFY]: ['path and query', 'yes', 'no']
  },
  'RFC 9421 section 2.2.7: a query that is not there is a question mark alone. It signs an empty value': {
    [BOT]: ['path and query', 'signature-mismatch', 'no']
  },
  'RFC 9421 section 3.3.1: the salt has 64 octets. It signs with the longest that fits': {
    [SIGNATURES]: ['the algorithm rsa-pss-sha512', 'signature-mismatch', 'yes']
  },
  'RFC 9421 section 3.3: an application says which algorithms there are. It has one for the key of an actor': {
    [FEDIFY]: [['the algorithm rsa-pss-sha512', 'the algorithm ed25519'], 'own algorithm', 'no']
  },
  'RFC 9421 section 1.4: an application says which components are covered. Its list is always the same': {
    [FEDIFY]: [
      [
        'the usual components',
        'another order',
        'path and query',
        'the request target',
        SERVICE,
        'an empty list',
        'query parameters',
        ...PARAMETERS,
        'an empty value',
        ...REPEATED,
        SPACE
      ],
      'own list',
      'yes'
    ]
  },
  'RFC 9421 sections 2.1 and 2.2.8: parameters are a part of the component. It drops them': {
    [FEDIFY]: [['query parameters', ...PARAMETERS], 'yes', 'no']
  },
  'RFC 9421 sections 2.1.1, 2.1.2 and 2.1.3: sf, key and bs say how the value is written. It ignores them': {
    [BOT]: [PARAMETERS, 'signature-mismatch', 'no']
  },
  [`${QUERY_PARAM}. ${IS_MISSING}`]: {
    [SIG]: ['query parameters', ...both('throws: @query-param is not supported')]
  },
  [`RFC 9421 section 2.1.1: sf. ${IS_MISSING}`]: {
    [SIG]: ['a field with sf', ...both('throws: sf is not supported')]
  },
  [`RFC 9421 section 2.1.3: bs. ${IS_MISSING}`]: {
    [SIG]: ['repeated lines with bs', ...both('throws: bs is not supported')]
  },
  [`${QUERY_PARAM}. It does not have it`]: {
    [BOT]: ['query parameters', ...both('throws: Unknown specialty component @query-param')]
  },
  'draft-meunier-web-bot-auth-architecture-04 section 4.2: a signature must have expires and tag="web-bot-auth". The service sets neither':
    { [BOT]: [SERVICE, 'yes', "throws: tag must be 'web-bot-auth'"] },
  'RFC 9421 section 2.1: white space around a value is left out, white space inside is kept. It keeps the outer, and makes one space of two':
    { [BOT]: [SPACE, 'signature-mismatch', 'no'] },
  [`RFC 9530 section 2: the digest is of the content. ${NO_DIGEST}`]: each([SIGNATURES, SIG, BOT], ...NO_BODY)
}

export const LIMITS: Readonly<Record<Peer['scheme'], Limits>> = { 'draft-cavage': DRAFT, rfc9421: RFC9421 }

/** Returns the reason and the outcome when a case with a peer is not `yes`, else undefined. */
export function limitFor({ name, scheme }: Peer, one: string, direction: Direction) {
  const found = Object.entries(LIMITS[scheme]).flatMap(([reason, { [name]: row }]) => {
    const [cases = [], theySign, weSign] = row ?? []
    const outcome = direction === 'theySign' ? theySign : weSign
    return [cases].flat().includes(one) && outcome !== undefined && outcome !== 'yes' ? [{ reason, outcome }] : []
  })
  if (found.length > 1) throw new Error(`${name}, ${one}, ${direction}: ${found.length} limits`)
  return found[0]
}
