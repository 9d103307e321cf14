import { NONE, rule, rules } from './rule.ts'

export const REQUEST = rules(
  'Request',
  rule('the method is a token', 'request-method-of-every-token-character verified-m-search verified-propfind', {
    'request-malformed': `request-method-empty request-method-space request-method-separator
        request-method-not-ascii request-method-line-feed request-method-carriage-return request-method-nul`
  }),
  rule('the target is not empty', 'verified-target-root verified-target-asterisk', {
    'request-malformed': 'request-target-empty'
  }),
  rule('no CR, LF or NUL in the target', 'verified-target-percent-encoded verified-target-octets-above-ascii', {
    'request-malformed': 'request-target-line-feed request-target-carriage-return request-target-nul'
  }),
  rule('a header name is a token', 'request-name-of-every-token-character', {
    'request-malformed': `request-name-empty request-name-colon request-name-space-at-the-end
        request-name-space-inside request-name-not-ascii request-name-parentheses`
  }),
  rule('no CR, LF or NUL in a header name', 'request-name-of-every-token-character', {
    'request-malformed': 'request-name-line-break request-name-nul'
  }),
  rule('no CR, LF or NUL in a header value', 'request-value-with-tab request-value-with-octets-above-ascii', {
    'request-malformed': `request-value-line-feed request-value-carriage-return request-value-nul
        request-value-line-break-at-the-end request-value-folded request-value-line-break-in-signature key-name-nul`
  }),
  rule('at most 500 header lines', 'request-500-header-lines', {
    'request-malformed': 'request-501-header-lines'
  }),
  rule(
    'after a malformed request, no other check runs',
    NONE,
    { 'request-malformed': 'request-malformed-and-nothing-else-is-judged' },
    'where the request is well formed, all other checks run'
  )
)

export const HTTPS = rules(
  'HTTPS',
  rule(
    'it arrived over HTTPS, unless that is not required',
    'verified-as-in-the-specification https-not-required https-not-required-and-there',
    { 'not-https': 'https-missing https-claimed-by-a-forwarding-header' }
  )
)

export const DATE = rules(
  'Date',
  rule('one Date', 'date-imf-fixdate', {
    'date-missing coverage-absent': 'date-missing date-only-in-another-header',
    'date-repeated': 'date-repeated date-repeated-with-the-same-value',
    'date-malformed': 'date-two-in-one'
  }),
  rule('IMF-fixdate', 'date-imf-fixdate date-with-white-space-around', {
    'date-malformed': `date-one-digit-day date-one-digit-hour date-two-digit-year date-imf-fixdate-long-weekday
        date-five-digit-year date-no-weekday date-no-seconds date-fraction date-two-spaces`
  }),
  rule('rfc850-date', 'date-rfc850', {
    'date-malformed': 'date-rfc850-four-digit-year date-rfc850-short-weekday'
  }),
  rule('two digits of a year are 1970 to 2069', 'date-rfc850 date-rfc850-last-century-then', {
    'date-in-future': 'date-rfc850-year-69',
    'date-too-old': 'date-rfc850-year-70 date-rfc850-last-century',
    'date-malformed': 'date-rfc850-year-69-weekday-of-1969 date-rfc850-year-70-weekday-of-2070'
  }),
  rule(
    'asctime-date, its day with two digits or a space and a digit',
    'date-asctime date-asctime-one-digit-day-today',
    { 'date-malformed': 'date-asctime-one-digit-day-unpadded date-asctime-with-zone' }
  ),
  rule('no other form, and no other zone than GMT', 'date-imf-fixdate', {
    'date-malformed': `date-iso-8601 date-seconds-since-1970 date-utc-for-gmt date-numeric-zone date-other-zone
        date-no-zone date-text-after date-text-before date-quoted date-empty date-no-break-space
        date-no-break-space-at-the-end date-digits-beyond-ascii`
  }),
  rule('case-sensitive', 'date-imf-fixdate', {
    'date-malformed': 'date-lower-case-month date-lower-case-zone date-upper-case-weekday'
  }),
  rule('the day and the time exist', 'date-leap-day-today', {
    'date-malformed': `date-30-february date-29-february-of-a-common-year date-31-november date-day-zero date-day-32
        date-24-hours date-60-minutes date-61-seconds`
  }),
  rule('the day is the weekday that it says', 'date-leap-day-today', {
    'date-malformed': 'date-wrong-weekday date-rfc850-wrong-weekday date-asctime-wrong-weekday'
  }),
  rule('a leap second ends a day', 'date-leap-second-now', {
    'date-malformed': 'date-second-60-within-the-day'
  }),
  rule(
    'within the tolerance',
    'date-as-old-as-allowed date-as-far-ahead-as-allowed date-no-tolerance date-an-hour-tolerance',
    {
      'date-too-old': `date-too-old date-no-tolerance-one-second-off date-same-day-last-year date-leap-day
        date-leap-second date-asctime-one-digit-day date-right-in-another-header`,
      'date-in-future': 'date-in-future date-same-day-next-year'
    }
  )
)

