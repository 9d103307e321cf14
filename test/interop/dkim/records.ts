import { rsaPublicKey, rsaSpki } from '../../../fixtures/source/der.ts'
import {
  ED25519,
  EXPONENT_3,
  modulusOf,
  ONE,
  RSA_512,
  RSA_1023,
  RSA_1024,
  type TestKey,
  TWO
} from '../../../fixtures/source/keys.ts'

/** A form of one part of a record; the first of each part is the usual one. */
export interface Variant {
  name: string
  /** the clause that decides whether this form is valid */
  clause: string
  text: string
}

export interface Sample {
  /** the names of its unusual parts */
  variants: readonly Variant[]
  /** the TXT records at the name, each as its character-strings */
  answer: readonly (readonly string[])[]
  key: TestKey
}

const variant = (name: string, text: string, clause: string): Variant => ({ name, text, clause })

const TAGS = 'RFC 6376 section 3.6.1'
const LIST = 'RFC 6376 section 3.2'

const VERSION = `${TAGS}: v= is compared as a string, and a record with another value than DKIM1 is discarded`
const V = [
  variant('v=DKIM1', 'v=DKIM1; ', VERSION),
  variant('no v=', '', `${TAGS}: without v= it is DKIM1`),
  variant('v=DKIM1.0', 'v=DKIM1.0; ', VERSION),
  variant('v=dkim1', 'v=dkim1; ', VERSION),
  variant('v= empty', 'v=; ', VERSION),
  variant('v=DKIM2', 'v=DKIM2; ', VERSION)
]
const TYPE = `${TAGS}: unrecognized key types are ignored`
const K = [
  variant('k=rsa', 'k=rsa; ', `${TAGS}: k=rsa`),
  variant('no k=', '', `${TAGS}: without k= it is rsa`),
  variant('k=RSA', 'k=RSA; ', `${LIST}: values are case-sensitive, so this is not the type rsa`),
  variant('k= empty', 'k=; ', `${TAGS}: key-k-tag-type is a word, so an empty one is not a type`),
  variant('k=dsa', 'k=dsa; ', TYPE),
  variant('k=ed25519 over RSA', 'k=ed25519; ', 'RFC 8463 section 4.2: with k=ed25519, p= is the 32 octets of a key')
]
const HASH_IN_USE = 'RFC 6376 section 6.1.2: a record with an h= that does not list the hash in use is ignored'
const H = [
  variant('no h=', '', `${TAGS}: without h= all hashes are allowed`),
  variant('h=sha256', 'h=sha256; ', HASH_IN_USE),
  variant('h=sha1', 'h=sha1; ', HASH_IN_USE),
  variant('h=sha1:sha256', 'h=sha1:sha256; ', HASH_IN_USE),
  variant('h=sha1 : sha256', 'h=sha1 : sha256; ', `${TAGS}: in key-h-tag, white space may stand around the colons`),
  variant('h=foo:sha256', 'h=foo:sha256; ', `${TAGS}: unrecognized hashes in h= are ignored`),
  variant('h=sha512', 'h=sha512; ', HASH_IN_USE),
  variant('h= empty', 'h=; ', `${TAGS}: key-h-tag has a hash at least; an empty one allows none`)
]
const SERVICES = `${TAGS}: a record whose s= does not list the service is ignored`
const S = [
  variant('no s=', '', `${TAGS}: without s= all services are allowed`),
  variant('s=*', 's=*; ', `${TAGS}: s=* is all services`),
  variant('s=email', 's=email; ', SERVICES),
  variant('s=tlsrpt:email', 's=tlsrpt:email; ', `${TAGS}: s= is a list with colons, and email is in this one`),
  variant('s=tlsrpt', 's=tlsrpt; ', SERVICES),
  variant('s=foo', 's=foo; ', SERVICES),
  variant('s= empty', 's=; ', `${TAGS}: key-s-tag has a service at least; an empty one allows none`)
]
const TESTING = `${TAGS}: with the flag y a message must not be treated differently from an unsigned one`
const T = [
  variant('no t=', '', `${TAGS}: t= is optional`),
  variant('t=s', 't=s; ', `${TAGS}: the flag s is about subdomains in i=`),
  variant('t=x', 't=x; ', `${TAGS}: unrecognized flags are ignored`),
  variant('t=y', 't=y; ', TESTING),
  variant('t=s:y', 't=s:y; ', `${TESTING}, wherever it stands in the list`),
  variant('t= empty', 't=; ', `${TAGS}: unrecognized flags are ignored`)
]
const UNKNOWN = `${LIST}: unrecognized tags are ignored`
const N = [
  variant('no n=', '', `${TAGS}: n= is optional`),
  variant('n=note', 'n=a note; ', `${TAGS}: n= is for people, and no program interprets it`),
  variant('g=*', 'g=*; ', UNKNOWN),
  variant('an unknown tag', 'x=y; ', UNKNOWN),
  variant('a name with an underscore', 'x_1=y; ', `${LIST}: a tag name may have underscores`)
]
const [p, pkcs1] = [ONE.p, rsaPublicKey(modulusOf(ONE), 65537n).toString('base64')]
const spki = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const WHITE_SPACE = 'RFC 6376 section 2.10: white space inside base64 is ignored'
const ALPHABET =
  'RFC 4648 section 3.3: data with a character outside the alphabet is rejected; RFC 6376 section 2.10 allows white space alone'
