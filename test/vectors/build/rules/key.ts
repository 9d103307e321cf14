import { NONE, rule, rules } from './rule.ts'

export const KEY_NAME = rules(
  'keyId',
  rule(
    'in any case, asked for in lower case',
    'key-name-upper-case dns-name-asked-for-in-lower-case',
    {},
    'no case is wrong'
  ),
  rule('one trailing dot is dropped', 'key-name-trailing-dot key-name-longest-name-and-trailing-dot', {
    'key-name-malformed': 'key-name-two-trailing-dots key-name-root'
  }),
  rule('labels of 1 to 63', 'key-name-longest-label', {
    'key-name-malformed': 'key-name-label-of-64 key-name-two-dots key-name-domain-after-a-dot key-name-empty'
  }),
  rule('of letters, digits, hyphens and underscores', 'key-name-underscores-and-hyphens key-name-digits', {
    'key-name-malformed': `key-name-space key-name-space-at-the-start key-name-space-at-the-end key-name-backslash
        key-name-backslash-dot key-name-wildcard key-name-url key-name-path key-name-fragment key-name-port
        key-name-user key-name-percent-encoded key-name-two-in-one signature-key-id-empty
        signature-key-id-with-a-comma-inside`
  }),
  rule('at most 253 characters', 'key-name-longest-name', {
    'key-name-malformed': 'key-name-of-254 key-name-of-255'
  }),
  rule('ASCII alone, before it is put in lower case', 'key-name-upper-case', {
    'key-name-malformed': `key-name-full-width-letters key-name-soft-hyphen key-name-ideographic-full-stop
        key-name-kelvin-sign key-name-no-break-space key-name-octets-above-ascii`
  }),
  rule(
    'below the domain, on a label boundary',
    'key-name-right-below-the-domain key-name-many-labels key-name-domain-configured-in-upper-case',
    {
      'key-name-outside-domain': `key-name-the-domain-itself key-name-the-domain-itself-with-trailing-dot
        key-name-outside-domain key-name-ends-like-the-domain key-name-ends-like-the-domain-after-a-hyphen
        key-name-domain-in-front key-name-domain-and-another-label key-name-parent key-name-sibling
        key-name-address key-name-not-below-a-longer-domain`
    }
  ),
  rule(
    'no label xn-- in front of the domain; that is judged before the domain',
    'key-name-below-a-domain-in-punycode',
    {
      'key-name-malformed': `key-name-punycode key-name-punycode-that-decodes key-name-punycode-after-many-labels
        key-name-punycode-before-the-domain key-name-punycode-alone`
    }
  )
)

export const DNS = rules(
  'DNS',
  rule('the name is there, and has TXT records', 'dns-long-record verified-with-another-key', {
    'key-not-found': `dns-name-does-not-exist dns-another-name-exists dns-name-without-txt dns-no-records
        dns-empty-string dns-record-without-strings body-not-read-without-a-key`
  }),
  rule('the lookup ends in time', 'dns-long-record', { 'key-lookup-timeout': 'dns-timeout' }),
  rule('the lookup does not fail in any other way', 'dns-long-record', {
    'key-lookup-failed': `dns-servfail dns-refused dns-formerr dns-notimp dns-badresp dns-connrefused dns-cancelled
        dns-destruction dns-unknown-code dns-thrown-without-code dns-outage-is-not-a-forgery
        several-cannot-tell-and-dns-outage`
  }),
  rule('asked only when all checks of the head pass', 'verified-as-in-the-specification', {
    'date-too-old': 'dns-not-asked-when-a-local-check-fails several-local-and-signature several-no-and-cannot-tell'
  })
)

