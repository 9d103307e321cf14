/**
 * The rules of fixtures/README.md, each with vectors that keep it and are verified, and vectors that break it and are
 * refused with the codes that the rule demands. Every vector of the draft stands here.
 */
export interface Rule {
  part: string
  rule: string
  keep: readonly string[]
  break: readonly Break[]
  /** why there is no vector of one of the two kinds */
  why?: string
}

/** A vector, and the codes of all its failures, in order. */
export interface Break {
  codes: string
  name: string
}

/** Vectors that break a rule, by the codes of all their failures; names stand in one text. */
type Broken = Readonly<Record<string, string>>

const NONE = ''

const rules = (
  part: string,
  ...list: readonly (readonly [rule: string, keep: string, broken: Broken, why?: string])[]
): Rule[] =>
  list.map(([rule, keep, broken, why]) => ({
    part,
    rule,
    keep: namesIn(keep),
    break: Object.entries(broken).flatMap(([codes, names]) => namesIn(names).map(name => ({ codes, name }))),
    ...(why !== undefined && { why })
  }))

const namesIn = (text: string): string[] => text.split(/\s+/).filter(name => name !== '')

const REQUEST = rules(
  'Request',
  [
    'the method is a token',
    'request-method-of-every-token-character verified-m-search verified-propfind',
    {
      'request-malformed': `request-method-empty request-method-space request-method-separator
        request-method-not-ascii request-method-line-feed request-method-carriage-return request-method-nul`
    }
  ],
  [
    'the target is not empty',
    'verified-target-root verified-target-asterisk',
    { 'request-malformed': 'request-target-empty' }
  ],
  [
    'no CR, LF or NUL in the target',
    'verified-target-percent-encoded verified-target-octets-above-ascii',
    { 'request-malformed': 'request-target-line-feed request-target-carriage-return request-target-nul' }
  ],
  [
    'a header name is a token',
    'request-name-of-every-token-character',
    {
      'request-malformed': `request-name-empty request-name-colon request-name-space-at-the-end
        request-name-space-inside request-name-not-ascii request-name-parentheses`
    }
  ],
  [
    'no CR, LF or NUL in a header name',
    'request-name-of-every-token-character',
    { 'request-malformed': 'request-name-line-break request-name-nul' }
  ],
  [
    'no CR, LF or NUL in a header value',
    'request-value-with-tab request-value-with-octets-above-ascii',
    {
      'request-malformed': `request-value-line-feed request-value-carriage-return request-value-nul
        request-value-line-break-at-the-end request-value-folded request-value-line-break-in-signature key-name-nul`
    }
  ],
  [
    'at most 500 header lines',
    'request-500-header-lines',
    { 'request-malformed': 'request-501-header-lines' }
  ],
  [
    'after a malformed request, no other check runs',
    NONE,
    { 'request-malformed': 'request-malformed-and-nothing-else-is-judged' },
    'where the request is well formed, all other checks run'
  ]
)

const HTTPS = rules('HTTPS', [
  'it arrived over HTTPS, unless that is not required',
  'verified-as-in-the-specification https-not-required https-not-required-and-there',
  { 'not-https': 'https-missing https-claimed-by-a-forwarding-header' }
])

const DATE = rules(
  'Date',
  [
    'one Date',
    'date-imf-fixdate',
    {
      'date-missing coverage-absent': 'date-missing date-only-in-another-header',
      'date-repeated': 'date-repeated date-repeated-with-the-same-value',
      'date-malformed': 'date-two-in-one'
    }
  ],
  [
    'IMF-fixdate',
    'date-imf-fixdate date-with-white-space-around',
    {
      'date-malformed': `date-one-digit-day date-one-digit-hour date-two-digit-year date-imf-fixdate-long-weekday
        date-five-digit-year date-no-weekday date-no-seconds date-fraction date-two-spaces`
    }
  ],
  [
    'rfc850-date',
    'date-rfc850',
    { 'date-malformed': 'date-rfc850-four-digit-year date-rfc850-short-weekday' }
  ],
  [
    'two digits of a year are 1970 to 2069',
    'date-rfc850 date-rfc850-last-century-then',
    {
      'date-in-future': 'date-rfc850-year-69',
      'date-too-old': 'date-rfc850-year-70 date-rfc850-last-century',
      'date-malformed': 'date-rfc850-year-69-weekday-of-1969 date-rfc850-year-70-weekday-of-2070'
    }
  ],
  [
    'asctime-date, its day with two digits or a space and a digit',
    'date-asctime date-asctime-one-digit-day-today',
    { 'date-malformed': 'date-asctime-one-digit-day-unpadded date-asctime-with-zone' }
  ],
  [
    'no other form, and no other zone than GMT',
    'date-imf-fixdate',
    {
      'date-malformed': `date-iso-8601 date-seconds-since-1970 date-utc-for-gmt date-numeric-zone date-other-zone
        date-no-zone date-text-after date-text-before date-quoted date-empty date-no-break-space
        date-no-break-space-at-the-end date-digits-beyond-ascii`
    }
  ],
  [
    'case-sensitive',
    'date-imf-fixdate',
    { 'date-malformed': 'date-lower-case-month date-lower-case-zone date-upper-case-weekday' }
  ],
  [
    'the day and the time exist',
    'date-leap-day-today',
    {
      'date-malformed': `date-30-february date-29-february-of-a-common-year date-31-november date-day-zero date-day-32
        date-24-hours date-60-minutes date-61-seconds`
    }
  ],
  [
    'the day is the weekday that it says',
    'date-leap-day-today',
    { 'date-malformed': 'date-wrong-weekday date-rfc850-wrong-weekday date-asctime-wrong-weekday' }
  ],
  ['a leap second ends a day', 'date-leap-second-now', { 'date-malformed': 'date-second-60-within-the-day' }],
  [
    'within the tolerance',
    'date-as-old-as-allowed date-as-far-ahead-as-allowed date-no-tolerance date-an-hour-tolerance',
    {
      'date-too-old': `date-too-old date-no-tolerance-one-second-off date-same-day-last-year date-leap-day
        date-leap-second date-asctime-one-digit-day date-right-in-another-header`,
      'date-in-future': 'date-in-future date-same-day-next-year'
    }
  ]
)

