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
  vector('request-method-empty', MALFORMED, { source: METHOD, received: { method: '' } }),
  vector('request-method-line-feed', MALFORMED, {
    source: METHOD,
    received: { method: 'POST\n(created): 1' }
  }),
  vector('request-method-carriage-return', MALFORMED, {
    source: METHOD,
    received: { method: 'POST\r' }
  }),
  vector('request-method-nul', MALFORMED, { source: METHOD, received: { method: 'POST\0' } }),
  vector('request-method-space', MALFORMED, {
    source: METHOD,
    note: 'With a space in the method, "post /a" and "/b" would be signed as "post" and "/a /b" are.',
    method: 'POST',
    target: '/a /b',
    received: { method: 'POST /a', target: '/b' }
  }),
  vector('request-method-separator', MALFORMED, { source: METHOD, received: { method: 'PO(ST' } }),
  vector('request-method-not-ascii', MALFORMED, {
    source: METHOD,
    note: 'The Kelvin sign becomes a "k" in lower case: LINK would be signed.',
    method: 'LINK',
    received: { method: 'LIN\u212a' }
  }),
  vector('request-method-of-every-token-character', VERIFIED, {
    source: METHOD,
    method: "!#$%&'*+-.^_`|~09Az"
  }),
  vector('request-target-line-feed', MALFORMED, {
    source: TARGET,
    received: { target: '/hook?id=42\nhost: hooks.example.com' }
  }),
  vector('request-target-carriage-return', MALFORMED, {
    source: TARGET,
    received: { target: '/hook\r?id=42' }
  }),
  vector('request-target-nul', MALFORMED, { source: TARGET, received: { target: '/hook\0?id=42' } }),
  vector('request-target-empty', MALFORMED, { source: TARGET, received: { target: '' } }),
  vector('request-name-empty', MALFORMED, { source: NAME, received: { add: [['', 'x']] } }),
  vector('request-name-space-at-the-end', MALFORMED, {
    source: 'RFC 9112 section 5.1: white space before the colon is refused with 400',
    received: { add: [['X-Extra ', 'x']] }
  }),
  vector('request-name-space-inside', MALFORMED, {
    source: NAME,
    received: { add: [['X Extra', 'x']] }
  }),
  vector('request-name-colon', MALFORMED, { source: NAME, received: { add: [['X-Extra:', 'x']] } }),
  vector('request-name-line-break', MALFORMED, {
    source: NAME,
    received: { add: [['X-Extra\r\nHost', 'x']] }
  }),
  vector('request-name-nul', MALFORMED, { source: NAME, received: { add: [['Host\0', 'x']] } }),
  vector('request-name-not-ascii', MALFORMED, {
    source: NAME,
    received: { add: [['H\xf4st', 'x']] }
  }),
  vector('request-name-parentheses', MALFORMED, {
    source: NAME,
    note: 'A header of this name must not take the place of the special name.',
    received: { add: [['(request-target)', 'post /hook?id=42']] }
  }),
  vector('request-name-of-every-token-character', VERIFIED, {
    source: NAME,
    add: [["!#$%&'*+-.^_`|~09Az", 'x']],
    covered: `${COVERED} !#$%&'*+-.^_\`|~09aZ`
  }),
  vector('request-value-line-feed', MALFORMED, {
    source: VALUE,
    note: 'Signed as two lines, received as one header whose value holds the second: X-Service-ID is not there at all.',
    covered: FIVE,
    set: { 'X-Nonce': null },
    received: {
      set: { Date: 'Fri, 20 Nov 2026 12:00:00 GMT\nx-service-id: account-1234', 'X-Service-ID': null }
    }
  }),
  vector('request-value-carriage-return', MALFORMED, {
    source: VALUE,
    received: { add: [['X-Extra', 'a\rb']] }
  }),
  vector('request-value-nul', MALFORMED, {
    source: VALUE,
    received: { add: [['X-Extra', 'a\0b']] }
  }),
  vector('request-value-line-break-at-the-end', MALFORMED, {
    source: VALUE,
    received: { add: [['X-Extra', 'a\r\n']] }
  }),
  vector('request-value-folded', MALFORMED, {
    source: 'RFC 9112 section 5.2: a server refuses obs-fold or replaces it before it is processed',
    received: { add: [['X-Extra', 'a\r\n b']] }
  }),
  vector('request-value-line-break-in-signature', MALFORMED, {
    source: VALUE,
    header: parts => parts.all.replace(',headers', ',\r\n headers')
  }),
  vector('request-value-with-tab', VERIFIED, {
    source: 'RFC 9110 section 5.5: a tab may stand inside a field value',
    add: [['X-Extra', 'a\tb']],
    covered: `${COVERED} x-extra`
  }),
  vector('request-value-with-octets-above-ascii', VERIFIED, {
    source: 'RFC 9110 section 5.5: obs-text = %x80-FF',
    note: 'The octets are signed as they are: this é is the one octet E9.',
    add: [['X-Extra', 'caf\xe9']],
    covered: `${COVERED} x-extra`
  }),
  vector('request-500-header-lines', VERIFIED, { source: COUNT, add: fillers(492) }),
  vector('request-501-header-lines', MALFORMED, { source: COUNT, add: fillers(493) }),
  vector('request-malformed-and-nothing-else-is-judged', MALFORMED, {
    note: 'If the request is not well-formed HTTP, no other check runs: it is also too old and not over HTTPS.',
    https: false,
    set: { Date: 'Fri, 20 Nov 2020 12:00:00 GMT' },
    received: { add: [['X Extra', 'x']] }
  })
]
