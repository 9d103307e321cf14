import { NONE, rule, rules } from './rule.ts'

export const SIGNATURE_HEADER = rules(
  'Signature header',
  rule('one Signature', 'signature-unsigned-header-added', {
    'signature-missing': 'signature-missing signature-only-in-authorization',
    'signature-repeated': 'signature-repeated'
  }),
  rule('parameters in any order', 'signature-other-order signature-unknown-parameter-first', {}, 'no order is wrong'),
  rule('one comma between parameters, none at an end', 'signature-unknown-parameter', {
    'signature-malformed': `signature-two-commas signature-comma-at-the-end signature-comma-at-the-start
        signature-comma-missing signature-nothing-between-parameters signature-semicolons signature-empty`
  }),
  rule(
    'spaces and tabs around commas',
    'signature-white-space-after-commas signature-white-space-around-commas signature-white-space-around-it',
    { 'signature-malformed': 'signature-no-break-space-between signature-form-feed-between' }
  ),
  rule('an equals sign without white space between a name and a value', 'signature-unknown-parameter', {
    'signature-malformed': `signature-space-before-equals signature-space-after-equals signature-equals-missing
        signature-colon-for-equals signature-parameter-name-missing signature-parameter-name-quoted
        signature-scheme-in-front signature-json`
  }),
  rule(
    'unknown parameters are ignored, but well formed',
    `signature-unknown-parameter signature-unknown-parameter-empty signature-unknown-parameter-not-quoted
      signature-unknown-parameter-with-octets-above-ascii signature-parameter-named-proto`,
    {
      'signature-malformed': `signature-parameter-name-alone signature-parameter-value-missing
        signature-control-character-in-quotes signature-delete-in-quotes`
    }
  ),
  rule('no parameter twice', 'signature-parameter-named-in-another-case signature-quoted-quote-hides-nothing', {
    'signature-parameter-repeated': `signature-key-id-twice signature-algorithm-twice signature-headers-twice
        signature-signature-twice signature-unknown-twice signature-created-twice signature-expires-twice`
  }),
  rule('names are case-sensitive', 'signature-parameter-named-in-another-case', {
    'signature-parameter-missing': 'signature-key-id-in-another-case'
  }),
  rule('strings are quoted', 'signature-comma-and-equals-in-quotes', {
    'signature-malformed': `signature-key-id-not-quoted signature-algorithm-not-quoted signature-headers-not-quoted
        signature-signature-not-quoted signature-single-quotes signature-quote-not-closed
        signature-quote-not-opened`
  }),
  rule(
    'a quoted-pair does not end a string, and is not undone',
    'signature-quoted-quote-hides-nothing signature-quoted-backslash-before-the-end',
    {
      'signature-malformed': `signature-quote-escaped-at-the-end signature-backslash-and-end
        signature-quoted-pair-in-headers`,
      'signature-algorithm-not-allowed': 'signature-quoted-pair-in-algorithm',
      'signature-not-base64': 'signature-quoted-pair-in-signature',
      'key-name-malformed': 'signature-quoted-quote-hides-a-parameter signature-quoted-pairs-in-key-id'
    }
  ),
  rule('created and expires are bare integers without a zero in front', 'signature-created signature-expires', {
    'signature-malformed': ['created', 'expires']
      .flatMap(name =>
        `quoted negative with-sign with-fraction with-exponent hexadecimal with-zero-before a-word without-value`
          .split(' ')
          .map(form => `signature-${name}-${form}`)
      )
      .join(' '),
    'signature-created-out-of-range': 'signature-created-zero',
    'signature-expired': 'signature-expires-zero'
  }),
  rule('created and expires have at most 15 digits', 'signature-expires-of-15-digits', {
    'signature-malformed': 'signature-created-of-16-digits signature-expires-of-16-digits',
    'signature-created-out-of-range': 'signature-created-of-15-digits'
  }),
  rule('nothing after the last parameter', 'signature-white-space-around-it', {
    'signature-malformed': 'signature-text-after-the-end signature-second-header-value-after-the-end'
  }),
  rule('keyId and signature are there', 'signature-algorithm-absent', {
    'signature-parameter-missing': `signature-without-key-id signature-without-signature
        signature-without-key-id-and-signature`
  }),
  rule('at most 100 parameters', 'signature-of-100-parameters', {
    'signature-malformed': 'signature-of-101-parameters'
  }),
  rule('the list has names separated by one space', 'coverage-of-the-five-alone', {
    'signature-malformed': `signature-headers-with-two-spaces signature-headers-with-commas
        signature-headers-with-tabs signature-headers-with-space-at-the-start signature-headers-with-space-at-the-end`
  }),
  rule('the list has 1 to 100 names', 'signature-headers-of-100-names', {
    'signature-malformed': 'signature-headers-with-empty signature-headers-with-a-space signature-headers-of-101-names'
  }),
  rule(
    'a name is a token or one of the three special names',
    'signature-created-and-expires-covered request-name-of-every-token-character',
    {
      'signature-malformed': `signature-headers-with-colon-in-a-name signature-headers-with-octets-above-ascii
        signature-headers-with-unknown-special-name`
    }
  ),
  rule(
    'names in any case of ASCII',
    'coverage-in-upper-case signature-header-names-in-another-case signature-created-covered-in-another-case',
    { 'signature-malformed': 'signature-headers-with-kelvin-sign signature-headers-with-full-width-letters' }
  ),
  rule(
    'without a list, (created) is covered',
    NONE,
    { 'coverage-insufficient': 'coverage-without-a-list' },
    'the five names would not be covered; `appendix-c1-default-test` shows how it is parsed'
  )
)