const HOST = rules(
  'Host',
  [
    'one Host',
    'host-second-of-two',
    {
      'host-missing coverage-absent': 'host-missing host-only-forwarded',
      'host-repeated': 'host-repeated host-repeated-with-the-same-value',
      'host-mismatch': 'host-two-in-one'
    }
  ],
  [
    "one of the receiver's, as a whole",
    'host-second-of-two host-ipv6-literal',
    {
      'host-mismatch': `host-of-another-receiver host-empty host-subdomain host-parent-domain
        host-longer-name-in-front host-longer-name-behind host-trailing-dot host-with-user host-with-scheme
        host-with-path host-percent-encoded host-ipv6-literal-in-another-spelling host-ipv6-literal-without-brackets`
    }
  ],
  [
    'compared without case, in visible ASCII',
    'host-upper-case host-configured-in-upper-case host-ipv6-literal-upper-case-and-default-port',
    { 'host-mismatch': 'host-with-kelvin-sign host-with-full-width-letters host-white-space-inside' }
  ],
  [
    'the default port may be left out or written: 443, and 80 where HTTPS is not required',
    `host-with-default-port host-without-configured-default-port host-with-port-80-where-http-will-do
      host-with-port-443-where-http-will-do host-configured-with-port-80-where-http-will-do`,
    {
      'host-mismatch': `host-with-port-80-over-https host-configured-with-port-80-where-https-is-required
        host-with-empty-port host-with-zero-before-the-port host-with-sign-before-the-port host-with-two-ports
        host-with-space-before-the-port`
    }
  ],
  [
    'another port is part of the name',
    'host-with-configured-port',
    {
      'host-mismatch': 'host-with-another-port host-without-configured-port host-ipv6-literal-another-port'
    }
  ]
)

const ACCOUNT = rules(
  'Account',
  [
    'one header',
    'account-with-white-space-around',
    {
      'account-missing coverage-absent': 'account-missing',
      'account-repeated': 'account-repeated account-repeated-with-the-same-value',
      'account-malformed': 'account-two-in-one account-comma-at-the-end'
    }
  ],
  [
    'the prefix, in its case, and an id',
    'verified-as-in-the-specification account-without-any-prefix',
    {
      'account-malformed': `account-without-prefix account-prefix-alone account-prefix-in-another-case
        account-prefix-not-at-the-start account-empty`
    }
  ],
  [
    'the id has visible ASCII characters without a comma',
    'account-id-of-any-visible-characters',
    {
      'account-malformed': `account-white-space-after-the-prefix account-white-space-in-the-id account-tab-in-the-id
        account-no-break-space-at-the-end account-control-character account-digits-beyond-ascii`
    }
  ],
  [
    'the id has at most 255 characters',
    'account-id-of-255-characters',
    { 'account-malformed': 'account-id-of-256-characters' }
  ],
  [
    'the id is one of ours, with case',
    'account-second-of-two',
    {
      'account-mismatch': `account-of-another-customer account-longer account-shorter account-zero-before
        account-the-same-number account-id-in-another-case account-prefix-twice
        account-named-constructor account-named-proto account-pattern`
    }
  ],
  [
    'header and prefix are configured',
    'account-under-another-brand account-without-any-prefix',
    { 'account-missing coverage-insufficient': 'account-under-the-wrong-brand' }
  ],
  [
    'a function that fails is no answer, and is asked after the signature has verified',
    NONE,
    {
      'account-check-failed': 'account-check-failed several-cannot-tell-and-body',
      'account-malformed': 'account-malformed-is-not-asked-about',
      'signature-mismatch': 'several-signature-and-cannot-tell'
    },
    'the function of a vector can only fail'
  ]
)