export const RECORDS = rules(
  'Records at one name',
  rule(
    'records that are not key records are ignored',
    'key-records-spf-before key-records-spf-after key-records-others-around key-records-five-others-do-not-count',
    { 'key-not-found': 'key-records-spf-alone key-records-dmarc-alone key-records-unrelated-alone' }
  ),
  rule(
    'a key record has a v= that is empty or starts with DKIM in any case, or a p= and no v=',
    'key-record-without-version key-record-of-p-alone',
    {
      'key-revoked': 'key-records-p-without-version-is-one',
      'key-version-unsupported': 'key-records-version-in-any-case-is-one key-version-empty'
    }
  ),
  rule(
    'each of several is tried',
    'key-records-two-first-good key-records-two-second-good key-records-the-same-twice key-records-of-two-types',
    { 'signature-mismatch': 'key-records-two-none-good' }
  ),
  rule('at most four are tried', 'key-records-four-last-good', {
    'signature-mismatch': 'key-records-five-last-good'
  }),
  rule(
    'a broken one beside a good one does not count',
    'key-records-broken-before key-records-broken-after key-records-revoked-before',
    { 'signature-mismatch': 'key-records-broken-and-another-key' }
  ),
  rule(
    'when none is good, the first is reported',
    NONE,
    {
      'key-revoked': 'key-records-none-good-first-one-tells',
      'key-malformed': 'key-records-none-good-first-one-tells-other-order'
    },
    'it is about refusals alone'
  )
)

export const KEY_RECORD = rules(
  'Key record',
  rule('strings are joined with nothing between', 'key-record-in-chunks', {
    'key-malformed': 'key-record-in-chunks-that-need-a-space-between'
  }),
  rule(
    'tags are separated by one semicolon; one at the end is allowed',
    'key-record-semicolon-at-the-end key-record-semicolon-and-space-at-the-end key-record-without-white-space',
    {
      'key-malformed':
        'key-record-two-semicolons key-record-two-semicolons-at-the-end key-record-semicolon-at-the-start',
      'key-version-unsupported': 'key-record-commas-for-semicolons'
    }
  ),
  rule('white space around names and values is dropped', 'key-record-white-space-around-everything key-record-folded', {
    'key-malformed': 'key-record-no-break-space'
  }),
  rule(
    'a tag has a name, an equals sign and a value',
    'key-record-unknown-tags key-record-notes key-record-granularity',
    {
      'key-malformed': `key-record-tag-without-equals key-record-tag-without-name key-record-tag-name-with-hyphen
        key-record-tag-name-starts-with-digit`
    }
  ),
  rule('no tag twice; names are case-sensitive', 'key-record-tag-names-in-another-case', {
    'key-malformed': 'key-record-tag-twice key-record-p-twice key-record-unknown-tag-twice'
  }),
  rule('printable ASCII and white space alone', 'key-record-notes', {
    'key-malformed': 'key-record-octets-above-ascii-in-notes key-record-nul'
  }),
  rule('no quotes and escapes of zone files', 'key-record-notes', {
    'key-malformed': 'key-record-in-quotes key-record-value-in-quotes key-record-escaped-semicolons'
  }),
  rule('v= is absent or first', 'key-record-without-version key-record-in-another-order', {
    'key-malformed': 'key-record-version-not-first'
  }),
  rule('v= is DKIM1', 'key-record-without-white-space', {
    'key-version-unsupported': 'key-version-with-minor key-version-lower-case key-version-next'
  }),
  rule('k= is rsa, ed25519 or absent, with case', 'key-type-absent key-type-ed25519 key-record-without-version', {
    'key-type-mismatch': 'key-type-dsa key-type-upper-case key-type-empty key-type-named-proto'
  }),
  rule(
    'h= is absent or has the hash in use, with case',
    `key-hash-absent key-hash-sha256 key-hash-list key-hash-unknown-in-the-list key-hash-sha512-for-rsa-sha512
      key-hash-sha512-for-hs2019 key-hash-sha256-for-ed25519 key-hash-sha256-for-hs2019-with-ed25519`,
    {
      'key-hash-not-allowed': `key-hash-sha1 key-hash-sha512 key-hash-empty key-hash-upper-case key-hash-commas
        key-hash-sha256-for-rsa-sha512 key-hash-sha256-for-hs2019 key-hash-sha512-for-hs2019-with-ed25519`
    }
  ),
  rule(
    's= is absent or has * or email, with case',
    'key-service-absent key-service-any key-service-email key-service-list',
    { 'key-service-mismatch': 'key-service-other key-service-empty key-service-upper-case' }
  ),
  rule('t= has no y', 'key-flag-strict key-flag-unknown key-flag-empty key-flag-upper-case', {
    'key-test-only': 'key-test-only key-testing-in-a-list'
  }),
  rule('p= is there', 'key-record-of-p-alone', { 'key-malformed': 'key-record-without-p' }),
  rule('p= is not empty', 'key-record-of-p-alone', {
    'key-revoked': 'key-revoked key-revoked-with-white-space'
  }),
  rule('spaces, tabs and line breaks inside p= are dropped, and nothing else is', 'key-record-folded', {
    'key-unreadable': 'key-encoding-another-character key-encoding-not-base64 key-encoding-pem'
  }),
  rule('p= is canonical base64', 'key-exponent-3', {
    'key-unreadable': `key-encoding-url-alphabet key-encoding-without-padding key-encoding-stray-bits
        key-encoding-padding-too-much`
  })
)

