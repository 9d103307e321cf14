import { rule, rules } from './rule.ts'

export const COVERAGE = rules(
  'Coverage',
  rule('the five names', 'coverage-of-the-five-alone coverage-in-another-order', {
    'coverage-insufficient': `coverage-without-request-target coverage-without-host coverage-without-date
        coverage-without-x-service-id coverage-without-digest coverage-without-digest-and-another-body
        coverage-of-one-header coverage-of-content-digest-instead
        coverage-of-a-header-named-like-the-special-name`
  }),
  rule(
    'what else the receiver asks for (alsoCovered)',
    'coverage-with-what-the-receiver-asks-for coverage-with-created-that-the-receiver-asks-for',
    {
      'coverage-insufficient':
        'coverage-without-what-the-receiver-asks-for coverage-without-created-that-the-receiver-asks-for'
    }
  ),
  rule('no name twice', 'coverage-of-a-repeated-header', {
    'coverage-repeated': `coverage-repeated coverage-repeated-in-another-case coverage-repeated-special-name
        coverage-repeated-for-a-repeated-header`
  }),
  rule(
    'every listed header is in the request',
    'coverage-of-a-header-named-constructor coverage-of-a-header-named-proto',
    {
      'coverage-absent': `coverage-absent-signed-as-empty coverage-absent-signed-as-undefined
        coverage-absent-signed-as-null coverage-absent-left-out-of-the-signing-string
        coverage-absent-constructor coverage-absent-proto coverage-absent-tostring
        coverage-absent-hasownproperty coverage-absent-taken-out-on-the-way`
    }
  )
)

export const SIGNING_STRING = rules(
  'Signing string',
  rule('a line for each covered name, in the order of the list', 'coverage-in-another-order', {
    'signature-mismatch': `signature-list-in-another-order signature-list-shortened signature-list-lengthened
        signature-over-values-alone signature-over-nothing
        coverage-of-the-signature-itself`
  }),
  rule('names in lower case', 'signature-header-names-in-another-case', {
    'signature-mismatch': 'signature-over-names-as-written'
  }),
  rule('lines are joined by LF', 'verified-as-in-the-specification', {
    'signature-mismatch': 'signature-over-carriage-returns signature-over-a-line-feed-at-the-end'
  }),
  rule('name, colon, space, value', 'verified-as-in-the-specification', {
    'signature-mismatch': 'signature-over-no-space-after-the-colon'
  }),
  rule('an empty value leaves the colon and the space', 'coverage-of-an-empty-header', {
    'signature-mismatch': 'coverage-of-an-empty-header-without-the-space'
  }),
  rule(
    'repeated fields are joined by a comma and a space, in order',
    'coverage-of-a-repeated-header coverage-of-repeated-headers-one-empty',
    {
      'signature-mismatch': `coverage-of-a-repeated-header-without-the-space
        coverage-of-a-repeated-header-in-another-order coverage-of-the-last-of-repeated-headers
        digest-covered-twice-over-is-still-one`
    }
  ),
  rule(
    'outer white space is trimmed: space and tab',
    'coverage-of-white-space-inside coverage-of-a-no-break-space-at-the-end',
    { 'signature-mismatch': 'signature-over-outer-white-space' }
  ),
  rule('inner white space is kept', 'coverage-of-white-space-inside', {
    'signature-mismatch': 'coverage-of-white-space-collapsed-on-the-way'
  }),
  rule(
    '(request-target): the method in lower case, a space',
    `signature-method-in-another-case verified-get verified-head verified-delete verified-options verified-put
      verified-patch`,
    {
      'signature-mismatch':
        'signature-over-upper-case-method signature-over-a-target-without-method signature-method-changed'
    }
  ),
  rule(
    '(request-target): the target as it is',
    `verified-target-percent-encoded verified-target-dot-segments verified-target-empty-query
      verified-target-without-query verified-target-query-with-question-mark verified-target-double-slashes
      verified-target-colons-and-commas verified-target-absolute-form verified-target-authority-form`,
    {
      'signature-mismatch': `signature-target-decoded-on-the-way signature-target-in-another-encoding
        signature-dot-segments-removed-on-the-way signature-slashes-merged-on-the-way
        signature-over-a-target-without-query signature-path-changed signature-query-changed
        signature-query-cut-off signature-path-in-another-case signature-fragment-added
        signature-target-made-absolute signature-prefix-removed-by-a-proxy`
    }
  ),
  rule('one octet for a character', 'request-value-with-octets-above-ascii signature-over-utf-8-octets', {
    'signature-mismatch': 'signature-over-utf-8 signature-header-decoded-as-utf-8 signature-header-beyond-octets'
  })
)

export const SIGNATURE = rules(
  'Signature',
  rule('made with the key at the name', 'verified-with-another-key', {
    'signature-mismatch': `signature-by-another-key signature-by-a-key-at-another-name
        signature-of-another-request signature-all-zero signature-one signature-one-bit-changed`
  }),
  rule('what is signed arrives unchanged; what is not may change', 'signature-unsigned-header-added', {
    'signature-mismatch': `signature-date-changed signature-date-in-another-form signature-nonce-changed
        signature-content-type-changed signature-content-length-changed signature-digest-and-body-changed
        signature-digest-name-in-another-case signature-header-not-ascii-changed host-changed-on-the-way
        account-changed-on-the-way date-fresh-but-not-signed`
  }),
  rule(
    'RSASSA-PKCS1-v1_5: the one encoding, with NULL, and nothing behind the digest',
    'signature-rsa-sha512 key-exponent-3',
    {
      'signature-mismatch': `signature-over-digest-info-without-null signature-over-bytes-behind-the-digest
        signature-over-a-bare-digest signature-with-block-type-2 signature-with-another-padding-byte
        signature-forged-cube`
    }
  ),
  rule('RSA: as long as the modulus', 'signature-that-starts-with-zero', {
    'signature-mismatch': `signature-zero-in-front-cut-off signature-with-zero-in-front signature-cut-off
        signature-with-a-byte-more signature-of-one-byte signature-hexadecimal`
  }),
  rule('RSA: smaller than the modulus', 'signature-that-starts-with-zero', {
    'signature-mismatch': `signature-plus-modulus signature-hs2019-plus-modulus signature-modulus
        signature-modulus-minus-one`
  }),
  rule('Ed25519: 64 bytes, the second half below the order of the group', 'signature-ed25519', {
    'signature-mismatch': `signature-ed25519-plus-order signature-ed25519-cut-off
        signature-ed25519-with-a-byte-more signature-ed25519-one-bit-changed signature-ed25519-all-zero`
  })
)