const SIGNATURE_HEADER = rules(
  'Signature header',
  [
    'one Signature',
    'signature-unsigned-header-added',
    {
      'signature-missing': 'signature-missing signature-only-in-authorization',
      'signature-repeated': 'signature-repeated'
    }
  ],
  [
    'parameters in any order',
    'signature-other-order signature-unknown-parameter-first',
    {},
    'no order is wrong'
  ],
  [
    'one comma between parameters, none at an end',
    'signature-unknown-parameter',
    {
      'signature-malformed': `signature-two-commas signature-comma-at-the-end signature-comma-at-the-start
        signature-comma-missing signature-nothing-between-parameters signature-semicolons signature-empty`
    }
  ],
  [
    'spaces and tabs around commas',
    'signature-white-space-after-commas signature-white-space-around-commas signature-white-space-around-it',
    { 'signature-malformed': 'signature-no-break-space-between signature-form-feed-between' }
  ],
  [
    'an equals sign without white space between a name and a value',
    'signature-unknown-parameter',
    {
      'signature-malformed': `signature-space-before-equals signature-space-after-equals signature-equals-missing
        signature-colon-for-equals signature-parameter-name-missing signature-parameter-name-quoted
        signature-scheme-in-front signature-json`
    }
  ],
  [
    'unknown parameters are ignored, but well formed',
    `signature-unknown-parameter signature-unknown-parameter-empty signature-unknown-parameter-not-quoted
      signature-unknown-parameter-with-octets-above-ascii signature-parameter-named-proto`,
    {
      'signature-malformed': `signature-parameter-name-alone signature-parameter-value-missing
        signature-control-character-in-quotes signature-delete-in-quotes`
    }
  ],
  [
    'no parameter twice',
    'signature-parameter-named-in-another-case signature-quoted-quote-hides-nothing',
    {
      'signature-parameter-repeated': `signature-key-id-twice signature-algorithm-twice signature-headers-twice
        signature-signature-twice signature-unknown-twice signature-created-twice signature-expires-twice`
    }
  ],
  [
    'names are case-sensitive',
    'signature-parameter-named-in-another-case',
    { 'signature-parameter-missing': 'signature-key-id-in-another-case' }
  ],
  [
    'strings are quoted',
    'signature-comma-and-equals-in-quotes',
    {
      'signature-malformed': `signature-key-id-not-quoted signature-algorithm-not-quoted signature-headers-not-quoted
        signature-signature-not-quoted signature-single-quotes signature-quote-not-closed
        signature-quote-not-opened`
    }
  ],
  [
    'a quoted-pair does not end a string, and is not undone',
    'signature-quoted-quote-hides-nothing signature-quoted-backslash-before-the-end',
    {
      'signature-malformed': `signature-quote-escaped-at-the-end signature-backslash-and-end
        signature-quoted-pair-in-headers`,
      'signature-algorithm-not-allowed': 'signature-quoted-pair-in-algorithm',
      'signature-not-base64': 'signature-quoted-pair-in-signature',
      'key-name-malformed': 'signature-quoted-quote-hides-a-parameter signature-quoted-pairs-in-key-id'
    }
  ],
  [
    'created and expires are bare integers without a zero in front',
    'signature-created signature-expires',
    {
      'signature-malformed': ['created', 'expires']
        .flatMap(name =>
          `quoted negative with-sign with-fraction with-exponent hexadecimal with-zero-before a-word without-value`
            .split(' ')
            .map(form => `signature-${name}-${form}`)
        )
        .join(' '),
      'signature-created-out-of-range': 'signature-created-zero',
      'signature-expired': 'signature-expires-zero'
    }
  ],
  [
    'created and expires have at most 15 digits',
    'signature-expires-of-15-digits',
    {
      'signature-malformed': 'signature-created-of-16-digits signature-expires-of-16-digits',
      'signature-created-out-of-range': 'signature-created-of-15-digits'
    }
  ],
  [
    'nothing after the last parameter',
    'signature-white-space-around-it',
    { 'signature-malformed': 'signature-text-after-the-end signature-second-header-value-after-the-end' }
  ],
  [
    'keyId and signature are there',
    'signature-algorithm-absent',
    {
      'signature-parameter-missing': `signature-without-key-id signature-without-signature
        signature-without-key-id-and-signature`
    }
  ],
  [
    'at most 100 parameters',
    'signature-of-100-parameters',
    { 'signature-malformed': 'signature-of-101-parameters' }
  ],
  [
    'the list has names separated by one space',
    'coverage-of-the-five-alone',
    {
      'signature-malformed': `signature-headers-with-two-spaces signature-headers-with-commas
        signature-headers-with-tabs signature-headers-with-space-at-the-start signature-headers-with-space-at-the-end`
    }
  ],
  [
    'the list has 1 to 100 names',
    'signature-headers-of-100-names',
    {
      'signature-malformed':
        'signature-headers-with-empty signature-headers-with-a-space signature-headers-of-101-names'
    }
  ],
  [
    'a name is a token or one of the three special names',
    'signature-created-and-expires-covered request-name-of-every-token-character',
    {
      'signature-malformed': `signature-headers-with-colon-in-a-name signature-headers-with-octets-above-ascii
        signature-headers-with-unknown-special-name`
    }
  ],
  [
    'names in any case of ASCII',
    'coverage-in-upper-case signature-header-names-in-another-case signature-created-covered-in-another-case',
    { 'signature-malformed': 'signature-headers-with-kelvin-sign signature-headers-with-full-width-letters' }
  ],
  [
    'without a list, (created) is covered',
    NONE,
    { 'coverage-insufficient': 'coverage-without-a-list' },
    'the five names would not be covered; `appendix-c1-default-test` shows how it is parsed'
  ]
)

const BASE64 = rules(
  'Base64 of the signature',
  [
    'the alphabet of RFC 4648 section 4',
    'verified-as-in-the-specification',
    {
      'signature-not-base64': `signature-base64-url-alphabet signature-base64-with-another-character
        signature-base64-with-octets-above-ascii signature-base64-percent-encoded`
    }
  ],
  [
    'no white space',
    'verified-as-in-the-specification',
    {
      'signature-not-base64': `signature-base64-with-space signature-base64-with-tab
        signature-base64-with-space-at-the-start signature-base64-with-space-at-the-end`
    }
  ],
  [
    'padding, as much as needed',
    'verified-as-in-the-specification key-1024-bits',
    {
      'signature-not-base64': `signature-base64-without-padding signature-base64-with-half-the-padding
        signature-base64-with-more-padding signature-base64-only-padding signature-base64-one-character
        signature-base64-with-text-after-the-padding`
    }
  ],
  [
    'the spare bits are zero',
    'signature-that-starts-with-zero',
    { 'signature-not-base64': 'signature-base64-with-stray-bits' }
  ],
  ['at least one byte', 'signature-ed25519', { 'signature-not-base64': 'signature-base64-empty' }]
)