export const BASE64 = rules(
  'Base64 of the signature',
  rule('the alphabet of RFC 4648 section 4', 'verified-as-in-the-specification', {
    'signature-not-base64': `signature-base64-url-alphabet signature-base64-with-another-character
        signature-base64-with-octets-above-ascii signature-base64-percent-encoded`
  }),
  rule('no white space', 'verified-as-in-the-specification', {
    'signature-not-base64': `signature-base64-with-space signature-base64-with-tab
        signature-base64-with-space-at-the-start signature-base64-with-space-at-the-end`
  }),
  rule('padding, as much as needed', 'verified-as-in-the-specification key-1024-bits', {
    'signature-not-base64': `signature-base64-without-padding signature-base64-with-half-the-padding
        signature-base64-with-more-padding signature-base64-only-padding signature-base64-one-character
        signature-base64-with-text-after-the-padding`
  }),
  rule('the spare bits are zero', 'signature-that-starts-with-zero', {
    'signature-not-base64': 'signature-base64-with-stray-bits'
  }),
  rule('at least one byte', 'signature-ed25519', { 'signature-not-base64': 'signature-base64-empty' })
)

export const ALGORITHM = rules(
  'Algorithm',
  rule('one of the allowed ones', 'signature-rsa-sha512 signature-hs2019-rsa signature-ed25519', {
    'signature-algorithm-not-allowed': `signature-algorithm-none signature-algorithm-empty signature-algorithm-hmac
        signature-algorithm-rsa-sha1 signature-algorithm-rsa-md5 signature-algorithm-rsa signature-algorithm-ecdsa
        signature-algorithm-not-allowed signature-algorithm-hs2019-not-allowed
        signature-algorithm-ed25519-not-allowed signature-hmac-with-the-public-key
        signature-algorithm-named-constructor signature-algorithm-named-proto`
  }),
  rule('compared without case', 'signature-algorithm-upper-case signature-algorithm-in-another-case', {
    'signature-algorithm-not-allowed': 'signature-algorithm-with-space signature-algorithm-list'
  }),
  rule(
    'absent: rsa-sha256 for an RSA key, ed25519 for an Ed25519 key, if allowed',
    'signature-algorithm-absent key-type-ed25519-without-algorithm',
    {
      'signature-mismatch': 'signature-absent-algorithm-is-rsa-sha256',
      'key-type-mismatch': `key-type-ed25519-without-algorithm-and-not-allowed
        key-type-rsa-without-algorithm-and-not-allowed`
    }
  ),
  rule('it fits the type of the key', 'verified-as-in-the-specification key-type-ed25519 key-records-of-two-types', {
    'key-type-mismatch': 'key-type-ed25519-for-rsa-sha256 key-type-rsa-for-ed25519'
  }),
  rule('rsa-sha256 is RSASSA-PKCS1-v1_5 with SHA-256', 'verified-as-in-the-specification', {
    'signature-mismatch': `signature-sha512-under-rsa-sha256 signature-sha1-under-rsa-sha256
        signature-md5-under-rsa-sha256 signature-pss-under-rsa-sha256 signature-ed25519-under-rsa-sha256
        signature-hmac-under-rsa-sha256`
  }),
  rule('rsa-sha512 is RSASSA-PKCS1-v1_5 with SHA-512', 'signature-rsa-sha512', {
    'signature-mismatch': 'signature-sha256-under-rsa-sha512 signature-pss-under-rsa-sha512'
  }),
  rule(
    'hs2019 with an RSA key is RSASSA-PSS with SHA-512, and a salt of any length',
    `signature-hs2019-rsa signature-hs2019-rsa-with-a-salt-of-32-bytes
      signature-hs2019-rsa-with-a-salt-of-0-bytes`,
    {
      'signature-mismatch':
        'signature-pkcs1-under-hs2019 signature-pss-sha256-under-hs2019 signature-hs2019-rsa-by-ed25519'
    }
  ),
  rule('hs2019 with an Ed25519 key is Ed25519', 'signature-hs2019-ed25519 key-type-ed25519-for-hs2019', {
    'signature-mismatch': 'signature-hs2019-ed25519-over-a-hash'
  })
)

export const TIMES = rules(
  'Times',
  rule(
    'created is within the tolerance',
    'signature-created-as-old-as-allowed signature-created-as-far-ahead-as-allowed',
    {
      'signature-created-out-of-range': `signature-created-too-old signature-created-in-future
        signature-created-in-milliseconds signature-created-with-own-tolerance signature-created-too-old-with-rsa`
    }
  ),
  rule('expires has not passed, but for the tolerance', 'signature-expires signature-expired-as-long-as-allowed', {
    'signature-expired': 'signature-expired'
  }),
  rule('covered, they need their parameter', 'signature-created-covered signature-created-and-expires-covered', {
    'signature-parameter-missing':
      'signature-created-covered-without-parameter signature-expires-covered-without-parameter'
  }),
  rule(
    'never covered with an algorithm that starts with rsa',
    'signature-created-with-rsa-but-not-covered signature-created-covered-without-algorithm',
    {
      'signature-times-not-allowed': `signature-created-covered-with-rsa signature-expires-covered-with-rsa
        signature-created-covered-with-rsa-in-upper-case signature-created-covered-with-rsa-sha512`
    }
  ),
  rule(
    'never covered with an algorithm that starts with hmac or ecdsa',
    NONE,
    {
      'signature-algorithm-not-allowed': `signature-created-covered-with-hmac signature-expires-covered-with-hmac
        signature-created-covered-with-ecdsa signature-expires-covered-with-ecdsa`
    },
    'no such algorithm can be allowed, which is reported first'
  ),
  rule('covered, they are signed', 'signature-created-covered signature-created-and-expires-covered', {
    'signature-mismatch': 'signature-created-changed-on-the-way signature-expires-changed-on-the-way'
  })
)