const EXPONENT =
  'RFC 8017 section 3.1: the exponent is between 3 and n - 1 and has no factor in common with lambda(n), which is even'
const P = [
  variant('p= of the key', `p=${p}`, `${TAGS}: p=`),
  variant('no p=', 'q=x', `${TAGS}: p= is required`),
  variant('p= empty', 'p=', `${TAGS}: with an empty p= the key is revoked`),
  variant(
    'p= of white space',
    'p=   ',
    `${LIST}: white space around a value is not a part of it, so the key is revoked`
  ),
  variant('p= with spaces', `p=${p.replace(/.{40}/g, '$& ')}`, WHITE_SPACE),
  variant('p= folded', `p=${p.replace(/.{60}/g, '$&\r\n ')}`, WHITE_SPACE),
  variant(
    'p= with padding that does not belong',
    `p=${p}=`,
    'RFC 4648 section 4: after a final quantum of 24 bits there is no padding'
  ),
  variant('p= in the URL alphabet', `p=${p.replaceAll('+', '-').replaceAll('/', '_')}`, ALPHABET),
  variant('p= with another character', `p=${p.slice(0, 20)}!${p.slice(20)}`, ALPHABET),
  variant('p= with text after it', `p=${p}!!`, ALPHABET),
  variant('p= cut off', `p=${p.slice(0, 40)}`, 'ITU-T X.690 section 8.1.3: the length says how many octets follow'),
  variant(
    'p= with octets after the key',
    `p=${spki(Buffer.concat([Buffer.from(p, 'base64'), Buffer.alloc(3)]))}`,
    `${TAGS}: p= is one DER-encoded key; by ITU-T X.690 section 8.1.1 its encoding ends with its contents`
  ),
  variant('p= as RSAPublicKey', `p=${pkcs1}`, 'RFC 6376 erratum 3017: RSAPublicKey is the form that the text names'),
  variant('p= with exponent 1', `p=${spki(rsaSpki(modulusOf(ONE), 1n))}`, EXPONENT),
  variant('p= with an even exponent', `p=${spki(rsaSpki(modulusOf(ONE), 65536n))}`, EXPONENT),
  variant('p= of another key', `p=${TWO.p}`, 'RFC 6376 section 6.1.3: the signature is verified with the key')
]
const PARTS = [V, K, H, S, T, N, P] as const

/** These write the whole record differently. */
const LAST = `${LIST}: tag-list = tag-spec *( ";" tag-spec ) [ ";" ]`
const TWICE = `${LIST}: tags with duplicate names must not occur, and such a list is invalid`
const FIRST = `${TAGS}: v=, where it is there, must be the first tag`
const NAMES = `${LIST}: a tag name begins with a letter`
const FOLDING = `${LIST}: white space may stand around names and values`
const FORMS = [
  variant('a semicolon at the end', '%;', LAST),
  variant('a semicolon and a space at the end', '%; ', LAST),
  variant('two semicolons at the end', '%;;', LAST),
  variant('two semicolons inside', 'v=DKIM1;; k=rsa; p=P', LAST),
  variant('no spaces', 'v=DKIM1;k=rsa;p=P', FOLDING),
  variant('white space around everything', ' v = DKIM1 ; k = rsa ; p = P ', FOLDING),
  variant('tabs and folds', 'v=DKIM1;\r\n\tk=rsa;\r\n\tp=P', FOLDING),
  variant('p= twice', '%; p=P', TWICE),
  variant('k= twice', 'v=DKIM1; k=rsa; k=rsa; p=P', TWICE),
  variant('v= twice', 'v=DKIM1; v=DKIM1; p=P', TWICE),
  variant('v= not first', 'k=rsa; v=DKIM1; p=P', FIRST),
  variant('v= last', 'k=rsa; p=P; v=DKIM1', FIRST),
  variant('a tag without equals', 'v=DKIM1; k; p=P', `${LIST}: a tag has an equals sign`),
  variant('quotes around it', '"%"', `${NAMES}, not with a quote`),
  variant(
    'escaped semicolons',
    'v=DKIM1\\; k=rsa\\; p=P',
    `${TAGS}: the value of v= is the string DKIM1, here it ends with a backslash`
  ),
  variant('names in upper case', 'V=DKIM1; K=rsa; P=P', `${LIST}: tag names are case-sensitive, so there is no p=`),
  variant('a NUL', 'v=DKIM1; k=rsa\0; p=P', `${LIST}: a value has printable characters alone`),
  variant('text in front', 'hello; %', `${LIST}: a tag has an equals sign`),
  variant('nothing', ' ', `${TAGS}: p= is required`),
  variant('p= first', 'p=P; k=rsa', `${LIST}: tags stand in any order`),
  variant('p= alone', 'p=P', `${TAGS}: all other tags are optional`)
]

