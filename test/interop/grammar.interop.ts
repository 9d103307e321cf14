import { expect, test } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { BODY, RECEIVER, requestOf } from '../support/senders.ts'
import type { Case, Line } from './cases.ts'
import { activitypub } from './peers/activitypub.ts'
import { digitalbazaar } from './peers/digitalbazaar.ts'
import { httpSignature } from './peers/http-signature.ts'
import { misskey } from './peers/misskey.ts'
import type { Peer } from './peers/peer.ts'

/** Four libraries of the draft, under short names. Their licences are MIT, BSD and ISC; they are run as they are. */
const PEERS = { http: httpSignature, bazaar: digitalbazaar, activitypub, misskey } satisfies Record<string, Peer>
type Name = keyof typeof PEERS

/**
 * A form of the Signature header, most of them those of the libraries' own parser tests; our verdict; which libraries
 * accept it; and who is right, by which clause, where the answers differ.
 */
type Row = readonly [
  form: string,
  change: (header: string) => string,
  ours: string,
  accept: readonly Name[],
  why: string
]

const all: readonly Name[] = ['http', 'bazaar', 'activitypub', 'misskey']
const replace = (from: string | RegExp, to: string) => (header: string) => header.replace(from, to)

const ROWS: readonly Row[] = [
  ['as the draft writes it', header => header, 'verified', all, 'all agree'],
  ['a name alone', () => 'foo', 'signature-malformed', [], 'all agree'],
  ['keyId without a value', () => 'keyId=', 'signature-malformed', [], 'all agree'],
  [
    'keyId without quotes',
    replace(/keyId="([^"]*)"/, 'keyId=$1'),
    'verified',
    ['activitypub', 'misskey'],
    'we are: RFC 9110 section 11.2, a token and a quoted string are equivalent'
  ],
  [
    'algorithm without quotes',
    replace('"rsa-sha256"', 'rsa-sha256'),
    'verified',
    ['activitypub'],
    'we are: RFC 9110 section 11.2'
  ],
  [
    'a quoted name',
    replace('keyId=', '"keyId"='),
    'signature-malformed',
    ['activitypub'],
    'we are: RFC 9110 section 11.2, a name is a token'
  ],
  [
    'a name with a space',
    replace('keyId', 'key Id'),
    'signature-malformed',
    ['activitypub'],
    'we are: RFC 9110 section 11.2, a name is a token'
  ],
  [
    'no algorithm',
    replace('algorithm="rsa-sha256",', ''),
    'verified',
    ['bazaar', 'activitypub'],
    'we are: draft section 2.1.3, it is optional'
  ],
  [
    'algorithm without a value',
    replace('algorithm="rsa-sha256"', 'algorithm='),
    'signature-malformed',
    ['activitypub'],
    'we are: RFC 9110 section 11.2, a value is not empty'
  ],
  [
    'algorithm in capitals',
    replace('rsa-sha256', 'RSA-sha256'),
    'verified',
    ['http', 'bazaar', 'misskey'],
    'the draft does not say; writers do it, and readers cannot differ'
  ],
  [
    'names of headers in capitals',
    replace('host date', 'hOsT Date'),
    'verified',
    ['http', 'bazaar', 'misskey'],
    'we are: draft section 2.3, names are in lower case in the string'
  ],
  ['an unknown parameter', replace('headers=', 'x="blah blah",headers='), 'verified', all, 'all agree'],
  ['a comma in an unknown parameter', replace('headers=', 'x="a,b",headers='), 'verified', all, 'all agree'],
  [
    'white space behind commas',
    replace(/",/g, '", '),
    'verified',
    ['activitypub', 'misskey'],
    'we are: RFC 9110 section 5.6.1'
  ],
  [
    'white space around the equals sign',
    replace('keyId=', 'keyId = '),
    'verified',
    ['activitypub'],
    'we are: RFC 9110 sections 11.2 and 5.6.3, a recipient must parse it'
  ],
  ['a comma at the end', replace(/$/, ','), 'verified', all, 'all agree'],
  [
    'two commas',
    replace('",alg', '",,alg'),
    'verified',
    ['activitypub', 'misskey'],
    'we are: RFC 9110 section 5.6.1.2, empty elements must be ignored'
  ],
  [
    'keyid',
    replace('keyId', 'keyid'),
    'verified',
    ['activitypub'],
    'we are: RFC 9110 section 11.2, names have no case'
  ],
  [
    'keyId twice',
    replace(/$/, ',keyId="two._domainkey.service.example"'),
    'signature-parameter-repeated',
    all,
    'we are: draft section 2.2, it must not be there twice'
  ],
  [
    'a quote with a backslash in an unknown parameter',
    replace('headers=', 'x="a\\"b",headers='),
    'verified',
    ['activitypub'],
    'we are: RFC 9110 section 5.6.4'
  ],
  ['no closing quote', replace(/"$/, ''), 'signature-malformed', [], 'all agree'],
  [
    'a signature without padding',
    replace(/=+"$/, '"'),
    'signature-not-base64',
    ['http', 'bazaar', 'activitypub'],
    'we are: RFC 4648 section 3.2, padding is required unless a specification says otherwise'
  ],
  [
    'a space in the signature',
    replace(/(signature=".{20})/, '$1 '),
    'signature-not-base64',
    ['http', 'bazaar', 'activitypub'],
    'we are: RFC 4648 section 3.3, other characters must be refused'
  ],
  [
    'a signature in base64url',
    header => header.replace(/signature=".*"/, text => text.replaceAll('+', '-').replaceAll('/', '_')),
    'signature-not-base64',
    ['http', 'bazaar', 'activitypub'],
    'we are: draft section 2.1.2, RFC 4648 section 4'
  ],
  [
    'two spaces in headers',
    replace('host date', 'host  date'),
    'signature-malformed',
    ['bazaar', 'activitypub'],
    'we are: draft section 2.1.6, a single space'
  ],
  ['no names in headers', replace(/headers="[^"]*"/, 'headers=""'), 'signature-malformed', [], 'all agree'],
  [
    'expires in the past',
    replace('headers=', 'expires=1,headers='),
    'signature-expired',
    ['activitypub'],
    'we are: draft section 2.1.5'
  ],
  [
    'created in quotes',
    replace('headers=', 'created="1",headers='),
    'signature-malformed',
    all,
    'draft section 2.1.4 makes it an integer, section 2.2 lets a reader ignore it: we refuse what readers differ about'
  ],
  [
    'an unknown name alone',
    replace('headers=', 'foo,headers='),
    'verified',
    ['activitypub'],
    'we are: draft section 2.2, it must be ignored'
  ],
  [
    'the scheme of Authorization in front',
    replace(/^/, 'Signature '),
    'signature-malformed',
    ['activitypub'],
    'we are: draft section 4.1, the value has no scheme'
  ]
]

async function accepts(peer: Peer, { method, target, headers }: ReturnType<typeof requestOf>): Promise<boolean> {
  const one = { method, target, covered: ['(request-target)'], algorithm: 'rsa-sha256', body: BODY } as unknown as Case
  try {
    return await peer.verify(one, headers as readonly Line[])
  } catch {
    return false
  }
}

test.each(ROWS)('a Signature header: %s', async (_, change, ours, accept, why) => {
  const request = requestOf({ headers: { Date: new Date().toUTCString() }, header: change })
  const { failures } = await createVerifier({ ...RECEIVER, now: Date.now })(request)
  expect(failures[0]?.code ?? 'verified').toBe(ours)
  const accepted: Name[] = []
  for (const name of all) if (await accepts(PEERS[name], request)) accepted.push(name)
  expect(accepted, why).toEqual(accept)
})
