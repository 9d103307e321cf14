import { rsaPublicKey, rsaSpki } from '../../vectors/build/der.ts'
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
} from '../../vectors/build/keys.ts'

/** A way to write one part of a record; the first of each part is the usual one. */
export interface Variant {
  name: string
  /** the clause that decides whether it is good */
  clause: string
  text: string
}

export interface Sample {
  /** the names of what is unusual in it */
  variants: readonly Variant[]
  record: string
  key: TestKey
}

const variants = (clause: string, ...texts: readonly (readonly [name: string, text: string])[]): Variant[] =>
  texts.map(([name, text]) => ({ name, clause, text }))

const TAGS = 'RFC 6376 section 3.6.1'
const LIST = 'RFC 6376 section 3.2'

const V = variants(
  `${TAGS}: v= must be DKIM1, compared exactly`,
  ['v=DKIM1', 'v=DKIM1; '],
  ['no v=', ''],
  ['v=DKIM1.0', 'v=DKIM1.0; '],
  ['v=dkim1', 'v=dkim1; '],
  ['v= empty', 'v=; '],
  ['v=DKIM2', 'v=DKIM2; ']
)
const K = variants(
  `${TAGS}: k= is a key type, case-sensitive as all values (section 3.2)`,
  ['k=rsa', 'k=rsa; '],
  ['no k=', ''],
  ['k=RSA', 'k=RSA; '],
  ['k= empty', 'k=; '],
  ['k=dsa', 'k=dsa; '],
  ['k=ed25519 over RSA', 'k=ed25519; ']
)
const H = variants(
  `${TAGS}: h= lists the acceptable hashes with white space around colons; the one in use must be among them`,
  ['no h=', ''],
  ['h=sha256', 'h=sha256; '],
  ['h=sha1', 'h=sha1; '],
  ['h=sha1:sha256', 'h=sha1:sha256; '],
  ['h=sha1 : sha256', 'h=sha1 : sha256; '],
  ['h=foo:sha256', 'h=foo:sha256; '],
  ['h=sha512', 'h=sha512; '],
  ['h= empty', 'h=; ']
)
const S = variants(
  `${TAGS}: s= lists services; a record for none of ours must be ignored`,
  ['no s=', ''],
  ['s=*', 's=*; '],
  ['s=email', 's=email; '],
  ['s=tlsrpt:email', 's=tlsrpt:email; '],
  ['s=tlsrpt', 's=tlsrpt; '],
  ['s=foo', 's=foo; '],
  ['s= empty', 's=; ']
)
const T = variants(
  `${TAGS}: with t=y a message must not be treated differently from an unsigned one`,
  ['no t=', ''],
  ['t=s', 't=s; '],
  ['t=x', 't=x; '],
  ['t=y', 't=y; '],
  ['t=s:y', 't=s:y; '],
  ['t= empty', 't=; ']
)
const N = variants(
  `${TAGS}, n= and unknown tags`,
  ['no n=', ''],
  ['n=note', 'n=a note; '],
  ['g=*', 'g=*; '],
  ['an unknown tag', 'x=y; '],
  ['a name with an underscore', 'x_1=y; ']
)
const [p, pkcs1] = [ONE.p, rsaPublicKey(modulusOf(ONE), 65537n).toString('base64')]
const spki = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const P = [
  ...variants(
    `${TAGS}: p= is required, empty when revoked`,
    ['p= of the key', `p=${p}`],
    ['no p=', 'q=x'],
    ['p= empty', 'p='],
    ['p= of white space', 'p=   ']
  ),
  ...variants(
    `${TAGS}: p= is base64; RFC 4648 section 3: other characters and what is left over are refused`,
    ['p= with spaces', `p=${p.replace(/.{40}/g, '$& ')}`],
    ['p= folded', `p=${p.replace(/.{60}/g, '$&\r\n ')}`],
    ['p= with padding that does not belong', `p=${p}=`],
    ['p= in the URL alphabet', `p=${p.replaceAll('+', '-').replaceAll('/', '_')}`],
    ['p= with another character', `p=${p.slice(0, 20)}!${p.slice(20)}`],
    ['p= with text after it', `p=${p}!!`],
    ['p= cut off', `p=${p.slice(0, 40)}`],
    ['p= with octets after the key', `p=${spki(Buffer.concat([Buffer.from(p, 'base64'), Buffer.alloc(3)]))}`]
  ),
  ...variants('RFC 6376 erratum 3017: RSAPublicKey is the form that the text names', [
    'p= as RSAPublicKey',
    `p=${pkcs1}`
  ]),
  ...variants(
    'RFC 8017 section 3.1: the exponent is odd and at least 3',
    ['p= with exponent 1', `p=${spki(rsaSpki(modulusOf(ONE), 1n))}`],
    ['p= with an even exponent', `p=${spki(rsaSpki(modulusOf(ONE), 65536n))}`]
  ),
  ...variants('the signature', ['p= of another key', `p=${TWO.p}`])
]
const PARTS = [V, K, H, S, T, N, P] as const

