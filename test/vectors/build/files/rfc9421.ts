import type { VectorJson } from '../../vector-form.ts'
import { addModulus } from '../der.ts'
import { EC_P256, ED25519, modulusOf, ONE } from '../keys.ts'
import { vector as draftVector, NOW_SECONDS, sha256, sha512, txt } from '../recipe.ts'
import { BODY, DIGEST, ED25519_NAME, LINES, type Rfc9421Recipe, RSA_NAME, vector, write } from '../recipe-rfc9421.ts'
import { signText } from '../sign.ts'
import { rejected, VERIFIED } from '../verdicts.ts'
import { CHOICE } from './schemes.ts'

const RFC = 'RFC 9421'
const BASE = `${RFC} section 2.5`
const REQUIRED = `${RFC} section 7.2.1: method, target, authority, account and digest must be covered`
const SEVERAL = `${RFC} section 3.2: of several signatures, the one with a key of the service`
const DIGESTS = 'RFC 9530 section 2'

const MALFORMED = rejected('signature-malformed')
const INSUFFICIENT = rejected('coverage-insufficient')
const ABSENT = rejected('coverage-absent')
const MISMATCH = rejected('signature-mismatch')

const verified = (name: string, recipe: Rfc9421Recipe = {}): VectorJson => vector(name, VERIFIED, recipe)

/** A component beside the ordinary ones, with this value in the base. */
const component = (name: string, identifier: string, verdict: VectorJson['verdict'], value = ''): VectorJson =>
  vector(name, verdict, { source: BASE, lines: { [identifier]: value } })

/** Signature-Input written in another way; the signature is over the ordinary one. */
const inputWritten = (
  name: string,
  change: (input: string) => string,
  verdict: VectorJson['verdict'],
  source = `${RFC} section 4.1, RFC 9651`
): VectorJson => vector(name, verdict, { source, header: ({ input }) => ({ input: change(input) }) })

const signatureWritten = (
  name: string,
  change: (signature: string) => string,
  verdict: VectorJson['verdict']
): VectorJson =>
  vector(name, verdict, {
    source: `${RFC} section 4.2, RFC 9651, RFC 4648 section 3.5`,
    header: ({ signature }) => ({ signature: change(signature) })
  })

const WITHOUT_TARGET = { '"@request-target"': undefined }
const WITHOUT_DATE = { '"date"': undefined }
const withDigest = (value: string) => ({
  lines: { '"content-digest"': value },
  set: { 'Content-Digest': value }
})
/** An example of RFC 9530: its digest, with the content that arrives. */
const example9530 = (name: string, digest: string, body: string, verdict = VERIFIED): VectorJson =>
  vector(name, verdict, { source: 'RFC 9530 appendices B and D', ...withDigest(digest), received: { body } })

const wrapped = (value: string): string => `:${Buffer.from(value, 'latin1').toString('base64')}:`

/** Another signature before the ordinary one. */
const beside = (input: string, signature: string): Pick<Rfc9421Recipe, 'source' | 'header'> => ({
  source: SEVERAL,
  header: own => ({ input: `${input}, ${own.input}`, signature: `${signature}, ${own.signature}` })
})

const HELLO_256 = 'RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg='
const HELLO_512 = 'YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=='