export const HOST = rules(
  'Host',
  rule('one Host', 'host-second-of-two', {
    'host-missing coverage-absent': 'host-missing host-only-forwarded',
    'host-repeated': 'host-repeated host-repeated-with-the-same-value',
    'host-mismatch': 'host-two-in-one'
  }),
  rule("one of the receiver's, as a whole", 'host-second-of-two host-ipv6-literal', {
    'host-mismatch': `host-of-another-receiver host-empty host-subdomain host-parent-domain
        host-longer-name-in-front host-longer-name-behind host-trailing-dot host-with-user host-with-scheme
        host-with-path host-percent-encoded host-ipv6-literal-in-another-spelling host-ipv6-literal-without-brackets`
  }),
  rule(
    'compared without case, in visible ASCII',
    'host-upper-case host-configured-in-upper-case host-ipv6-literal-upper-case-and-default-port',
    { 'host-mismatch': 'host-with-kelvin-sign host-with-full-width-letters host-white-space-inside' }
  ),
  rule(
    'the default port may be left out or written: 443, and 80 where HTTPS is not required',
    `host-with-default-port host-without-configured-default-port host-with-port-80-where-http-will-do
      host-with-port-443-where-http-will-do host-configured-with-port-80-where-http-will-do`,
    {
      'host-mismatch': `host-with-port-80-over-https host-configured-with-port-80-where-https-is-required
        host-with-empty-port host-with-zero-before-the-port host-with-sign-before-the-port host-with-two-ports
        host-with-space-before-the-port`
    }
  ),
  rule('another port is part of the name', 'host-with-configured-port', {
    'host-mismatch': 'host-with-another-port host-without-configured-port host-ipv6-literal-another-port'
  })
)

export const ACCOUNT = rules(
  'Account',
  rule('one header', 'account-with-white-space-around', {
    'account-missing coverage-absent': 'account-missing',
    'account-repeated': 'account-repeated account-repeated-with-the-same-value',
    'account-malformed': 'account-two-in-one account-comma-at-the-end'
  }),
  rule('the prefix, in its case, and an id', 'verified-as-in-the-specification account-without-any-prefix', {
    'account-malformed': `account-without-prefix account-prefix-alone account-prefix-in-another-case
        account-prefix-not-at-the-start account-empty`
  }),
  rule('the id has visible ASCII characters without a comma', 'account-id-of-any-visible-characters', {
    'account-malformed': `account-white-space-after-the-prefix account-white-space-in-the-id account-tab-in-the-id
        account-no-break-space-at-the-end account-control-character account-digits-beyond-ascii`
  }),
  rule('the id has at most 255 characters', 'account-id-of-255-characters', {
    'account-malformed': 'account-id-of-256-characters'
  }),
  rule('the id is one of ours, with case', 'account-second-of-two', {
    'account-mismatch': `account-of-another-customer account-longer account-shorter account-zero-before
        account-the-same-number account-id-in-another-case account-prefix-twice
        account-named-constructor account-named-proto account-pattern`
  }),
  rule('header and prefix are configured', 'account-under-another-brand account-without-any-prefix', {
    'account-missing coverage-insufficient': 'account-under-the-wrong-brand'
  }),
  rule(
    'a function that fails is no answer, and is asked after the signature has verified',
    NONE,
    {
      'account-check-failed': 'account-check-failed several-cannot-tell-and-body',
      'account-malformed': 'account-malformed-is-not-asked-about',
      'signature-mismatch': 'several-signature-and-cannot-tell'
    },
    'the function of a vector can only fail'
  )
)
