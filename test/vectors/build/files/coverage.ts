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
    vector(`coverage-without-${name.replace(/[()]/g, '')}`, {
      covered: FIVE.split(' ')
        .filter(each => each !== name)
        .join(' '),
      verdict: INSUFFICIENT
    })
  ),
  vector('coverage-without-digest-and-another-body', {
    note: 'What the attack looks like: head and signature are good, the body is not.',
    covered: '(request-target) host date x-service-id',
    received: { body: '{"event":"deleted"}' },
    verdict: INSUFFICIENT
  }),
  vector('coverage-of-one-header', { covered: 'date', verdict: INSUFFICIENT }),
  vector('coverage-without-a-list', {
    source: 'draft-cavage-http-signatures-12 section 2.1.6: without headers, the list is (created)',
    algorithm: 'hs2019',
    scheme: 'pss-sha512',
    covered: null,
    times: { created: NOW_SECONDS },
    options: { algorithms: ['hs2019'] },
    verdict: INSUFFICIENT
  }),
  vector('coverage-of-content-digest-instead', {
    note: 'Content-Digest is another header, of RFC 9530.',
    add: [['Content-Digest', 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:']],
    covered: FIVE.replace('digest', 'content-digest'),
    verdict: INSUFFICIENT
  }),
  vector('coverage-of-a-header-named-like-the-special-name', {
    add: [['request-target', 'post /hook?id=42']],
    covered: FIVE.replace('(request-target)', 'request-target'),
    verdict: INSUFFICIENT
  }),
  vector('coverage-without-what-the-receiver-asks-for', {
    covered: FIVE,
    options: { alsoCovered: ['X-Nonce'] },
    verdict: INSUFFICIENT
  }),
  vector('coverage-with-what-the-receiver-asks-for', {
    options: { alsoCovered: ['X-Nonce', 'content-type'] },
    verdict: VERIFIED
  }),
  vector('coverage-without-created-that-the-receiver-asks-for', {
    key: ED25519,
    scheme: 'ed25519',
    algorithm: 'ed25519',
    times: { created: NOW_SECONDS },
    options: { algorithms: ['ed25519'], alsoCovered: ['(created)'] },
    verdict: INSUFFICIENT
  }),
  vector('coverage-with-created-that-the-receiver-asks-for', {
    key: ED25519,
    scheme: 'ed25519',
    algorithm: 'ed25519',
    covered: `(created) ${FIVE}`,
    times: { created: NOW_SECONDS },
    options: { algorithms: ['ed25519'], alsoCovered: ['(created)'] },
    verdict: VERIFIED
  }),
  vector('coverage-of-the-five-alone', { covered: FIVE, verdict: VERIFIED }),
  vector('coverage-in-another-order', {
    covered: 'digest x-service-id date host (request-target)',
    verdict: VERIFIED
  }),
  vector('coverage-in-upper-case', { covered: FIVE.toUpperCase(), verdict: VERIFIED }),

  vector('coverage-repeated', { covered: `${FIVE} date`, verdict: rejected('coverage-repeated') }),
  vector('coverage-repeated-in-another-case', {
    covered: `${FIVE} Date`,
    verdict: rejected('coverage-repeated')
  }),
  vector('coverage-repeated-special-name', {
    covered: `${FIVE} (request-target)`,
    verdict: rejected('coverage-repeated')
  }),
  vector('coverage-repeated-for-a-repeated-header', {
    note: 'A header sent twice is listed once: its values are joined.',
    add: [
      ['X-Tag', 'a'],
      ['X-Tag', 'b']
    ],
    covered: `${FIVE} x-tag x-tag`,
    verdict: rejected('coverage-repeated')
  }),

  vector('coverage-absent-signed-as-empty', {
    source: ABSENT,
    covered: `${COVERED} x-extra`,
    absentAs: '',
    verdict: rejected('coverage-absent')
  }),
  vector('coverage-absent-signed-as-undefined', {
    source: ABSENT,
    note: 'What a program signs that does not look.',
    covered: `${COVERED} x-extra`,
    absentAs: 'undefined',
    verdict: rejected('coverage-absent')
  }),
  vector('coverage-absent-signed-as-null', {
    source: ABSENT,
    covered: `${COVERED} x-extra`,
    absentAs: 'null',
    verdict: rejected('coverage-absent')
  }),
  vector('coverage-absent-left-out-of-the-signing-string', {
    source: ABSENT,
    covered: `${COVERED} x-extra`,
    absentAs: '',
    signed: string => string.replace('\nx-extra: ', ''),
    verdict: rejected('coverage-absent')
  }),
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty'].map(name =>
    vector(`coverage-absent-${name.replaceAll('_', '').toLowerCase()}`, {
      source: ABSENT,
      note: 'In some languages every object has a property of this name.',
      covered: `${COVERED} ${name}`,
      absentAs: '',
      verdict: rejected('coverage-absent')
    })
  ),
  ...['constructor', '__proto__'].map(name =>
    vector(`coverage-of-a-header-named-${name.replaceAll('_', '')}`, {
      add: [[name, 'x']],
      covered: `${COVERED} ${name}`,
      verdict: VERIFIED
    })
  ),
  vector('coverage-absent-taken-out-on-the-way', {
    source: ABSENT,
    received: { set: { 'X-Nonce': null } },
    verdict: rejected('coverage-absent')
  }),

  vector('coverage-of-a-repeated-header', {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    add: [
      ['X-Tag', 'a'],
      ['x-tag', 'b'],
      ['X-TAG', 'c']
    ],
    covered: `${FIVE} x-tag`,
    verdict: VERIFIED
  }),
  vector('coverage-of-a-repeated-header-in-another-order', {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    add: [
      ['X-Tag', 'b'],
      ['X-Tag', 'a']
    ],
    covered: `${FIVE} x-tag`,
    signed: string => string.replace('b, a', 'a, b'),
    verdict: rejected('signature-mismatch')
  }),
  vector('coverage-of-a-repeated-header-without-the-space', {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    add: [
      ['X-Tag', 'a'],
      ['X-Tag', 'b']
    ],
    covered: `${FIVE} x-tag`,
    signed: string => string.replace('a, b', 'a,b'),
    verdict: rejected('signature-mismatch')
  }),
  vector('coverage-of-the-last-of-repeated-headers', {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    note: 'A header was added on the way.',
    add: [['X-Tag', 'a']],
    covered: `${FIVE} x-tag`,
    received: { add: [['X-Tag', 'b']] },
    verdict: rejected('signature-mismatch')
  }),
  vector('coverage-of-repeated-headers-one-empty', {
    source: `${SIGNING_STRING}: values are joined with a comma and a space, in order`,
    add: [
      ['X-Tag', ''],
      ['X-Tag', 'b']
    ],
    covered: `${FIVE} x-tag`,
    verdict: VERIFIED
  }),
  vector('coverage-of-an-empty-header', {
    source: `${SIGNING_STRING}: the name, a colon and a space, for a zero-length value`,
    add: [['X-Empty', '']],
    covered: `${FIVE} x-empty`,
    verdict: VERIFIED
  }),
  vector('coverage-of-an-empty-header-without-the-space', {
    source: `${SIGNING_STRING}: the name, a colon and a space, for a zero-length value`,
    add: [['X-Empty', '']],
    covered: `${FIVE} x-empty`,
    signed: string => string.replace('x-empty: ', 'x-empty:'),
    verdict: rejected('signature-mismatch')
  }),
  vector('coverage-of-white-space-inside', {
    source: `${SIGNING_STRING}: leading and trailing white space is removed`,
    add: [['X-Text', '\t two  spaces,\tone tab \t']],
    covered: `${FIVE} x-text`,
    verdict: VERIFIED
  }),
  vector('coverage-of-white-space-collapsed-on-the-way', {
    source: `${SIGNING_STRING}: leading and trailing white space is removed`,
    add: [['X-Text', 'two  spaces']],
    covered: `${FIVE} x-text`,
    received: { set: { 'X-Text': 'two spaces' } },
    verdict: rejected('signature-mismatch')
  }),
  vector('coverage-of-a-no-break-space-at-the-end', {
    source: 'RFC 9110 section 5.6.3: OWS is space and tab',
    add: [['X-Text', 'a\xa0']],
    covered: `${FIVE} x-text`,
    verdict: VERIFIED
  }),
  vector('coverage-of-the-signature-itself', {
    note: 'A signature cannot be over itself.',
    covered: `${FIVE} signature`,
    absentAs: 'keyId="one._domainkey.service.example"',
    verdict: rejected('signature-mismatch')
  })
]