/** The whole record written otherwise. */
const FORMS = [
  ...variants(LIST, ['a semicolon at the end', '%;'], ['a semicolon and a space at the end', '%; ']),
  ...variants(
    `${LIST}: one semicolon between tags, one at the end`,
    ['two semicolons at the end', '%;;'],
    ['two semicolons inside', 'v=DKIM1;; k=rsa; p=P']
  ),
  ...variants(
    LIST,
    ['no spaces', 'v=DKIM1;k=rsa;p=P'],
    ['white space around everything', ' v = DKIM1 ; k = rsa ; p = P '],
    ['tabs and folds', 'v=DKIM1;\r\n\tk=rsa;\r\n\tp=P']
  ),
  ...variants(
    `${LIST}: tags with duplicate names must not occur`,
    ['p= twice', '%; p=P'],
    ['k= twice', 'v=DKIM1; k=rsa; k=rsa; p=P'],
    ['v= twice', 'v=DKIM1; v=DKIM1; p=P']
  ),
  ...variants(
    `${TAGS}: v= must be the first tag`,
    ['v= not first', 'k=rsa; v=DKIM1; p=P'],
    ['v= last', 'k=rsa; p=P; v=DKIM1']
  ),
  ...variants(
    `${LIST}: a tag is a name, an equals sign and a value; names are case-sensitive`,
    ['a tag without equals', 'v=DKIM1; k; p=P'],
    ['quotes around it', '"%"'],
    ['escaped semicolons', 'v=DKIM1\\; k=rsa\\; p=P'],
    ['names in upper case', 'V=DKIM1; K=rsa; P=P'],
    ['a NUL', 'v=DKIM1; k=rsa\0; p=P'],
    ['text in front', 'hello; %'],
    ['nothing', ' ']
  ),
  ...variants(LIST, ['p= first', 'p=P; k=rsa'], ['p= alone', 'p=P'])
]

const KEYS: readonly (readonly [name: string, clause: string, key: TestKey, record?: string])[] = [
  ['an RSA key of 512 bits', 'RFC 8301 section 3.2: no keys below 1024 bits', RSA_512],
  ['an RSA key of 1023 bits', 'RFC 8301 section 3.2: no keys below 1024 bits', RSA_1023],
  ['an RSA key of 1024 bits', 'RFC 8301 section 3.2', RSA_1024],
  ['an RSA key with exponent 3', 'RFC 8017 section 3.1', EXPONENT_3],
  ['an Ed25519 key', 'RFC 8463 section 4: Ed25519 keys', ED25519],
  [
    'an Ed25519 key with h=sha256',
    'RFC 8463 section 3: Ed25519 with SHA-256',
    ED25519,
    `v=DKIM1; k=ed25519; h=sha256; p=${ED25519.p}`
  ],
  ['an Ed25519 key as k=rsa', 'RFC 8463 section 4', ED25519, `v=DKIM1; k=rsa; p=${ED25519.p}`]
]

/** Each variant alone, each pair of variants of two parts, and what is written otherwise as a whole. */
export function samples(): Sample[] {
  const usual = PARTS.map(part => part[0]!)
  const build = (changed: readonly (readonly [part: number, variant: Variant])[]): Sample => {
    const parts = usual.map((variant, at) => changed.find(([part]) => part === at)?.[1] ?? variant)
    return {
      variants: changed.map(([, variant]) => variant),
      record: parts.map(({ text }) => text).join(''),
      key: ONE
    }
  }
  const single = PARTS.flatMap((part, at) => part.slice(1).map(variant => [at, variant] as const))
  const pairs = single.flatMap((one, at) =>
    single.slice(at + 1).flatMap(two => (one[0] === two[0] ? [] : [[one, two]]))
  )
  const whole = FORMS.map(variant => ({
    variants: [variant],
    record: variant.text.replace('%', `v=DKIM1; k=rsa; p=${p}`).replace(/\b([pP])=P\b/g, `$1=${p}`),
    key: ONE
  }))
  const keys = KEYS.map(([name, clause, key, record = key.record]) => ({
    variants: [{ name, clause, text: '' }],
    record,
    key
  }))
  // Every third pair: a few hundred are enough.
  return [
    build([]),
    ...single.map(one => build([one])),
    ...whole,
    ...keys,
    ...pairs.filter((_, at) => at % 3 === 0).map(build)
  ]
}