export const source = RFC
export const vectors = [
  // algorithms
  verified('rsa-v1-5-sha256'),
  verified('rsa-pss-sha512', { algorithm: 'rsa-pss-sha512' }),
  verified('ed25519', { algorithm: 'ed25519' }),
  verified('rsa-without-alg', { params: { alg: undefined } }),
  verified('ed25519-without-alg', { algorithm: 'ed25519', params: { alg: undefined } }),
  verified('rsa-pss-without-alg-where-nothing-else-is-allowed', {
    algorithm: 'rsa-pss-sha512',
    params: { alg: undefined },
    options: { algorithms: ['rsa-pss-sha512'] }
  }),
  vector('rsa-pss-without-alg', MISMATCH, {
    note: 'Of two algorithms that fit the key, the first that is allowed counts: rsa-v1_5-sha256.',
    algorithm: 'rsa-pss-sha512',
    params: { alg: undefined }
  }),
  vector('rsa-pss-plus-modulus', MISMATCH, {
    source: 'RFC 8017 section 5.2.2: the signature representative is below the modulus',
    note: 'The same signature modulo n: a second one for a replay store.',
    algorithm: 'rsa-pss-sha512',
    params: { nonce: '"0"' },
    sign: base => addModulus(signText(base, ONE, 'pss-sha512'), modulusOf(ONE))
  }),
  vector('rsa-pss-with-a-salt-of-32-bytes', MISMATCH, {
    source: `${RFC} section 3.3.1: the salt has 64 bytes`,
    algorithm: 'rsa-pss-sha512',
    sign: base => signText(base, ONE, 'pss-sha256')
  }),
  vector('alg-of-another-padding', MISMATCH, { params: { alg: '"rsa-pss-sha512"' } }),
  vector('alg-of-another-key', rejected('key-type-mismatch'), { params: { alg: '"ed25519"' } }),
  vector('alg-of-another-key-the-other-way-round', rejected('key-type-mismatch'), {
    algorithm: 'ed25519',
    params: { alg: '"rsa-v1_5-sha256"' }
  }),
  ...['hmac-sha256', 'ecdsa-p256-sha256', 'rsa-sha256', 'RSA-V1_5-SHA256', 'none', ''].map((alg, at) =>
    vector(`alg-unknown-${at + 1}`, rejected('signature-algorithm-not-allowed'), {
      params: { alg: `"${alg}"` }
    })
  ),
  vector('alg-not-allowed', rejected('signature-algorithm-not-allowed'), {
    options: { algorithms: ['rsa-pss-sha512', 'ed25519'] }
  }),
  vector('key-of-p-256', rejected('key-type-mismatch'), { records: txt(`v=DKIM1; k=rsa; p=${EC_P256.p}`) }),
  vector('key-record-for-another-hash', rejected('key-hash-not-allowed'), {
    records: txt(ONE.record.replace('k=rsa', 'h=sha512; k=rsa'))
  }),
  verified('key-record-for-this-hash', {
    algorithm: 'rsa-pss-sha512',
    records: txt(ONE.record.replace('k=rsa', 'h=sha512; k=rsa'))
  }),
  verified('key-record-of-ed25519-names-sha256', {
    algorithm: 'ed25519',
    records: txt(ED25519.record.replace('k=ed25519', 'h=sha256; k=ed25519'))
  }),

  // coverage
  ...(['"@method"', '"@request-target"', '"@authority"', '"x-service-id"', '"content-digest"'] as const).map(
    identifier =>
      vector(`without-${identifier.replace(/["@]/g, '')}`, INSUFFICIENT, {
        source: REQUIRED,
        lines: { [identifier]: undefined }
      })
  ),
  vector('without-content-digest-and-another-body', INSUFFICIENT, {
    source: REQUIRED,
    note: 'What the attack looks like: head and signature are good, the body and its digest are not.',
    lines: { '"content-digest"': undefined },
    received: { body: '{}', set: { 'Content-Digest': `sha-256=:${sha256('{}')}:` } }
  }),
  vector('of-nothing', INSUFFICIENT, {
    source: REQUIRED,
    lines: Object.fromEntries(Object.keys(LINES).map(identifier => [identifier, undefined]))
  }),
  verified('target-uri', {
    lines: { ...WITHOUT_TARGET, '"@target-uri"': 'https://hooks.example.com/hook?id=42' }
  }),
  verified('path-and-query', { lines: { ...WITHOUT_TARGET, '"@path"': '/hook', '"@query"': '?id=42' } }),
  vector('path-alone', INSUFFICIENT, { source: REQUIRED, lines: { ...WITHOUT_TARGET, '"@path"': '/hook' } }),
  vector('query-alone', INSUFFICIENT, {
    source: REQUIRED,
    lines: { ...WITHOUT_TARGET, '"@query"': '?id=42' }
  }),
  vector('path-and-query-parameter', INSUFFICIENT, {
    source: REQUIRED,
    lines: { ...WITHOUT_TARGET, '"@path"': '/hook', '"@query-param";name="id"': '42' }
  }),
  verified('host-for-authority', { lines: { '"@authority"': undefined, '"host"': 'hooks.example.com' } }),
  vector('scheme-for-authority', INSUFFICIENT, {
    source: REQUIRED,
    lines: { '"@authority"': undefined, '"@scheme"': 'https' }
  }),
  verified('bs', {
    source: `${RFC} section 2.1.3`,
    lines: {
      '"x-service-id"': undefined,
      '"x-service-id";bs': wrapped('account-1234'),
      '"content-digest"': undefined,
      '"content-digest";bs': wrapped(DIGEST)
    }
  }),
  vector('sf-for-the-digest', INSUFFICIENT, {
    note: 'Two values that are one in canonical form need not be one to every reader.',
    lines: { '"content-digest"': undefined, '"content-digest";sf': DIGEST }
  }),
  vector('key-for-the-digest', INSUFFICIENT, {
    note: 'Covers one member of it; anyone can add others.',
    lines: { '"content-digest"': undefined, '"content-digest";key="sha-256"': DIGEST.slice(8) }
  }),
  vector('without-what-the-receiver-asks-for', INSUFFICIENT, { options: { alsoCovered: ['X-Nonce'] } }),
  vector('without-expires-that-the-receiver-asks-for', INSUFFICIENT, {
    options: { alsoCovered: ['(expires)'] }
  }),
  verified('with-what-the-receiver-asks-for', {
    lines: { '"x-nonce"': 'n' },
    add: [['X-Nonce', 'n']],
    params: { expires: String(NOW_SECONDS + 60) },
    options: { alsoCovered: ['X-Nonce', '(created)', '(expires)'] }
  }),

  // values of components
  verified('fields-repeated-empty-and-padded', {
    source: `${RFC} section 2.1`,
    lines: { '"x-a"': '1, , 3  4', '"x-empty"': '', '"x-tab"': 'a\tb' },
    add: [
      ['X-A', ' 1'],
      ['x-a', ''],
      ['X-Empty', '  '],
      ['X-A', '\t3  4 '],
      ['X-Tab', 'a\tb']
    ]
  }),
  verified('fields-in-other-forms', {
    source: `${RFC} sections 2.1.1 to 2.1.3`,
    lines: {
      '"x-dict"': 'a=1,   b=2;x=1;y=2,  c=(a   b), d',
      '"x-dict";sf': 'a=1, b=2;x=1;y=2, c=(a b), d',
      '"x-dict";key="a"': '1',
      '"x-dict";key="b"': '2;x=1;y=2',
      '"x-dict";key="c"': '(a b)',
      '"x-dict";key="d"': '?1',
      '"x-dict";bs': `${wrapped('a=1,   b=2;x=1;y=2,  c=(a   b)')}, ${wrapped('d')}`
    },
    add: [
      ['X-Dict', 'a=1,   b=2;x=1;y=2,  c=(a   b)'],
      ['X-Dict', 'd']
    ]
  }),
  verified('field-beyond-ascii-in-bs', {
    source: `${RFC} section 2.1.3`,
    lines: { '"x-a";bs': wrapped('caf\xe9') },
    add: [['X-A', 'caf\xe9']]
  }),
  vector('field-beyond-ascii', ABSENT, {
    source: BASE,
    lines: { '"x-a"': 'caf\xe9' },
    add: [['X-A', 'caf\xe9']]
  }),
  vector('field-beyond-octets-in-bs', ABSENT, { lines: { '"x-a";bs': ':Aw==:' }, add: [['X-A', '\u2603']] }),
  vector('field-with-a-control-character', ABSENT, { lines: { '"x-a"': '\x1b' }, add: [['X-A', '\x1b']] }),
  vector('field-absent', ABSENT, { lines: { '"x-a"': '' } }),
  vector('field-of-which-the-key-is-absent', ABSENT, {
    lines: { '"x-a";key="b"': '' },
    add: [['X-A', 'a=1']]
  }),
  vector('field-that-is-not-structured', ABSENT, { lines: { '"x-a";sf': '' }, add: [['X-A', 'a b']] }),
  verified('query-parameters', {
    source: `${RFC} section 2.2.8`,
    target: '/hook?a=%2d+%7E&b%20c=&%C3%A4=1',
    lines: {
      '"@request-target"': '/hook?a=%2d+%7E&b%20c=&%C3%A4=1',
      '"@query-param";name="a"': '-%20%7E',
      '"@query-param";name="b%20c"': '',
      '"@query-param";name="%C3%A4"': '1'
    }
  }),
  vector('query-parameter-repeated', ABSENT, {
    source: `${RFC} section 2.2.8`,
    target: '/hook?a=1&%61=2',
    lines: { '"@request-target"': '/hook?a=1&%61=2', '"@query-param";name="a"': '1' }
  }),
  vector('query-parameter-absent', ABSENT, {
    source: `${RFC} section 2.2.8`,
    lines: { '"@query-param";name="ID"': '42' }
  }),
  verified('host-in-upper-case-with-the-default-port', {
    source: `${RFC} section 2.2.3`,
    set: { Host: 'Hooks.EXAMPLE.com:443' }
  }),
  verified('host-with-another-port', {
    source: `${RFC} section 2.2.3`,
    lines: { '"@authority"': 'hooks.example.com:8443' },
    set: { Host: 'hooks.example.com:8443' },
    options: { hosts: ['hooks.example.com:8443'] }
  }),
  verified('without-tls', {
    https: false,
    lines: { '"@scheme"': 'http', '"@target-uri"': 'http://hooks.example.com/hook?id=42' },
    set: { Host: 'hooks.example.com:80' },
    options: { requireHttps: false }
  }),
  verified('absolute-form', {
    source: 'RFC 9112 section 3.2.2',
    target: 'https://hooks.example.com/hook?id=42',
    lines: {
      '"@request-target"': 'https://hooks.example.com/hook?id=42',
      '"@path"': '/hook',
      '"@query"': '?id=42'
    }
  }),
  vector('absolute-form-for-another-host', ABSENT, {
    source: 'RFC 9112 section 3.2.2',
    note: 'Signed for another receiver, sent to this one with a Host that nobody signed.',
    target: 'https://other.example/hook?id=42',
    lines: {
      '"@request-target"': 'https://other.example/hook?id=42',
      '"@authority"': 'other.example'
    }
  }),

  // components that no request has, or that are not understood
  component('status', '"@status"', MALFORMED, '200'),
  component('req', '"@path";req', MALFORMED, '/hook'),
  component('field-req', '"host";req', MALFORMED, 'hooks.example.com'),
  component('tr', '"host";tr', MALFORMED, 'hooks.example.com'),
  component('signature-params-listed', '"@signature-params"', MALFORMED),
  component('unknown-derived-component', '"@fragment"', MALFORMED),
  component('derived-component-in-upper-case', '"@METHOD"', MALFORMED, 'POST'),
  component('field-in-upper-case', '"Host"', MALFORMED, 'hooks.example.com'),
  component('name-with-a-line-break', '"host: x\\n"', MALFORMED),
  component('name-with-a-colon', '"host:"', MALFORMED),
  component('name-of-the-draft', '"(request-target)"', MALFORMED, 'post /hook?id=42'),
  component('name-empty', '""', MALFORMED),
  component('name-as-token', 'host', MALFORMED, 'hooks.example.com'),
  component('name-as-bytes', ':aG9zdA==:', MALFORMED, 'hooks.example.com'),
  component('unknown-parameter', '"host";x', MALFORMED, 'hooks.example.com'),
  component('flag-that-is-off', '"host";bs=?0', MALFORMED, 'hooks.example.com'),
  component('flag-with-a-value', '"host";sf="yes"', MALFORMED, 'hooks.example.com'),
  component('key-without-a-value', '"host";key', MALFORMED),
  component('bs-with-sf', '"host";bs;sf', MALFORMED),
  component('bs-with-key', '"host";bs;key="a"', MALFORMED),
  component('parameter-of-a-derived-component', '"@path";sf', MALFORMED, '/hook'),
  component('query-parameter-without-a-name', '"@query-param"', MALFORMED),
  component('query-parameter-named-by-a-token', '"@query-param";name=id', MALFORMED, '42'),

  // components listed twice
  inputWritten('component-twice', input => input.replace('(', '("@method" '), rejected('coverage-repeated'), BASE),
  vector('component-twice-with-parameters-in-another-order', rejected('coverage-repeated'), {
    source: `${RFC} section 2: the order of parameters makes no other component`,
    lines: { '"x-a";sf;key="a"': '1', '"x-a";key="a";sf': '1' },
    add: [['X-A', 'a=1']]
  }),
  inputWritten(
    'component-twice-to-make-up-for-another',
    input => input.replace('"content-digest"', '"@method"'),
    INSUFFICIENT,
    BASE
  ),

  // Signature-Input as it is written
  inputWritten('input-with-white-space', input => input.replaceAll('" "', '"   "').replaceAll(';', ';  '), VERIFIED),
  inputWritten('input-between-white-space', input => ` \t${input}\t `, VERIFIED),
  inputWritten('input-with-commas-between', input => input.replaceAll('" "', '", "'), MALFORMED),
  inputWritten('input-with-nothing-between', input => input.replaceAll('" "', '""'), MALFORMED),
  inputWritten('input-with-a-tab-between', input => input.replace('" "', '"\t"'), MALFORMED),
  inputWritten('input-not-closed', input => input.replace(')', ''), MALFORMED),
  inputWritten('input-with-a-comma-at-the-end', input => `${input},`, MALFORMED),
  inputWritten('input-with-text-after-the-end', input => `${input} and more`, MALFORMED),
  inputWritten('input-in-single-quotes', input => input.replaceAll('"', "'"), MALFORMED),
  inputWritten('input-empty', () => '', MALFORMED),
  inputWritten('input-without-a-label', input => input.slice('sig1='.length), MALFORMED),
  inputWritten('input-of-the-draft', () => 'keyId="x",headers="date"', MALFORMED),
  inputWritten('label-in-upper-case', input => `S${input.slice(1)}`, MALFORMED),
  inputWritten('label-with-a-space', input => input.replace('sig1=', 'sig1 ='), MALFORMED),
  inputWritten('label-alone', () => 'sig1', MALFORMED),
  inputWritten('label-of-a-string', () => 'sig1="x"', MALFORMED),
  inputWritten('input-beyond-ascii', input => input.replace('"@method"', '"\xe4"'), MALFORMED),
  inputWritten('input-with-created-as-string', input => input.replace(/created=(\d+)/, 'created="$1"'), MALFORMED),
  inputWritten('input-with-created-as-date', input => input.replace('created=', 'created=@'), MALFORMED),
  inputWritten('input-with-created-as-fraction', input => input.replace(/created=\d+/, '$&.5'), MALFORMED),
  inputWritten('input-with-keyid-as-token', input => input.replace(/keyid="([^"]*)"/, 'keyid=$1'), MALFORMED),
  inputWritten('input-with-alg-as-token', input => input.replace(/alg="([^"]*)"/, 'alg=$1'), MALFORMED),
  vector('input-of-101-components', MALFORMED, {
    lines: Object.fromEntries(Array.from({ length: 95 }, (_, at) => [`"x-${at}"`, '1'])),
    add: Array.from({ length: 95 }, (_, at) => [`X-${at}`, '1'] as const)
  }),
  verified('input-of-100-components', {
    lines: Object.fromEntries(Array.from({ length: 94 }, (_, at) => [`"x-${at}"`, '1'])),
    add: Array.from({ length: 94 }, (_, at) => [`X-${at}`, '1'] as const)
  }),
  inputWritten(
    'input-of-9000-characters',
    input => `${input};x="${'x'.repeat(9000)}"`,
    MALFORMED,
    'RFC 9110 section 5.4: a limit on what is parsed'
  ),
  inputWritten(
    'input-of-1537-characters',
    input => `${input};x="`.padEnd(1536, 'x').concat('"'),
    MALFORMED,
    'RFC 9110 section 5.4: a limit on what is parsed'
  ),
  vector('sf-of-1024-characters', rejected('coverage-absent'), {
    lines: { '"x-long";sf': 'x'.repeat(1024) },
    add: [['X-Long', 'x'.repeat(1024)]]
  }),
  verified('sf-of-600-characters', {
    lines: { '"x-long";sf': 'x'.repeat(600) },
    add: [['X-Long', 'x'.repeat(600)]]
  }),
  vector('line-break-in-input', rejected('request-malformed'), {
    received: { set: { 'Signature-Input': `${write().input}\r\nX: y` } }
  }),
  vector('line-break-in-a-covered-field', rejected('request-malformed'), {
    note: 'One line of the base would pose as two.',
    lines: { '"x-a"': 'a\n"x-b": b' },
    add: [['X-A', 'a\n"x-b": b']]
  }),

  // parameters
  verified('nonce-tag-and-a-parameter-of-the-service', {
    source: `${RFC} section 2.3`,
    params: { nonce: '"n-\\"1\\\\"', tag: '"hook"', mine: ':AAE=:', yours: '1.5' }
  }),
  inputWritten('parameter-added', input => `${input};tag="x"`, MISMATCH),
  inputWritten('parameter-removed', input => input.replace(/;alg="[^"]*"/, ''), MISMATCH),
  inputWritten(
    'parameters-in-another-order',
    input => input.replace(/(;created=\d+)(;keyid="[^"]*")/, '$2$1'),
    MISMATCH
  ),
  ...['keyid', 'alg', 'created'].map(name =>
    inputWritten(
      `parameter-${name}-twice`,
      input => input.replace(new RegExp(`;${name}=[^;]*`), '$&$&'),
      rejected('signature-parameter-repeated')
    )
  ),
  inputWritten(
    'keyid-of-the-service-before-another',
    input =>
      input.replace(';keyid', `;keyid="${RSA_NAME}";keyid`).replace(/keyid="[^"]*";alg/, 'keyid="evil.example";alg'),
    rejected('signature-parameter-repeated')
  ),
  inputWritten(
    'parameter-of-a-component-twice',
    input => input.replace('"date"', '"date";bs;bs'),
    rejected('signature-parameter-repeated')
  ),
  inputWritten('keyid-inside-a-string-is-no-parameter', input => `${input};tag=";keyid=\\"evil.example\\""`, MISMATCH),
  vector('keyid-missing', rejected('signature-parameter-missing'), { params: { keyid: undefined } }),

  // Signature as it is written
  vector('signature-missing', rejected('signature-missing'), { header: () => ({ signature: null }) }),
  signatureWritten('signature-empty', () => '', rejected('signature-parameter-missing')),
  signatureWritten(
    'signature-of-another-label',
    each => each.replace('sig1', 'sig2'),
    rejected('signature-parameter-missing')
  ),
  signatureWritten('signature-as-string', each => each.replace(':', '"').replace(/:$/, '"'), MALFORMED),
  signatureWritten('signature-as-list', each => each.replace('=', '=(').concat(')'), MALFORMED),
  signatureWritten('signature-with-a-parameter', each => `${each};x`, MALFORMED),
  signatureWritten('signature-not-closed', each => each.slice(0, -1), MALFORMED),
  signatureWritten('signature-in-the-url-alphabet', each => each.replaceAll('+', '-').replaceAll('/', '_'), MALFORMED),
  signatureWritten('signature-with-a-space', each => each.replace(/=:..../, '$& '), MALFORMED),
  signatureWritten('signature-without-padding', each => each.replace(/=+:$/, ':'), rejected('signature-not-base64')),
  signatureWritten('signature-with-stray-bits', strayBit, rejected('signature-not-base64')),
  signatureWritten('signature-of-no-bytes', () => 'sig1=::', rejected('signature-not-base64')),
  signatureWritten('signature-twice', each => `${each}, ${each}`, rejected('signature-parameter-repeated')),
  signatureWritten('signature-between-white-space', each => `\t${each}  `, VERIFIED),
  signatureWritten('signature-of-zeros', () => `sig1=:${Buffer.alloc(256).toString('base64')}:`, MISMATCH),
  signatureWritten('signature-cut-short', () => 'sig1=:AAAA:', MISMATCH),

  // several signatures
  verified('beside-one-of-a-proxy', beside('proxy=("@status" "x";req);keyid="proxy.example"', 'proxy=:AAAA:')),
  verified('beside-one-on-lines-of-their-own', {
    source: SEVERAL,
    received: {
      add: [
        ['signature-input', 'proxy=("@path");keyid="proxy.example"'],
        ['signature', 'proxy=:AAAA:']
      ]
    }
  }),
  verified('beside-one-whose-name-looks-like-the-service', beside('a=();keyid="x.evilservice.example"', 'a=:AAAA:')),
  verified('beside-one-of-the-domain-itself', beside('a=();keyid="service.example"', 'a=:AAAA:')),
  verified('beside-one-without-keyid', beside('a=()', 'a=:AAAA:')),
  vector('two-of-the-service', rejected('signature-repeated'), {
    source: SEVERAL,
    header: own => {
      const other = write({ algorithm: 'ed25519', label: 'sig2' })
      return { input: `${own.input}, ${other.input}`, signature: `${own.signature}, ${other.signature}` }
    }
  }),
  vector(
    'two-of-the-service-one-of-them-nothing',
    rejected('signature-repeated'),
    beside(`a=();keyid="${ED25519_NAME.toUpperCase()}."`, 'a=:AAAA:')
  ),
  vector('label-of-the-service-twice', rejected('signature-parameter-repeated'), {
    source: `${RFC} section 4.1: labels are unique`,
    header: own => ({ input: `sig1=();keyid="evil.example", ${own.input}` })
  }),
  vector('labels-swapped', MISMATCH, {
    source: SEVERAL,
    header: own => ({
      input: `${own.input}, a=();keyid="evil.example"`,
      signature: `${own.signature.replace('sig1', 'a')}, sig1=:AAAA:`
    })
  }),
  vector('label-only-in-a-string', rejected('signature-parameter-missing'), {
    note: 'The service signed something else; its label stands in the text of another.',
    header: own => ({ signature: own.signature.replace('sig1', 'xsig1') })
  }),
  vector('none-of-the-service', rejected('key-name-outside-domain'), {
    params: { keyid: '"one.evil.example"' }
  }),
  vector('keyid-that-is-no-name', rejected('key-name-malformed'), {
    params: { keyid: '"one service.example"' }
  }),
  vector('key-that-does-not-exist', rejected('key-not-found'), {
    params: { keyid: '"two._domainkey.service.example"' }
  }),

  // time
  verified('created-without-a-covered-date', { lines: WITHOUT_DATE, set: { Date: null } }),
  verified('a-covered-date-without-created', { params: { created: undefined } }),
  verified('a-date-that-nobody-signed-says-nothing', {
    lines: WITHOUT_DATE,
    set: { Date: 'Fri, 20 Nov 2020 12:00:00 GMT' }
  }),
  vector('neither-date-nor-created', rejected('date-missing'), {
    lines: WITHOUT_DATE,
    params: { created: undefined }
  }),
  vector('an-old-covered-date', rejected('date-too-old'), {
    lines: { '"date"': 'Fri, 20 Nov 2026 11:54:59 GMT' },
    set: { Date: 'Fri, 20 Nov 2026 11:54:59 GMT' },
    options: { dateTolerance: 300 }
  }),
  vector('an-old-created-beside-a-good-date', rejected('signature-created-out-of-range'), {
    params: { created: String(NOW_SECONDS - 301) },
    options: { dateTolerance: 300 }
  }),
  vector('an-old-created-without-a-date', rejected('signature-created-out-of-range'), {
    lines: WITHOUT_DATE,
    params: { created: String(NOW_SECONDS - 301) },
    options: { dateTolerance: 300 }
  }),
  vector('a-created-in-the-future', rejected('signature-created-out-of-range'), {
    lines: WITHOUT_DATE,
    params: { created: String(NOW_SECONDS + 301) },
    options: { dateTolerance: 300 }
  }),
  vector('a-negative-created', rejected('signature-created-out-of-range'), { params: { created: '-1' } }),
  verified('created-at-the-edge', {
    lines: WITHOUT_DATE,
    params: { created: String(NOW_SECONDS - 300), expires: String(NOW_SECONDS - 300) },
    options: { dateTolerance: 300 }
  }),
  vector('expired', rejected('signature-expired'), {
    params: { expires: String(NOW_SECONDS - 301) },
    options: { dateTolerance: 300 }
  }),

  // digest
  verified('digest-sha-512', { source: DIGESTS, ...withDigest(`sha-512=:${sha512(BODY)}:`) }),
  verified('digest-of-both', { source: DIGESTS, ...withDigest(`${DIGEST}, sha-512=:${sha512(BODY)}:`) }),
  verified('digest-beside-an-unknown-one', { source: DIGESTS, ...withDigest(`md5=:AAAA:, ${DIGEST}`) }),
  example9530('digest-rfc9530-sha-256', `sha-256=:${HELLO_256}:`, '{"hello": "world"}\n'),
  example9530('digest-rfc9530-sha-512', `sha-512=:${HELLO_512}:`, '{"hello": "world"}\n'),
  example9530('digest-rfc9530-both', `sha-256=:${HELLO_256}:, sha-512=:${HELLO_512}:`, '{"hello": "world"}\n'),
  example9530(
    'digest-rfc9530-of-other-content',
    `sha-256=:${HELLO_256}:`,
    '{"hello": "woXYZ"}\n',
    rejected('digest-mismatch')
  ),
  vector('digest-of-which-one-does-not-match', rejected('digest-mismatch'), {
    source: DIGESTS,
    ...withDigest(`${DIGEST}, sha-512=:${sha512('other')}:`)
  }),
  vector('digest-unknown', rejected('digest-unsupported'), { source: DIGESTS, ...withDigest('md5=:AAAA:') }),
  vector('digest-empty', rejected('digest-unsupported'), { source: DIGESTS, ...withDigest('') }),
  vector('digest-twice', rejected('digest-malformed'), {
    source: DIGESTS,
    ...withDigest(`${DIGEST}, ${DIGEST}`)
  }),
  vector('digest-as-string', rejected('digest-malformed'), {
    source: DIGESTS,
    ...withDigest(`sha-256="${sha256(BODY)}"`)
  }),
  vector('digest-of-the-draft', rejected('digest-malformed'), {
    source: DIGESTS,
    ...withDigest(`SHA-256=${sha256(BODY)}`)
  }),
  vector('digest-without-padding', rejected('digest-malformed'), {
    source: DIGESTS,
    ...withDigest(DIGEST.replace(/=:$/, ':'))
  }),
  vector('digest-with-a-comma-at-the-end', rejected('digest-malformed'), {
    source: DIGESTS,
    ...withDigest(`${DIGEST},`)
  }),
  vector('digest-missing', rejected('coverage-absent', 'digest-missing'), {
    source: DIGESTS,
    received: { set: { 'Content-Digest': null } }
  }),
  vector('digest-only-as-the-draft-has-it', rejected('coverage-absent', 'digest-missing'), {
    source: DIGESTS,
    received: { set: { 'Content-Digest': null }, add: [['Digest', `SHA-256=${sha256(BODY)}`]] }
  }),
  vector('another-body', rejected('digest-mismatch'), { received: { body: '{"event":"deleted"}' } }),

  // what arrives is not what was signed
  vector('another-method', MISMATCH, { received: { method: 'PUT' } }),
  vector('method-in-lower-case', MISMATCH, {
    source: `${RFC} section 2.2.1`,
    received: { method: 'post' }
  }),
  vector('another-target', MISMATCH, { received: { target: '/hook?id=43' } }),
  vector('target-with-another-spelling', MISMATCH, { received: { target: '/h%6Fok?id=42' } }),
  vector('another-account-of-ours', MISMATCH, {
    options: { accounts: ['1234', '99'] },
    received: { set: { 'X-Service-ID': 'account-99' } }
  }),
  vector('another-host-of-ours', MISMATCH, {
    options: { hosts: ['hooks.example.com', 'other.example.com'] },
    received: { set: { Host: 'other.example.com' } }
  }),

  // the choice between the schemes
  verified('where-both-are-allowed', { source: CHOICE, options: { schemes: ['draft-cavage', 'rfc9421'] } }),
  vector('without-signature-input', rejected('signature-missing'), {
    source: CHOICE,
    header: () => ({ input: null })
  }),
  draftVector('rfc9421-draft-where-it-is-not-allowed', rejected('signature-missing', 'digest-missing'), {
    source: CHOICE,
    options: { schemes: ['rfc9421'] }
  }),
  draftVector(
    'rfc9421-draft-with-signature-input-where-both-are-allowed',
    rejected('signature-malformed', 'digest-missing'),
    {
      source: CHOICE,
      note: 'The draft would verify it; nobody can choose the weaker reading.',
      options: { schemes: ['draft-cavage', 'rfc9421'] },
      received: { add: [['Signature-Input', `sig1=("@method");keyid="${RSA_NAME}"`]] }
    }
  )
]

/** The last of the characters before the padding, with one of its unused bits set. */
function strayBit(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const last = signature.indexOf('=', 'sig1='.length) - 1
  return `${signature.slice(0, last)}${alphabet[alphabet.indexOf(signature[last]!) + 1]}${signature.slice(last + 1)}`
}
