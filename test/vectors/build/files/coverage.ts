import { ED25519 } from '../keys.ts'
import { COVERED, FIVE, NOW_SECONDS, vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

const SIGNING_STRING = 'draft-cavage-http-signatures-12 section 2.3'
const ABSENT = `${SIGNING_STRING}: a listed header that is not in the request is an error`
const INSUFFICIENT = rejected('coverage-insufficient')

export const source =
  "The service's specification: at least (request-target), Host, Date, X-Service-ID and Digest are signed"
export const vectors = [
  ...FIVE.split(' ').map(name =>
    vector(`coverage-without-${name.replace(/[()]/g, '')}`, INSUFFICIENT, {
      covered: FIVE.split(' ')
        .filter(each => each !== name)
        .join(' ')
    })
  ),
  vector('coverage-without-digest-and-another-body', INSUFFICIENT, {
    note: 'What the attack looks like: head and signature are good, the body is not.',
    covered: '(request-target) host date x-service-id',
    received: { body: '{"event":"deleted"}' }
  }),
  vector('coverage-of-one-header', INSUFFICIENT, { covered: 'date' }),
  vector('coverage-without-a-list', INSUFFICIENT, {
    source: 'draft-cavage-http-signatures-12 section 2.1.6: without headers, the list is (created)',
    algorithm: 'hs2019',
    scheme: 'pss-sha512',
    covered: null,
    times: { created: NOW_SECONDS },
    options: { algorithms: ['hs2019'] }
  }),
  vector('coverage-of-content-digest-instead', INSUFFICIENT, {
    note: 'Content-Digest is another header, of RFC 9530.',
    add: [['Content-Digest', 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:']],
    covered: FIVE.replace('digest', 'content-digest')
  }),
  vector('coverage-of-a-header-named-like-the-special-name', INSUFFICIENT, {
    add: [['request-target', 'post /hook?id=42']],
    covered: FIVE.replace('(request-target)', 'request-target')
  }),
  vector('coverage-without-what-the-receiver-asks-for', INSUFFICIENT, {
    covered: FIVE,
    options: { alsoCovered: ['X-Nonce'] }
  }),
  vector('coverage-with-what-the-receiver-asks-for', VERIFIED, {
    options: { alsoCovered: ['X-Nonce', 'content-type'] }
  }),
  vector('coverage-without-created-that-the-receiver-asks-for', INSUFFICIENT, {
    key: ED25519,
    scheme: 'ed25519',
    algorithm: 'ed25519',
    times: { created: NOW_SECONDS },
    options: { algorithms: ['ed25519'], alsoCovered: ['(created)'] }
  }),
  vector('coverage-with-created-that-the-receiver-asks-for', VERIFIED, {
    key: ED25519,
    scheme: 'ed25519',
    algorithm: 'ed25519',
    covered: `(created) ${FIVE}`,
    times: { created: NOW_SECONDS },
    options: { algorithms: ['ed25519'], alsoCovered: ['(created)'] }
  }),
  vector('coverage-of-the-five-alone', VERIFIED, { covered: FIVE }),
  vector('coverage-in-another-order', VERIFIED, {
    covered: 'digest x-service-id date host (request-target)'
  }),
  vector('coverage-in-upper-case', VERIFIED, { covered: FIVE.toUpperCase() }),

  vector('coverage-repeated', rejected('coverage-repeated'), { covered: `${FIVE} date` }),
  vector('coverage-repeated-in-another-case', rejected('coverage-repeated'), {
    covered: `${FIVE} Date`
  }),
  vector('coverage-repeated-special-name', rejected('coverage-repeated'), {
    covered: `${FIVE} (request-target)`
  }),
  vector('coverage-repeated-for-a-repeated-header', rejected('coverage-repeated'), {
    note: 'A header sent twice is listed once: its values are joined.',
    add: [
      ['X-Tag', 'a'],
      ['X-Tag', 'b']
    ],
    covered: `${FIVE} x-tag x-tag`
  }),

  vector('coverage-absent-signed-as-empty', rejected('coverage-absent'), {
    source: ABSENT,
    covered: `${COVERED} x-extra`,
    absentAs: ''
  }),
  vector('coverage-absent-signed-as-undefined', rejected('coverage-absent'), {
    source: ABSENT,
    note: 'What a program signs that does not look.',
    covered: `${COVERED} x-extra`,
    absentAs: 'undefined'
  }),
  vector('coverage-absent-signed-as-null', rejected('coverage-absent'), {
    source: ABSENT,
    covered: `${COVERED} x-extra`,
    absentAs: 'null'
  }),
  vector('coverage-absent-left-out-of-the-signing-string', rejected('coverage-absent'), {
    source: ABSENT,
    covered: `${COVERED} x-extra`,
    absentAs: '',
    signed: string => string.replace('\nx-extra: ', '')
  }),
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty'].map(name =>
    vector(`coverage-absent-${name.replaceAll('_', '').toLowerCase()}`, rejected('coverage-absent'), {
      source: ABSENT,
      note: 'In some languages every object has a property of this name.',
      covered: `${COVERED} ${name}`,
      absentAs: ''
    })
  ),
  ...['constructor', '__proto__'].map(name =>
    vector(`coverage-of-a-header-named-${name.replaceAll('_', '')}`, VERIFIED, {
      add: [[name, 'x']],
      covered: `${COVERED} ${name}`
    })
  ),
  vector('coverage-absent-taken-out-on-the-way', rejected('coverage-absent'), {
    source: ABSENT,
    received: { set: { 'X-Nonce': null } }
  }),

  vector('coverage-of-a-repeated-header', VERIFIED, {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    add: [
      ['X-Tag', 'a'],
      ['x-tag', 'b'],
      ['X-TAG', 'c']
    ],
    covered: `${FIVE} x-tag`
  }),
  vector('coverage-of-a-repeated-header-in-another-order', rejected('signature-mismatch'), {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    add: [
      ['X-Tag', 'b'],
      ['X-Tag', 'a']
    ],
    covered: `${FIVE} x-tag`,
    signed: string => string.replace('b, a', 'a, b')
  }),
  vector('coverage-of-a-repeated-header-without-the-space', rejected('signature-mismatch'), {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    add: [
      ['X-Tag', 'a'],
      ['X-Tag', 'b']
    ],
    covered: `${FIVE} x-tag`,
    signed: string => string.replace('a, b', 'a,b')
  }),
  vector('coverage-of-the-last-of-repeated-headers', rejected('signature-mismatch'), {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    note: 'A header was added on the way.',
    add: [['X-Tag', 'a']],
    covered: `${FIVE} x-tag`,
    received: { add: [['X-Tag', 'b']] }
  }),
  vector('coverage-of-repeated-headers-one-empty', VERIFIED, {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    add: [
      ['X-Tag', ''],
      ['X-Tag', 'b']
    ],
    covered: `${FIVE} x-tag`
  }),
  vector('coverage-of-an-empty-header', VERIFIED, {
    source: `${SIGNING_STRING}: the name, a colon and a space, for a zero-length value`,
    add: [['X-Empty', '']],
    covered: `${FIVE} x-empty`
  }),
  vector('coverage-of-an-empty-header-without-the-space', rejected('signature-mismatch'), {
    source: `${SIGNING_STRING}: the name, a colon and a space, for a zero-length value`,
    add: [['X-Empty', '']],
    covered: `${FIVE} x-empty`,
    signed: string => string.replace('x-empty: ', 'x-empty:')
  }),
  vector('coverage-of-white-space-inside', VERIFIED, {
    source: `${SIGNING_STRING}: leading and trailing white space is removed`,
    add: [['X-Text', '\t two  spaces,\tone tab \t']],
    covered: `${FIVE} x-text`
  }),
  vector('coverage-of-white-space-collapsed-on-the-way', rejected('signature-mismatch'), {
    source: `${SIGNING_STRING}: leading and trailing white space is removed`,
    add: [['X-Text', 'two  spaces']],
    covered: `${FIVE} x-text`,
    received: { set: { 'X-Text': 'two spaces' } }
  }),
  vector('coverage-of-a-no-break-space-at-the-end', VERIFIED, {
    source: 'RFC 9110 section 5.6.3: OWS is space and tab',
    add: [['X-Text', 'a\xa0']],
    covered: `${FIVE} x-text`
  }),
  vector('coverage-of-the-signature-itself', rejected('signature-mismatch'), {
    note: 'A signature cannot be over itself.',
    covered: `${FIVE} signature`,
    absentAs: 'keyId="one._domainkey.service.example"'
  })
]