export const KEY = rules(
  'Key',
  rule(
    'RSA is SubjectPublicKeyInfo with rsaEncryption and NULL, or RSAPublicKey',
    'verified-as-in-the-specification key-pkcs1',
    {
      'key-unreadable': `key-encoding-no-der key-encoding-one-byte key-encoding-cut-off
        key-encoding-without-null key-encoding-with-other-parameters key-encoding-with-unused-bits`
    }
  ),
  rule('strict DER, nothing after it', 'key-pkcs1 key-exponent-3', {
    'key-unreadable': `key-encoding-trailing-bytes key-pkcs1-trailing-bytes key-encoding-text-after
        key-encoding-length-not-shortest key-encoding-integer-with-a-zero-too-much
        key-encoding-integer-negative`
  }),
  rule('k=rsa has an RSA key', 'key-type-absent', {
    'key-type-mismatch': 'key-ec-as-rsa key-rsa-pss-as-rsa key-ed25519-spki-as-rsa'
  }),
  rule(
    'RSA modulus of at least 1024 bits, or minRsaBits',
    'key-1024-bits verified-with-a-short-key key-just-long-enough-for-this-receiver',
    {
      'key-too-short': 'key-too-short-1023-bits key-too-short-512-bits key-too-short-for-this-receiver'
    }
  ),
  rule('RSA modulus of at most 8192 bits, or maxRsaBits', 'key-8192-bits key-just-short-enough-for-this-receiver', {
    'key-too-long': 'key-too-long key-too-long-for-this-receiver'
  }),
  rule('RSA exponent odd, at least 3', 'key-exponent-3', {
    'key-weak': `key-weak-exponent-0 key-weak-exponent-1 key-weak-exponent-1-pkcs1 key-weak-exponent-2
        key-weak-exponent-65536`
  }),
  rule('RSA exponent of at most 33 bits', 'key-exponent-of-33-bits', {
    'key-weak': 'key-weak-exponent-of-34-bits key-weak-exponent-of-3064-bits'
  }),
  rule('Ed25519 is 32 bytes', 'key-type-ed25519', {
    'key-unreadable': `key-type-ed25519-of-31-bytes key-type-ed25519-of-33-bytes key-type-ed25519-as-spki
        key-type-rsa-in-ed25519`
  }),
  rule('Ed25519 point not of small order', 'key-type-ed25519', {
    'key-weak': `key-weak-ed25519-order-1 key-weak-ed25519-order-2 key-weak-ed25519-order-4
        key-weak-ed25519-order-8 key-weak-ed25519-order-8-other key-weak-ed25519-order-4-sign-bit
        key-weak-ed25519-order-1-not-canonical key-weak-ed25519-order-4-not-canonical`
  }),
  rule('an Ed25519 key that is not a point verifies nothing', 'key-type-ed25519', {
    'signature-mismatch': 'key-ed25519-not-on-the-curve'
  })
)