const SIZE = 'RFC 8301 section 3.2: verifiers must not accept keys below 1024 bits'
const KEYS: readonly (readonly [name: string, clause: string, key: TestKey, record?: string])[] = [
  ['an RSA key of 512 bits', SIZE, RSA_512],
  ['an RSA key of 1023 bits', SIZE, RSA_1023],
  ['an RSA key of 1024 bits', 'RFC 8301 section 3.2: verifiers must take keys from 1024 bits', RSA_1024],
  ['an RSA key with exponent 3', 'RFC 8017 section 3.1: exponent 3 is good', EXPONENT_3],
  ['an Ed25519 key', 'RFC 8463 section 4.2: Ed25519 keys', ED25519],
  [
    'an Ed25519 key with h=sha256',
    'RFC 8463 section 3: the hash of ed25519-sha256 is SHA-256',
    ED25519,
    `v=DKIM1; k=ed25519; h=sha256; p=${ED25519.p}`
  ],
  ['an Ed25519 key as k=rsa', `${TAGS}: with k=rsa, p= is an RSA key in DER`, ED25519, `v=DKIM1; k=rsa; p=${ED25519.p}`]
]

const GOOD = ONE.record
const OTHER = TWO.record
const REVOKED = 'v=DKIM1; k=rsa; p='
const STRINGS = 'RFC 6376 section 3.6.2.2: the strings of a record are joined without white space'
const SEVERAL =
  'RFC 6376 section 3.6.2.2: with several TXT records at the name the results are undefined; by section 6.1.2 a verifier may cycle through the key records'

/** DNS replies with these character-strings of each record. */
const ANSWERS: readonly (readonly [name: string, clause: string, answer: Sample['answer']])[] = [
  ['a string for each character', STRINGS, [[...GOOD]]],
  ['strings that split a tag', STRINGS, [['v', '=DK', 'IM1; k', '=rs', 'a; p', ...chunks(`=${p}`)]]],
  ['an empty string between two', STRINGS, [['v=DKIM1; k=rsa; ', '', ...chunks(`p=${p}`)]]],
  [
    'a string that ends within a space',
    STRINGS,
    [['v=DKIM1;', ' k=rsa; ', `p=${p.slice(0, 9)} `, ...chunks(` ${p.slice(9)}`)]]
  ],
  ['two key records, the second fits', SEVERAL, [chunks(OTHER), chunks(GOOD)]],
  ['two key records, the first fits', SEVERAL, [chunks(GOOD), chunks(OTHER)]],
  ['two key records, neither fits', SEVERAL, [chunks(OTHER), chunks(EXPONENT_3.record)]],
  ['a revoked record, then the key', SEVERAL, [chunks(REVOKED), chunks(GOOD)]],
  ['the key, then a revoked record', SEVERAL, [chunks(GOOD), chunks(REVOKED)]],
  ['a malformed record, then the key', SEVERAL, [chunks('v=DKIM1; p'), chunks(GOOD)]],
  ['another text, then the key', SEVERAL, [chunks('v=spf1 -all'), chunks(GOOD)]],
  ['the key, then another text', SEVERAL, [chunks(GOOD), chunks('v=spf1 -all')]]
]

/** Splits a long record as name servers do. */
function chunks(record: string): string[] {
  return record.match(/.{1,255}/gs) ?? ['']
}

/** Returns each variant alone, pairs of variants of two parts, whole records in other forms, and DNS replies. */
export function samples(): Sample[] {
  const usual = PARTS.map(part => part[0]!)
  const build = (changed: readonly (readonly [part: number, variant: Variant])[]): Sample => {
    const parts = usual.map((variant, at) => changed.find(([part]) => part === at)?.[1] ?? variant)
    return {
      variants: changed.map(([, variant]) => variant),
      answer: [chunks(parts.map(({ text }) => text).join(''))],
      key: ONE
    }
  }
  const single = PARTS.flatMap((part, at) => part.slice(1).map(variant => [at, variant] as const))
  const pairs = single.flatMap((one, at) =>
    single.slice(at + 1).flatMap(two => (one[0] === two[0] ? [] : [[one, two]]))
  )
  const whole = FORMS.map(variant => ({
    variants: [variant],
    answer: [chunks(variant.text.replace('%', `v=DKIM1; k=rsa; p=${p}`).replace(/\b([pP])=P\b/g, `$1=${p}`))],
    key: ONE
  }))
  const keys = KEYS.map(([name, clause, key, record = key.record]) => ({
    variants: [{ name, clause, text: '' }],
    answer: [chunks(record)],
    key
  }))
  const answers = ANSWERS.map(([name, clause, answer]) => ({
    variants: [{ name, clause, text: '' }],
    answer,
    key: ONE
  }))
  // Every third pair is taken: a few hundred are enough.
  return [
    build([]),
    ...single.map(one => build([one])),
    ...whole,
    ...keys,
    ...answers,
    ...pairs.filter((_, at) => at % 3 === 0).map(build)
  ]
}
