import { COVERED, FIVE, vector } from '../recipe.ts'
import { rejected, VERIFIED } from '../verdicts.ts'

const MALFORMED = rejected('request-malformed')
const METHOD = 'RFC 9110 section 9.1: method = token'
const TARGET = 'RFC 9112 section 3.2: a request-target has no white space and no line break'
const NAME = 'RFC 9110 section 5.1: field-name = token'
const COUNT =
  'RFC 9110 section 5.4: a server refuses more fields than it wishes to process; fixtures/README.md: 500 lines'
const VALUE = 'RFC 9110 section 5.5: a field value with CR, LF or NUL is invalid'

/** Lines beside the eight of the ordinary request. */
const fillers = (count: number) => Array.from({ length: count }, () => ['X', '1'] as const)

export const source = 'RFC 9110 sections 5.1, 5.5 and 9.1'
export const vectors = [
  vector('request-method-empty', { source: METHOD, received: { method: '' }, verdict: MALFORMED }),
  vector('request-method-line-feed', {
    source: METHOD,
    received: { method: 'POST\n(created): 1' },
    verdict: MALFORMED
  }),
  vector('request-method-carriage-return', {
    source: METHOD,
    received: { method: 'POST\r' },
    verdict: MALFORMED
  }),
  vector('request-method-nul', { source: METHOD, received: { method: 'POST\0' }, verdict: MALFORMED }),
  vector('request-method-space', {
    source: METHOD,
    note: 'With a space in the method, "post /a" and "/b" would be signed as "post" and "/a /b" are.',
    method: 'POST',
    target: '/a /b',
    received: { method: 'POST /a', target: '/b' },
    verdict: MALFORMED
  }),
  vector('request-method-separator', { source: METHOD, received: { method: 'PO(ST' }, verdict: MALFORMED }),
  vector('request-method-not-ascii', {
    source: METHOD,
    note: 'The Kelvin sign becomes a "k" in lower case: LINK would be signed.',
    method: 'LINK',
    received: { method: 'LIN\u212a' },
    verdict: MALFORMED
  }),
  vector('request-method-of-every-token-character', {
    source: METHOD,
    method: "!#$%&'*+-.^_`|~09Az",
    verdict: VERIFIED
  }),
  vector('request-target-line-feed', {
    source: TARGET,
    received: { target: '/hook?id=42\nhost: hooks.example.com' },
    verdict: MALFORMED
  }),
  vector('request-target-carriage-return', {
    source: TARGET,
    received: { target: '/hook\r?id=42' },
    verdict: MALFORMED
  }),
  vector('request-target-nul', { source: TARGET, received: { target: '/hook\0?id=42' }, verdict: MALFORMED }),
  vector('request-target-empty', { source: TARGET, received: { target: '' }, verdict: MALFORMED }),
  vector('request-name-empty', { source: NAME, received: { add: [['', 'x']] }, verdict: MALFORMED }),
  vector('request-name-space-at-the-end', {
    source: 'RFC 9112 section 5.1: white space before the colon is refused with 400',
    received: { add: [['X-Extra ', 'x']] },
    verdict: MALFORMED
  }),
  vector('request-name-space-inside', {
    source: NAME,
    received: { add: [['X Extra', 'x']] },
    verdict: MALFORMED
  }),
  vector('request-name-colon', { source: NAME, received: { add: [['X-Extra:', 'x']] }, verdict: MALFORMED }),
  vector('request-name-line-break', {
    source: NAME,
    received: { add: [['X-Extra\r\nHost', 'x']] },
    verdict: MALFORMED
  }),
  vector('request-name-nul', { source: NAME, received: { add: [['Host\0', 'x']] }, verdict: MALFORMED }),
  vector('request-name-not-ascii', {
    source: NAME,
    received: { add: [['H\xf4st', 'x']] },
    verdict: MALFORMED
  }),
  vector('request-name-parentheses', {
    source: NAME,
    note: 'A header of this name must not take the place of the special name.',
    received: { add: [['(request-target)', 'post /hook?id=42']] },
    verdict: MALFORMED
  }),
  vector('request-name-of-every-token-character', {
    source: NAME,
    add: [["!#$%&'*+-.^_`|~09Az", 'x']],
    covered: `${COVERED} !#$%&'*+-.^_\`|~09aZ`,
    verdict: VERIFIED
  }),
  vector('request-value-line-feed', {
    source: VALUE,
    note: 'Signed as two lines, received as one header whose value holds the second: X-Service-ID is not there at all.',
    covered: FIVE,
    set: { 'X-Nonce': null },
    received: {
      set: { Date: 'Fri, 20 Nov 2026 12:00:00 GMT\nx-service-id: account-1234', 'X-Service-ID': null }
    },
    verdict: MALFORMED
  }),
  vector('request-value-carriage-return', {
    source: VALUE,
    received: { add: [['X-Extra', 'a\rb']] },
    verdict: MALFORMED
  }),
  vector('request-value-nul', {
    source: VALUE,
    received: { add: [['X-Extra', 'a\0b']] },
    verdict: MALFORMED
  }),
  vector('request-value-line-break-at-the-end', {
    source: VALUE,
    received: { add: [['X-Extra', 'a\r\n']] },
    verdict: MALFORMED
  }),
  vector('request-value-folded', {
    source: 'RFC 9112 section 5.2: a server refuses obs-fold or replaces it before it is processed',
    received: { add: [['X-Extra', 'a\r\n b']] },
    verdict: MALFORMED
  }),
  vector('request-value-line-break-in-signature', {
    source: VALUE,
    header: parts => parts.all.replace(',headers', ',\r\n headers'),
    verdict: MALFORMED
  }),
  vector('request-value-with-tab', {
    source: 'RFC 9110 section 5.5: a tab may stand inside a field value',
    add: [['X-Extra', 'a\tb']],
    covered: `${COVERED} x-extra`,
    verdict: VERIFIED
  }),
  vector('request-value-with-octets-above-ascii', {
    source: 'RFC 9110 section 5.5: obs-text = %x80-FF',
    note: 'The octets are signed as they are: this é is the one octet E9.',
    add: [['X-Extra', 'caf\xe9']],
    covered: `${COVERED} x-extra`,
    verdict: VERIFIED
  }),
  vector('request-500-header-lines', { source: COUNT, add: fillers(492), verdict: VERIFIED }),
  vector('request-501-header-lines', { source: COUNT, add: fillers(493), verdict: MALFORMED }),
  vector('request-malformed-and-nothing-else-is-judged', {
    note: 'If the request is not well-formed HTTP, no other check runs: it is also too old and not over HTTPS.',
    https: false,
    set: { Date: 'Fri, 20 Nov 2020 12:00:00 GMT' },
    received: { add: [['X Extra', 'x']] },
    verdict: MALFORMED
  })
]