const ALGORITHM = rules(
  'Algorithm',
  [
    'one of the allowed ones',
    'signature-rsa-sha512 signature-hs2019-rsa signature-ed25519',
    {
      'signature-algorithm-not-allowed': `signature-algorithm-none signature-algorithm-empty signature-algorithm-hmac
        signature-algorithm-rsa-sha1 signature-algorithm-rsa-md5 signature-algorithm-rsa signature-algorithm-ecdsa
        signature-algorithm-not-allowed signature-algorithm-hs2019-not-allowed
        signature-algorithm-ed25519-not-allowed signature-hmac-with-the-public-key
        signature-algorithm-named-constructor signature-algorithm-named-proto`
    }
  ],
  [
    'compared without case',
    'signature-algorithm-upper-case signature-algorithm-in-another-case',
    { 'signature-algorithm-not-allowed': 'signature-algorithm-with-space signature-algorithm-list' }
  ],
  [
    'absent: rsa-sha256 for an RSA key, ed25519 for an Ed25519 key, if allowed',
    'signature-algorithm-absent key-type-ed25519-without-algorithm',
    {
      'signature-mismatch': 'signature-absent-algorithm-is-rsa-sha256',
      'key-type-mismatch': `key-type-ed25519-without-algorithm-and-not-allowed
        key-type-rsa-without-algorithm-and-not-allowed`
    }
  ],
  [
    'it fits the type of the key',
    'verified-as-in-the-specification key-type-ed25519 key-records-of-two-types',
    { 'key-type-mismatch': 'key-type-ed25519-for-rsa-sha256 key-type-rsa-for-ed25519' }
  ],
  [
    'rsa-sha256 is RSASSA-PKCS1-v1_5 with SHA-256',
    'verified-as-in-the-specification',
    {
      'signature-mismatch': `signature-sha512-under-rsa-sha256 signature-sha1-under-rsa-sha256
        signature-md5-under-rsa-sha256 signature-pss-under-rsa-sha256 signature-ed25519-under-rsa-sha256
        signature-hmac-under-rsa-sha256`
    }
  ],
  [
    'rsa-sha512 is RSASSA-PKCS1-v1_5 with SHA-512',
    'signature-rsa-sha512',
    { 'signature-mismatch': 'signature-sha256-under-rsa-sha512 signature-pss-under-rsa-sha512' }
  ],
  [
    'hs2019 with an RSA key is RSASSA-PSS with SHA-512, and a salt of any length',
    `signature-hs2019-rsa signature-hs2019-rsa-with-a-salt-of-32-bytes
      signature-hs2019-rsa-with-a-salt-of-0-bytes`,
    {
      'signature-mismatch':
        'signature-pkcs1-under-hs2019 signature-pss-sha256-under-hs2019 signature-hs2019-rsa-by-ed25519'
    }
  ],
  [
    'hs2019 with an Ed25519 key is Ed25519',
    'signature-hs2019-ed25519 key-type-ed25519-for-hs2019',
    { 'signature-mismatch': 'signature-hs2019-ed25519-over-a-hash' }
  ]
)

const TIMES = rules(
  'Times',
  [
    'created is within the tolerance',
    'signature-created-as-old-as-allowed signature-created-as-far-ahead-as-allowed',
    {
      'signature-created-out-of-range': `signature-created-too-old signature-created-in-future
        signature-created-in-milliseconds signature-created-with-own-tolerance signature-created-too-old-with-rsa`
    }
  ],
  [
    'expires has not passed, but for the tolerance',
    'signature-expires signature-expired-as-long-as-allowed',
    { 'signature-expired': 'signature-expired' }
  ],
  [
    'covered, they need their parameter',
    'signature-created-covered signature-created-and-expires-covered',
    {
      'signature-parameter-missing':
        'signature-created-covered-without-parameter signature-expires-covered-without-parameter'
    }
  ],
  [
    'never covered with an algorithm that starts with rsa',
    'signature-created-with-rsa-but-not-covered signature-created-covered-without-algorithm',
    {
      'signature-times-not-allowed': `signature-created-covered-with-rsa signature-expires-covered-with-rsa
        signature-created-covered-with-rsa-in-upper-case signature-created-covered-with-rsa-sha512`
    }
  ],
  [
    'never covered with an algorithm that starts with hmac or ecdsa',
    NONE,
    {
      'signature-algorithm-not-allowed': `signature-created-covered-with-hmac signature-expires-covered-with-hmac
        signature-created-covered-with-ecdsa signature-expires-covered-with-ecdsa`
    },
    'no such algorithm can be allowed, which is reported first'
  ],
  [
    'covered, they are signed',
    'signature-created-covered signature-created-and-expires-covered',
    { 'signature-mismatch': 'signature-created-changed-on-the-way signature-expires-changed-on-the-way' }
  ]
)

const COVERAGE = rules(
  'Coverage',
  [
    'the five names',
    'coverage-of-the-five-alone coverage-in-another-order',
    {
      'coverage-insufficient': `coverage-without-request-target coverage-without-host coverage-without-date
        coverage-without-x-service-id coverage-without-digest coverage-without-digest-and-another-body
        coverage-of-one-header coverage-of-content-digest-instead
        coverage-of-a-header-named-like-the-special-name`
    }
  ],
  [
    'what else the receiver asks for (alsoCovered)',
    'coverage-with-what-the-receiver-asks-for coverage-with-created-that-the-receiver-asks-for',
    {
      'coverage-insufficient':
        'coverage-without-what-the-receiver-asks-for coverage-without-created-that-the-receiver-asks-for'
    }
  ],
  [
    'no name twice',
    'coverage-of-a-repeated-header',
    {
      'coverage-repeated': `coverage-repeated coverage-repeated-in-another-case coverage-repeated-special-name
        coverage-repeated-for-a-repeated-header`
    }
  ],
  [
    'every listed header is in the request',
    'coverage-of-a-header-named-constructor coverage-of-a-header-named-proto',
    {
      'coverage-absent': `coverage-absent-signed-as-empty coverage-absent-signed-as-undefined
        coverage-absent-signed-as-null coverage-absent-left-out-of-the-signing-string
        coverage-absent-constructor coverage-absent-proto coverage-absent-tostring
        coverage-absent-hasownproperty coverage-absent-taken-out-on-the-way`
    }
  ]
)

