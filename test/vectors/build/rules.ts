/** A rule of the grammar, with vectors that keep it and are verified, and vectors that break it and are not. */
export interface Rule {
  part: string
  rule: string
  keep: readonly string[]
  break: readonly string[]
}

const rules = (
  part: string,
  ...list: readonly (readonly [rule: string, keep: string, broken: string])[]
): Rule[] =>
  list.map(([rule, keep, broken]) => ({ part, rule, keep: keep.split(' '), break: broken.split(' ') }))

export const RULES: readonly Rule[] = [
  ...rules(
    'Request',
    [
      'the method is a token',
      'request-method-of-every-token-character verified-m-search',
      'request-method-empty request-method-space request-method-not-ascii'
    ],
    [
      'a header name is a token',
      'request-name-of-every-token-character',
      'request-name-empty request-name-colon request-name-space-at-the-end'
    ],
    [
      'no CR, LF or NUL in the target or a value',
      'request-value-with-tab request-value-with-octets-above-ascii',
      'request-target-line-feed request-value-carriage-return request-value-nul'
    ]
  ),
  ...rules(
    'Date',
    ['IMF-fixdate', 'date-imf-fixdate', 'date-one-digit-day date-lower-case-month date-iso-8601'],
    [
      'rfc850-date',
      'date-rfc850 date-rfc850-last-century-then',
      'date-rfc850-four-digit-year date-rfc850-short-weekday'
    ],
    [
      'asctime-date',
      'date-asctime date-asctime-one-digit-day-today',
      'date-asctime-one-digit-day-unpadded date-asctime-with-zone'
    ],
    [
      'the day exists and is the weekday that it says',
      'date-leap-day-today',
      'date-30-february date-wrong-weekday'
    ],
    ['a leap second ends a day', 'date-leap-second-now', 'date-second-60-within-the-day'],
    ['one Date', 'date-imf-fixdate', 'date-repeated date-missing'],
    [
      'within the tolerance',
      'date-as-old-as-allowed date-as-far-ahead-as-allowed',
      'date-too-old date-in-future'
    ]
  ),
  ...rules(
    'Host',
    ['compared without case', 'host-upper-case host-configured-in-upper-case', 'host-with-kelvin-sign'],
    [
      'the default port may be left out',
      'host-with-default-port host-without-configured-default-port',
      'host-with-another-port host-without-configured-port'
    ],
    ['one Host', 'host-second-of-two', 'host-repeated host-two-in-one']
  ),
  ...rules(
    'Account',
    [
      'the prefix and an id',
      'account-second-of-two',
      'account-without-prefix account-prefix-alone account-prefix-in-another-case'
    ],
    ['one header', 'account-with-white-space-around', 'account-repeated account-two-in-one']
  ),
  ...rules(
    'Signature header',
    ['parameters in any order', 'signature-other-order', 'signature-two-commas signature-comma-at-the-end'],
    [
      'optional white space around commas',
      'signature-white-space-after-commas signature-white-space-around-commas',
      'signature-no-break-space-between signature-space-before-equals'
    ],
    [
      'unknown parameters are ignored',
      'signature-unknown-parameter signature-unknown-parameter-not-quoted',
      'signature-parameter-name-alone signature-unknown-twice'
    ],
    [
      'no parameter twice',
      'signature-parameter-named-proto',
      'signature-key-id-twice signature-signature-twice signature-headers-twice'
    ],
    [
      'names are case-sensitive',
      'signature-parameter-named-in-another-case',
      'signature-key-id-in-another-case'
    ],
    [
      'strings are quoted',
      'signature-comma-and-equals-in-quotes',
      'signature-key-id-not-quoted signature-single-quotes signature-quote-not-closed'
    ],
    [
      'a quoted-pair ends no string',
      'signature-quoted-quote-hides-nothing signature-quoted-backslash-before-the-end',
      'signature-quote-escaped-at-the-end signature-quoted-quote-hides-a-parameter'
    ],
    [
      'created and expires are bare integers',
      'signature-created signature-expires',
      'signature-created-quoted signature-expires-with-fraction signature-created-with-zero-before'
    ],
    [
      'nothing after the last parameter',
      'signature-white-space-around-it',
      'signature-text-after-the-end signature-second-header-value-after-the-end'
    ],
    [
      'keyId and signature are there',
      'signature-other-order',
      'signature-without-key-id signature-without-signature'
    ],
    ['one Signature', 'signature-unknown-parameter', 'signature-repeated signature-missing'],
    [
      'the list has names separated by one space',
      'coverage-of-the-five-alone',
      'signature-headers-with-two-spaces signature-headers-with-commas signature-headers-with-empty'
    ],
    [
      'without a list, (created) is covered',
      'coverage-with-created-that-the-receiver-asks-for',
      'coverage-without-a-list'
    ],
    [
      'base64 is canonical',
      'signature-that-starts-with-zero',
      'signature-base64-with-stray-bits signature-base64-without-padding signature-base64-url-alphabet signature-base64-with-space'
    ]
  ),
  ...rules(
    'Algorithm',
    [
      'one of the allowed ones, without case',
      'signature-algorithm-upper-case signature-rsa-sha512',
      'signature-algorithm-none signature-algorithm-hmac signature-algorithm-not-allowed'
    ],
    [
      'absent: that of the key',
      'signature-algorithm-absent key-type-ed25519-without-algorithm',
      'signature-sha512-under-rsa-sha256'
    ],
    [
      'it fits the key',
      'signature-hs2019-rsa signature-hs2019-ed25519',
      'key-type-ed25519-for-rsa-sha256 signature-pkcs1-under-hs2019'
    ]
  ),
  ...rules(
    'Times',
    [
      'created is recent',
      'signature-created-as-old-as-allowed',
      'signature-created-too-old signature-created-in-future'
    ],
    ['expires has not passed', 'signature-expires signature-expired-as-long-as-allowed', 'signature-expired'],
    [
      'covered, they need their parameter',
      'signature-created-covered signature-created-and-expires-covered',
      'signature-created-covered-without-parameter signature-expires-covered-without-parameter'
    ],
    [
      'never covered with rsa, hmac or ecdsa',
      'signature-created-with-rsa-but-not-covered',
      'signature-created-covered-with-rsa signature-expires-covered-with-rsa'
    ]
  ),
  ...rules(
    'Coverage',
    [
      'the five names',
      'coverage-of-the-five-alone coverage-in-another-order',
      'coverage-without-request-target coverage-without-host coverage-without-date coverage-without-x-service-id coverage-without-digest'
    ],
    ['no name twice', 'coverage-of-a-repeated-header', 'coverage-repeated coverage-repeated-in-another-case'],
    [
      'every listed header is there',
      'coverage-of-a-header-named-constructor',
      'coverage-absent-signed-as-empty coverage-absent-constructor'
    ],
    ['names in any case', 'coverage-in-upper-case', 'signature-headers-with-kelvin-sign']
  ),
  ...rules(
    'Signing string',
    ['names in lower case', 'signature-header-names-in-another-case', 'signature-over-names-as-written'],
    [
      'lines are joined by LF',
      'verified-as-in-the-specification',
      'signature-over-carriage-returns signature-over-a-line-feed-at-the-end'
    ],
    [
      'a colon and a space',
      'coverage-of-an-empty-header',
      'signature-over-no-space-after-the-colon coverage-of-an-empty-header-without-the-space'
    ],
    [
      'repeated fields are joined by a comma and a space, in order',
      'coverage-of-a-repeated-header coverage-of-repeated-headers-one-empty',
      'coverage-of-a-repeated-header-without-the-space coverage-of-a-repeated-header-in-another-order'
    ],
    [
      'outer white space is trimmed, inner kept',
      'coverage-of-white-space-inside coverage-of-a-no-break-space-at-the-end',
      'coverage-of-white-space-collapsed-on-the-way'
    ],
    [
      '(request-target): the method in lower case, the raw target',
      'signature-method-in-another-case verified-target-percent-encoded verified-target-dot-segments',
      'signature-over-upper-case-method signature-target-decoded-on-the-way signature-over-a-target-without-query'
    ],
    [
      'one octet for a character',
      'request-value-with-octets-above-ascii',
      'signature-over-utf-8 signature-header-beyond-octets'
    ]
  ),
  ...rules(
    'keyId',
    [
      'lower case, one trailing dot dropped',
      'key-name-upper-case key-name-trailing-dot',
      'key-name-two-trailing-dots key-name-root'
    ],
    [
      'labels of 1 to 63 of a-z, 0-9, _ and -',
      'key-name-longest-label key-name-underscores-and-hyphens',
      'key-name-label-of-64 key-name-two-dots key-name-space key-name-backslash'
    ],
    ['at most 253 characters', 'key-name-longest-name', 'key-name-of-254 key-name-of-255'],
    ['ASCII', 'key-name-digits', 'key-name-full-width-letters key-name-kelvin-sign'],
    [
      'a subdomain, on a label boundary',
      'key-name-right-below-the-domain key-name-many-labels',
      'key-name-the-domain-itself key-name-ends-like-the-domain key-name-domain-in-front'
    ]
  ),
  ...rules(
    'Digest',
    [
      'instances separated by commas',
      'digest-both digest-both-with-white-space',
      'digest-comma-at-the-end digest-two-commas digest-semicolon-between'
    ],
    [
      'names without case',
      'digest-name-in-lower-case digest-name-in-mixed-case',
      'digest-sha256-without-hyphen'
    ],
    [
      'SHA-256 or SHA-512 is there',
      'digest-sha-256 digest-sha-512 digest-with-md5',
      'digest-md5-alone digest-sha-1-alone'
    ],
    [
      'each of the two matches',
      'digest-both digest-twice',
      'digest-both-first-wrong digest-both-second-wrong digest-twice-one-wrong'
    ],
    [
      'base64 is canonical',
      'digest-of-a-binary-body',
      'digest-stray-bits digest-url-alphabet digest-without-padding'
    ],
    [
      'Content-Digest never counts',
      'digest-right-content-digest-wrong',
      'digest-only-as-content-digest digest-wrong-content-digest-right'
    ]
  ),
  ...rules(
    'Key record',
    ['strings are joined', 'key-record-in-chunks', 'key-record-two-semicolons'],
    ['white space in p=', 'key-record-folded', 'key-revoked-with-white-space'],
    [
      'v=DKIM1, first, or absent',
      'key-record-without-version',
      'key-record-version-not-first key-version-lower-case'
    ],
    [
      'tags once, names and values',
      'key-record-semicolon-at-the-end key-record-unknown-tags',
      'key-record-tag-twice key-record-tag-without-equals key-record-in-quotes'
    ],
    ['k= rsa, ed25519 or absent', 'key-type-absent key-type-ed25519', 'key-type-dsa key-type-upper-case'],
    [
      'h= allows the hash',
      'key-hash-list key-hash-unknown-in-the-list',
      'key-hash-sha1 key-hash-sha512 key-hash-empty'
    ],
    ['s= for email or any', 'key-service-any key-service-email', 'key-service-other'],
    ['t= without y', 'key-flag-strict key-flag-unknown', 'key-test-only key-testing-in-a-list'],
    [
      'p= is canonical base64 of one key in DER',
      'key-pkcs1',
      'key-encoding-stray-bits key-encoding-trailing-bytes key-record-without-p key-revoked'
    ],
    ['RSA of 1024 to 8192 bits', 'verified-with-a-short-key', 'key-too-short-1023-bits key-too-long'],
    [
      'an odd exponent of at least 3',
      'signature-that-starts-with-zero',
      'key-weak-exponent-1 key-weak-exponent-65536'
    ],
    ['others beside it are ignored', 'key-records-spf-before key-records-spf-after', 'key-records-spf-alone'],
    [
      'at most four are tried',
      'key-records-two-second-good key-records-four-last-good',
      'key-records-five-last-good'
    ]
  ),
  ...rules(
    'Signature',
    [
      'RSASSA-PKCS1-v1_5, the exact encoding',
      'signature-rsa-sha512',
      'signature-over-digest-info-without-null signature-over-bytes-behind-the-digest signature-forged-cube'
    ],
    ['RSASSA-PSS with SHA-512', 'signature-hs2019-rsa', 'signature-pss-sha256-under-hs2019'],
    [
      'as long as the modulus, and below it',
      'signature-that-starts-with-zero',
      'signature-zero-in-front-cut-off signature-with-zero-in-front signature-plus-modulus'
    ],
    ['Ed25519', 'signature-ed25519', 'signature-ed25519-plus-order signature-ed25519-cut-off']
  )
]

/** The table of fixtures/README.md. */
export function rulesTable(): string {
  const list = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(', ')
  return [
    `${RULES.length} rules.`,
    '',
    '| part | rule | verified | not verified |',
    '|---|---|---|---|',
    ...RULES.map(
      ({ part, rule, keep, break: broken }) => `| ${part} | ${rule} | ${list(keep)} | ${list(broken)} |`
    )
  ].join('\n')
}
