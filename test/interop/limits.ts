import type { Peer } from './peers/peer.ts'

/** What a peer cannot do, or does otherwise than the standard says. */
interface Limit {
  peers: readonly string[]
  scheme: Peer['scheme']
  /** the cases, all of them when there are none */
  cases?: readonly string[]
  directions: readonly ('theySign' | 'weSign')[]
  reason: string
}

const BOTH = ['theySign', 'weSign'] as const
const SECTION_2_3 = 'draft section 2.3'

export const LIMITS: readonly Limit[] = [
  {
    peers: [
      'python3-httpsig',
      'http-signature',
      '@peertube/http-signature',
      'activitypub-http-signatures',
      '@misskey-dev/node-http-message-signatures',
      'http-message-signatures',
      '@fedify/fedify'
    ],
    scheme: 'draft-cavage',
    cases: ['octets above ASCII in a value'],
    directions: BOTH,
    reason: 'RFC 9110 section 5.5: a value is octets. It signs their UTF-8, or takes ASCII alone'
  },
  {
    peers: ['python3-httpsig'],
    scheme: 'draft-cavage',
    cases: ['names in the list in mixed case'],
    directions: ['weSign'],
    reason: `${SECTION_2_3}: names are compared in lower case. It looks its required names up as the list writes them`
  },
  {
    peers: ['activitypub-http-signatures'],
    scheme: 'draft-cavage',
    cases: ['names in the list in mixed case'],
    directions: BOTH,
    reason: `${SECTION_2_3}: names are compared in lower case. It looks headers up as the list writes them`
  },
  {
    peers: ['http-signature', '@peertube/http-signature'],
    scheme: 'draft-cavage',
    cases: ['an empty value'],
    directions: ['theySign'],
    reason: `${SECTION_2_3}: an empty value gives the name, a colon and a space. It takes the header for missing`
  },
  {
    peers: ['activitypub-http-signatures'],
    scheme: 'draft-cavage',
    cases: ['a target with dot segments and escapes'],
    directions: ['theySign'],
    reason: `${SECTION_2_3}: the target as it is sent. It signs what the URL class makes of it`
  },
  {
    peers: ['http-message-signatures'],
    scheme: 'draft-cavage',
    cases: ['a target with dot segments and escapes'],
    directions: BOTH,
    reason: `${SECTION_2_3}: the target as it is sent. It signs what the URL class makes of it`
  },
  {
    peers: ['@digitalbazaar/http-signature-header'],
    scheme: 'draft-cavage',
    cases: ['a header named like a property of objects'],
    directions: BOTH,
    reason: 'RFC 9110 section 5.1: any token is a name. It finds the property of its own object'
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'draft-cavage',
    cases: ['a target with a query', 'a target with dot segments and escapes'],
    directions: BOTH,
    reason: `${SECTION_2_3}: the target has the query. It signs the path that the URL class makes, without the query`
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'draft-cavage',
    cases: ['names in the list in mixed case'],
    directions: ['weSign'],
    reason: `${SECTION_2_3}: names are compared in lower case. It looks its required names up as the list writes them`
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'rfc9421',
    cases: ['a target with dot segments and escapes'],
    directions: BOTH,
    reason: 'RFC 9421 section 2.2.2: the target URI of the request. It takes what the URL class makes of it'
  },
  {
    peers: ['@fedify/fedify'],
    scheme: 'rfc9421',
    cases: ['path and query', 'the request target'],
    directions: ['weSign'],
    reason:
      'RFC 9421 sections 2.2.5 and 2.2.7: it writes @query without the question mark, and @request-target with the method in front'
  },
  {
    peers: ['@fedify/fedify', 'http-message-signatures'],
    scheme: 'rfc9421',
    cases: ['a method in lower case'],
    directions: BOTH,
    reason:
      'RFC 9421 section 2.2.1: the method is not changed. It is put in upper case (by the Request class, or by itself)'
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['a method in lower case'],
    directions: ['theySign'],
    reason: 'RFC 9421 section 2.2.1: the method is not changed. It puts it in upper case'
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['path and query'],
    directions: ['theySign'],
    reason:
      'RFC 9421 section 2.2.7: a query that is not there is a question mark alone. It signs an empty value'
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    cases: ['white space around a value'],
    directions: ['theySign'],
    reason: 'RFC 9421 section 2.1: white space inside a value is kept. It makes one space of two'
  },
  {
    peers: ['web-bot-auth'],
    scheme: 'rfc9421',
    directions: ['weSign'],
    reason: 'its own profile asks for tag="web-bot-auth" and expires, which the service does not set'
  }
]

export const limitFor = (peer: Peer, name: string, direction: 'theySign' | 'weSign'): string | undefined =>
  LIMITS.find(
    ({ peers, scheme, cases, directions }) =>
      peers.includes(peer.name) &&
      scheme === peer.scheme &&
      (cases === undefined || cases.includes(name)) &&
      directions.includes(direction)
  )?.reason