const SIGNING_STRING = rules(
  'Signing string',
  [
    'a line for each covered name, in the order of the list',
    'coverage-in-another-order',
    {
      'signature-mismatch': `signature-list-in-another-order signature-list-shortened signature-list-lengthened
        signature-over-values-alone signature-over-nothing
        coverage-of-the-signature-itself`
    }
  ],
  [
    'names in lower case',
    'signature-header-names-in-another-case',
    { 'signature-mismatch': 'signature-over-names-as-written' }
  ],
  [
    'lines are joined by LF',
    'verified-as-in-the-specification',
    { 'signature-mismatch': 'signature-over-carriage-returns signature-over-a-line-feed-at-the-end' }
  ],
  [
    'name, colon, space, value',
    'verified-as-in-the-specification',
    { 'signature-mismatch': 'signature-over-no-space-after-the-colon' }
  ],
  [
    'an empty value leaves the colon and the space',
    'coverage-of-an-empty-header',
    { 'signature-mismatch': 'coverage-of-an-empty-header-without-the-space' }
  ],
  [
    'repeated fields are joined by a comma and a space, in order',
    'coverage-of-a-repeated-header coverage-of-repeated-headers-one-empty',
    {
      'signature-mismatch': `coverage-of-a-repeated-header-without-the-space
        coverage-of-a-repeated-header-in-another-order coverage-of-the-last-of-repeated-headers
        digest-covered-twice-over-is-still-one`
    }
  ],
  [
    'outer white space is trimmed: space and tab',
    'coverage-of-white-space-inside coverage-of-a-no-break-space-at-the-end',
    { 'signature-mismatch': 'signature-over-outer-white-space' }
  ],
  [
    'inner white space is kept',
    'coverage-of-white-space-inside',
    { 'signature-mismatch': 'coverage-of-white-space-collapsed-on-the-way' }
  ],
  [
    '(request-target): the method in lower case, a space',
    `signature-method-in-another-case verified-get verified-head verified-delete verified-options verified-put
      verified-patch`,
    {
      'signature-mismatch':
        'signature-over-upper-case-method signature-over-a-target-without-method signature-method-changed'
    }
  ],
  [
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
  ],
  [
    'one octet for a character',
    'request-value-with-octets-above-ascii signature-over-utf-8-octets',
    {
      'signature-mismatch':
        'signature-over-utf-8 signature-header-decoded-as-utf-8 signature-header-beyond-octets'
    }
  ]
)

const KEY_NAME = rules(
  'keyId',
  [
    'in any case, asked for in lower case',
    'key-name-upper-case dns-name-asked-for-in-lower-case',
    {},
    'no case is wrong'
  ],
  [
    'one trailing dot is dropped',
    'key-name-trailing-dot key-name-longest-name-and-trailing-dot',
    { 'key-name-malformed': 'key-name-two-trailing-dots key-name-root' }
  ],
  [
    'labels of 1 to 63',
    'key-name-longest-label',
    {
      'key-name-malformed':
        'key-name-label-of-64 key-name-two-dots key-name-domain-after-a-dot key-name-empty'
    }
  ],
  [
    'of letters, digits, hyphens and underscores',
    'key-name-underscores-and-hyphens key-name-digits',
    {
      'key-name-malformed': `key-name-space key-name-space-at-the-start key-name-space-at-the-end key-name-backslash
        key-name-backslash-dot key-name-wildcard key-name-url key-name-path key-name-fragment key-name-port
        key-name-user key-name-percent-encoded key-name-two-in-one signature-key-id-empty
        signature-key-id-with-a-comma-inside`
    }
  ],
  [
    'at most 253 characters',
    'key-name-longest-name',
    { 'key-name-malformed': 'key-name-of-254 key-name-of-255' }
  ],
  [
    'ASCII alone, before it is put in lower case',
    'key-name-upper-case',
    {
      'key-name-malformed': `key-name-full-width-letters key-name-soft-hyphen key-name-ideographic-full-stop
        key-name-kelvin-sign key-name-no-break-space key-name-octets-above-ascii`
    }
  ],
  [
    'below the domain, on a label boundary',
    'key-name-right-below-the-domain key-name-many-labels key-name-domain-configured-in-upper-case',
    {
      'key-name-outside-domain': `key-name-the-domain-itself key-name-the-domain-itself-with-trailing-dot
        key-name-outside-domain key-name-ends-like-the-domain key-name-ends-like-the-domain-after-a-hyphen
        key-name-domain-in-front key-name-domain-and-another-label key-name-parent key-name-sibling
        key-name-address key-name-not-below-a-longer-domain`
    }
  ],
  [
    'no label xn-- in front of the domain; that is judged before the domain',
    'key-name-below-a-domain-in-punycode',
    {
      'key-name-malformed': `key-name-punycode key-name-punycode-that-decodes key-name-punycode-after-many-labels
        key-name-punycode-before-the-domain key-name-punycode-alone`
    }
  ]
)

const DNS = rules(
  'DNS',
  [
    'the name is there, and has TXT records',
    'dns-long-record verified-with-another-key',
    {
      'key-not-found': `dns-name-does-not-exist dns-another-name-exists dns-name-without-txt dns-no-records
        dns-empty-string dns-record-without-strings body-not-read-without-a-key`
    }
  ],
  ['the lookup ends in time', 'dns-long-record', { 'key-lookup-timeout': 'dns-timeout' }],
  [
    'the lookup does not fail in any other way',
    'dns-long-record',
    {
      'key-lookup-failed': `dns-servfail dns-refused dns-formerr dns-notimp dns-badresp dns-connrefused dns-cancelled
        dns-destruction dns-unknown-code dns-thrown-without-code dns-outage-is-not-a-forgery
        several-cannot-tell-and-dns-outage`
    }
  ],
  [
    'asked only when all checks of the head pass',
    'verified-as-in-the-specification',
    {
      'date-too-old':
        'dns-not-asked-when-a-local-check-fails several-local-and-signature several-no-and-cannot-tell'
    }
  ]
)

const RECORDS = rules(
  'Records at one name',
  [
    'records that are not key records are ignored',
    'key-records-spf-before key-records-spf-after key-records-others-around key-records-five-others-do-not-count',
    { 'key-not-found': 'key-records-spf-alone key-records-dmarc-alone key-records-unrelated-alone' }
  ],
  [
    'a key record has a v= that is empty or starts with DKIM in any case, or a p= and no v=',
    'key-record-without-version key-record-of-p-alone',
    {
      'key-revoked': 'key-records-p-without-version-is-one',
      'key-version-unsupported': 'key-records-version-in-any-case-is-one key-version-empty'
    }
  ],
  [
    'each of several is tried',
    'key-records-two-first-good key-records-two-second-good key-records-the-same-twice key-records-of-two-types',
    { 'signature-mismatch': 'key-records-two-none-good' }
  ],
  [
    'at most four are tried',
    'key-records-four-last-good',
    { 'signature-mismatch': 'key-records-five-last-good' }
  ],
  [
    'a broken one beside a good one does not count',
    'key-records-broken-before key-records-broken-after key-records-revoked-before',
    { 'signature-mismatch': 'key-records-broken-and-another-key' }
  ],
  [
    'when none is good, the first is reported',
    NONE,
    {
      'key-revoked': 'key-records-none-good-first-one-tells',
      'key-malformed': 'key-records-none-good-first-one-tells-other-order'
    },
    'it is about refusals alone'
  ]
)

const KEY_RECORD = rules(
  'Key record',
  [
    'strings are joined with nothing between',
    'key-record-in-chunks',
    { 'key-malformed': 'key-record-in-chunks-that-need-a-space-between' }
  ],
  [
    'tags are separated by one semicolon; one at the end is allowed',
    'key-record-semicolon-at-the-end key-record-semicolon-and-space-at-the-end key-record-without-white-space',
    {
      'key-malformed':
        'key-record-two-semicolons key-record-two-semicolons-at-the-end key-record-semicolon-at-the-start',
      'key-version-unsupported': 'key-record-commas-for-semicolons'
    }
  ],
  [
    'white space around names and values is dropped',
    'key-record-white-space-around-everything key-record-folded',
    { 'key-malformed': 'key-record-no-break-space' }
  ],
  [
    'a tag has a name, an equals sign and a value',
    'key-record-unknown-tags key-record-notes key-record-granularity',
    {
      'key-malformed': `key-record-tag-without-equals key-record-tag-without-name key-record-tag-name-with-hyphen
        key-record-tag-name-starts-with-digit`
    }
  ],
  [
    'no tag twice; names are case-sensitive',
    'key-record-tag-names-in-another-case',
    { 'key-malformed': 'key-record-tag-twice key-record-p-twice key-record-unknown-tag-twice' }
  ],
  [
    'printable ASCII and white space alone',
    'key-record-notes',
    { 'key-malformed': 'key-record-octets-above-ascii-in-notes key-record-nul' }
  ],
  [
    'no quotes and escapes of zone files',
    'key-record-notes',
    { 'key-malformed': 'key-record-in-quotes key-record-value-in-quotes key-record-escaped-semicolons' }
  ],
  [
    'v= is absent or first',
    'key-record-without-version key-record-in-another-order',
    { 'key-malformed': 'key-record-version-not-first' }
  ],
  [
    'v= is DKIM1',
    'key-record-without-white-space',
    {
      'key-version-unsupported': 'key-version-with-minor key-version-lower-case key-version-next'
    }
  ],
  [
    'k= is rsa, ed25519 or absent, with case',
    'key-type-absent key-type-ed25519 key-record-without-version',
    { 'key-type-mismatch': 'key-type-dsa key-type-upper-case key-type-empty key-type-named-proto' }
  ],
  [
    'h= is absent or has the hash in use, with case',
    `key-hash-absent key-hash-sha256 key-hash-list key-hash-unknown-in-the-list key-hash-sha512-for-rsa-sha512
      key-hash-sha512-for-hs2019 key-hash-sha256-for-ed25519 key-hash-sha256-for-hs2019-with-ed25519`,
    {
      'key-hash-not-allowed': `key-hash-sha1 key-hash-sha512 key-hash-empty key-hash-upper-case key-hash-commas
        key-hash-sha256-for-rsa-sha512 key-hash-sha256-for-hs2019 key-hash-sha512-for-hs2019-with-ed25519`
    }
  ],
  [
    's= is absent or has * or email, with case',
    'key-service-absent key-service-any key-service-email key-service-list',
    { 'key-service-mismatch': 'key-service-other key-service-empty key-service-upper-case' }
  ],
  [
    't= has no y',
    'key-flag-strict key-flag-unknown key-flag-empty key-flag-upper-case',
    { 'key-test-only': 'key-test-only key-testing-in-a-list' }
  ],
  ['p= is there', 'key-record-of-p-alone', { 'key-malformed': 'key-record-without-p' }],
  ['p= is not empty', 'key-record-of-p-alone', { 'key-revoked': 'key-revoked key-revoked-with-white-space' }],
  [
    'spaces, tabs and line breaks inside p= are dropped, and nothing else is',
    'key-record-folded',
    { 'key-unreadable': 'key-encoding-another-character key-encoding-not-base64 key-encoding-pem' }
  ],
  [
    'p= is canonical base64',
    'key-exponent-3',
    {
      'key-unreadable': `key-encoding-url-alphabet key-encoding-without-padding key-encoding-stray-bits
        key-encoding-padding-too-much`
    }
  ]
)

const KEY = rules(
  'Key',
  [
    'RSA is SubjectPublicKeyInfo with rsaEncryption and NULL, or RSAPublicKey',
    'verified-as-in-the-specification key-pkcs1',
    {
      'key-unreadable': `key-encoding-no-der key-encoding-one-byte key-encoding-cut-off
        key-encoding-without-null key-encoding-with-other-parameters key-encoding-with-unused-bits`
    }
  ],
  [
    'strict DER, nothing after it',
    'key-pkcs1 key-exponent-3',
    {
      'key-unreadable': `key-encoding-trailing-bytes key-pkcs1-trailing-bytes key-encoding-text-after
        key-encoding-length-not-shortest key-encoding-integer-with-a-zero-too-much
        key-encoding-integer-negative`
    }
  ],
  [
    'k=rsa has an RSA key',
    'key-type-absent',
    { 'key-type-mismatch': 'key-ec-as-rsa key-rsa-pss-as-rsa key-ed25519-spki-as-rsa' }
  ],
  [
    'RSA modulus of at least 1024 bits, or minRsaBits',
    'key-1024-bits verified-with-a-short-key key-just-long-enough-for-this-receiver',
    {
      'key-too-short': 'key-too-short-1023-bits key-too-short-512-bits key-too-short-for-this-receiver'
    }
  ],
  [
    'RSA modulus of at most 8192 bits, or maxRsaBits',
    'key-8192-bits key-just-short-enough-for-this-receiver',
    { 'key-too-long': 'key-too-long key-too-long-for-this-receiver' }
  ],
  [
    'RSA exponent odd, at least 3',
    'key-exponent-3',
    {
      'key-weak': `key-weak-exponent-0 key-weak-exponent-1 key-weak-exponent-1-pkcs1 key-weak-exponent-2
        key-weak-exponent-65536`
    }
  ],
  [
    'RSA exponent of at most 33 bits',
    'key-exponent-of-33-bits',
    { 'key-weak': 'key-weak-exponent-of-34-bits key-weak-exponent-of-3064-bits' }
  ],
  [
    'Ed25519 is 32 bytes',
    'key-type-ed25519',
    {
      'key-unreadable': `key-type-ed25519-of-31-bytes key-type-ed25519-of-33-bytes key-type-ed25519-as-spki
        key-type-rsa-in-ed25519`
    }
  ],
  [
    'Ed25519 point not of small order',
    'key-type-ed25519',
    {
      'key-weak': `key-weak-ed25519-order-1 key-weak-ed25519-order-2 key-weak-ed25519-order-4
        key-weak-ed25519-order-8 key-weak-ed25519-order-8-other key-weak-ed25519-order-4-sign-bit
        key-weak-ed25519-order-1-not-canonical key-weak-ed25519-order-4-not-canonical`
    }
  ],
  [
    'an Ed25519 key that is not a point verifies nothing',
    'key-type-ed25519',
    { 'signature-mismatch': 'key-ed25519-not-on-the-curve' }
  ]
)

const SIGNATURE = rules(
  'Signature',
  [
    'made with the key at the name',
    'verified-with-another-key',
    {
      'signature-mismatch': `signature-by-another-key signature-by-a-key-at-another-name
        signature-of-another-request signature-all-zero signature-one signature-one-bit-changed`
    }
  ],
  [
    'what is signed arrives unchanged; what is not may change',
    'signature-unsigned-header-added',
    {
      'signature-mismatch': `signature-date-changed signature-date-in-another-form signature-nonce-changed
        signature-content-type-changed signature-content-length-changed signature-digest-and-body-changed
        signature-digest-name-in-another-case signature-header-not-ascii-changed host-changed-on-the-way
        account-changed-on-the-way date-fresh-but-not-signed`
    }
  ],
  [
    'RSASSA-PKCS1-v1_5: the one encoding, with NULL, and nothing behind the digest',
    'signature-rsa-sha512 key-exponent-3',
    {
      'signature-mismatch': `signature-over-digest-info-without-null signature-over-bytes-behind-the-digest
        signature-over-a-bare-digest signature-with-block-type-2 signature-with-another-padding-byte
        signature-forged-cube`
    }
  ],
  [
    'RSA: as long as the modulus',
    'signature-that-starts-with-zero',
    {
      'signature-mismatch': `signature-zero-in-front-cut-off signature-with-zero-in-front signature-cut-off
        signature-with-a-byte-more signature-of-one-byte signature-hexadecimal`
    }
  ],
  [
    'RSA: smaller than the modulus',
    'signature-that-starts-with-zero',
    {
      'signature-mismatch': `signature-plus-modulus signature-hs2019-plus-modulus signature-modulus
        signature-modulus-minus-one`
    }
  ],
  [
    'Ed25519: 64 bytes, the second half below the order of the group',
    'signature-ed25519',
    {
      'signature-mismatch': `signature-ed25519-plus-order signature-ed25519-cut-off
        signature-ed25519-with-a-byte-more signature-ed25519-one-bit-changed signature-ed25519-all-zero`
    }
  ]
)

const DIGEST = rules(
  'Digest',
  [
    'a Digest is there',
    'digest-of-no-body digest-in-two-headers',
    { 'coverage-absent digest-missing': 'digest-missing digest-only-as-content-digest' }
  ],
  [
    'instances separated by one comma with white space around',
    'digest-both digest-both-with-white-space digest-in-two-headers',
    {
      'digest-malformed': `digest-comma-at-the-end digest-comma-at-the-start digest-two-commas digest-comma-alone
        digest-semicolon-between digest-space-between digest-with-quality digest-text-after digest-empty`
    }
  ],
  [
    'a token, an equals sign and a value, without white space between',
    'digest-with-unknown-algorithm digest-with-checksum',
    {
      'digest-malformed': `digest-without-name digest-value-alone digest-name-alone digest-without-value
        digest-unknown-without-value digest-space-before-equals digest-space-after-equals digest-colon-for-equals
        digest-name-not-a-token digest-no-break-space-in-front digest-in-quotes digest-unknown-in-quotes
        digest-as-structured-field`
    }
  ],
  ['at most 100 instances', 'digest-of-100-instances', { 'digest-malformed': 'digest-of-101-instances' }],
  [
    'names without case',
    'digest-name-in-lower-case digest-name-in-mixed-case',
    { 'digest-unsupported': 'digest-sha256-without-hyphen' }
  ],
  [
    'SHA-256 or SHA-512 is there; others do not count',
    'digest-sha-256 digest-sha-512 digest-with-md5 digest-with-wrong-md5',
    {
      'digest-unsupported': `digest-md5-alone digest-sha-1-alone digest-md5-and-sha-1
        digest-sha-1-by-its-other-name digest-id-sha-256 digest-named-constructor digest-named-proto`
    }
  ],
  [
    'canonical base64: no white space, no other alphabet, padding, zero spare bits',
    'digest-of-a-binary-body digest-sha-512',
    {
      'digest-malformed': `digest-base64-with-space digest-url-alphabet digest-without-padding
        digest-padding-too-much digest-stray-bits digest-sha-512-stray-bits digest-hexadecimal`
    }
  ],
  [
    'of 32 or 64 bytes',
    'digest-both',
    {
      'digest-malformed': `digest-of-31-bytes digest-sha-1-under-sha-256 digest-sha-256-under-sha-512
        digest-one-good-one-malformed`
    }
  ],
  [
    'each of the two that is there matches the body',
    'digest-both digest-twice digest-in-two-headers',
    {
      'digest-mismatch': `digest-mismatch digest-sha-512-wrong digest-both-first-wrong digest-both-second-wrong
        digest-twice-one-wrong digest-twice-first-wrong digest-in-two-headers-one-wrong digest-of-all-zero`
    }
  ],
  [
    'the bytes of the body count; no body is a body of no bytes',
    `digest-of-no-body digest-of-no-body-received-as-empty digest-of-an-empty-body digest-of-a-binary-body
      digest-of-a-body-not-ascii digest-of-a-body-that-is-not-utf-8`,
    {
      'digest-mismatch': `digest-body-changed digest-body-longer digest-body-shorter digest-body-taken-out
        digest-body-empty digest-body-with-line-feed-added digest-body-with-byte-order-mark
        digest-body-reserialized digest-body-added digest-body-decoded-as-latin-1`
    }
  ],
  [
    'Content-Digest never counts',
    'digest-right-content-digest-wrong',
    { 'digest-mismatch': 'digest-wrong-content-digest-right' }
  ]
)

const BODY = rules(
  'Body',
  [
    'at most maxBodyBytes bytes',
    'body-as-large-as-allowed body-none-where-none-is-allowed verified-large-body',
    { 'body-too-large': 'body-too-large body-too-large-in-octets' }
  ],
  ['read to its end', 'verified-large-body', { 'body-unreadable': 'body-unreadable' }],
  [
    'read after the signature has verified',
    'verified-large-body',
    { 'signature-mismatch': 'body-not-read-under-a-bad-signature several-signature-and-body' }
  ]
)

const REPLAY = rules(
  'Replay',
  ['the id is claimed once', 'replay-first-time', { replayed: 'replayed' }],
  ['the store answers', 'replay-first-time', { 'replay-store-failed': 'replay-store-failed' }],
  [
    'claimed last',
    'replay-first-time',
    {
      'digest-mismatch': 'replay-not-claimed-before-the-body-is-right',
      'signature-mismatch': 'replay-not-claimed-before-the-signature-is-right'
    }
  ]
)

const WHOLE = rules(
  'Verdict',
  [
    'every check of the head reports',
    NONE,
    {
      'date-too-old host-mismatch': 'several-host-and-date',
      'not-https account-mismatch': 'several-https-and-account',
      'coverage-insufficient key-name-outside-domain': 'several-coverage-and-key-name',
      'signature-algorithm-not-allowed coverage-repeated key-name-malformed':
        'several-signature-header-coverage-and-key-name',
      'date-malformed digest-unsupported': 'several-date-and-digest',
      'signature-parameter-missing coverage-absent': 'several-time-and-header-that-are-not-there',
      'date-repeated host-repeated account-repeated signature-repeated': 'several-repeated',
      'not-https date-missing host-missing account-missing signature-missing digest-missing':
        'several-nothing-there',
      'not-https date-in-future host-mismatch account-malformed signature-algorithm-not-allowed coverage-insufficient key-name-outside-domain digest-malformed':
        'several-everything-local'
    },
    'it is about refusals alone'
  ],
  [
    'Source addresses are not looked at',
    'signature-unsigned-header-added',
    {},
    'a vector has no source address'
  ],
  [
    'the draft judges where RFC 9421 is not allowed, or has no Signature-Input',
    `schemes-draft-where-both-are-allowed
      schemes-draft-with-signature-input-where-the-draft-alone-is-allowed`,
    {
      'signature-malformed digest-missing': `schemes-rfc9421-where-the-draft-alone-is-allowed
        schemes-rfc9421-without-signature-input-where-both-are-allowed`
    }
  ]
)

export const RULES: readonly Rule[] = [
  ...REQUEST,
  ...HTTPS,
  ...DATE,
  ...HOST,
  ...ACCOUNT,
  ...SIGNATURE_HEADER,
  ...BASE64,
  ...ALGORITHM,
  ...TIMES,
  ...COVERAGE,
  ...SIGNING_STRING,
  ...KEY_NAME,
  ...DNS,
  ...RECORDS,
  ...KEY_RECORD,
  ...KEY,
  ...SIGNATURE,
  ...DIGEST,
  ...BODY,
  ...REPLAY,
  ...WHOLE
]
