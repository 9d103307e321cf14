import { NONE, rule, rules } from './rule.ts'

export const DIGEST = rules(
  'Digest',
  rule('a Digest is there', 'digest-of-no-body digest-in-two-headers', {
    'coverage-absent digest-missing': 'digest-missing digest-only-as-content-digest'
  }),
  rule(
    'instances separated by one comma with white space around',
    'digest-both digest-both-with-white-space digest-in-two-headers',
    {
      'digest-malformed': `digest-comma-at-the-end digest-comma-at-the-start digest-two-commas digest-comma-alone
        digest-semicolon-between digest-space-between digest-with-quality digest-text-after digest-empty`
    }
  ),
  rule(
    'a token, an equals sign and a value, without white space between',
    'digest-with-unknown-algorithm digest-with-checksum',
    {
      'digest-malformed': `digest-without-name digest-value-alone digest-name-alone digest-without-value
        digest-unknown-without-value digest-space-before-equals digest-space-after-equals digest-colon-for-equals
        digest-name-not-a-token digest-no-break-space-in-front digest-in-quotes digest-unknown-in-quotes
        digest-as-structured-field`
    }
  ),
  rule('at most 100 instances', 'digest-of-100-instances', { 'digest-malformed': 'digest-of-101-instances' }),
  rule('names without case', 'digest-name-in-lower-case digest-name-in-mixed-case', {
    'digest-unsupported': 'digest-sha256-without-hyphen'
  }),
  rule(
    'SHA-256 or SHA-512 is there; others do not count',
    'digest-sha-256 digest-sha-512 digest-with-md5 digest-with-wrong-md5',
    {
      'digest-unsupported': `digest-md5-alone digest-sha-1-alone digest-md5-and-sha-1
        digest-sha-1-by-its-other-name digest-id-sha-256 digest-named-constructor digest-named-proto`
    }
  ),
  rule(
    'canonical base64: no white space, no other alphabet, padding, zero spare bits',
    'digest-of-a-binary-body digest-sha-512',
    {
      'digest-malformed': `digest-base64-with-space digest-url-alphabet digest-without-padding
        digest-padding-too-much digest-stray-bits digest-sha-512-stray-bits digest-hexadecimal`
    }
  ),
  rule('of 32 or 64 bytes', 'digest-both', {
    'digest-malformed': `digest-of-31-bytes digest-sha-1-under-sha-256 digest-sha-256-under-sha-512
        digest-one-good-one-malformed`
  }),
  rule('each of the two that is there matches the body', 'digest-both digest-twice digest-in-two-headers', {
    'digest-mismatch': `digest-mismatch digest-sha-512-wrong digest-both-first-wrong digest-both-second-wrong
        digest-twice-one-wrong digest-twice-first-wrong digest-in-two-headers-one-wrong digest-of-all-zero`
  }),
  rule(
    'the bytes of the body count; no body is a body of no bytes',
    `digest-of-no-body digest-of-no-body-received-as-empty digest-of-an-empty-body digest-of-a-binary-body
      digest-of-a-body-not-ascii digest-of-a-body-that-is-not-utf-8`,
    {
      'digest-mismatch': `digest-body-changed digest-body-longer digest-body-shorter digest-body-taken-out
        digest-body-empty digest-body-with-line-feed-added digest-body-with-byte-order-mark
        digest-body-reserialized digest-body-added digest-body-decoded-as-latin-1`
    }
  ),
  rule('Content-Digest never counts', 'digest-right-content-digest-wrong', {
    'digest-mismatch': 'digest-wrong-content-digest-right'
  })
)

export const BODY = rules(
  'Body',
  rule('at most maxBodyBytes bytes', 'body-as-large-as-allowed body-none-where-none-is-allowed verified-large-body', {
    'body-too-large': 'body-too-large body-too-large-in-octets'
  }),
  rule('read to its end', 'verified-large-body', { 'body-unreadable': 'body-unreadable' }),
  rule('read after the signature has verified', 'verified-large-body', {
    'signature-mismatch': 'body-not-read-under-a-bad-signature several-signature-and-body'
  })
)

export const REPLAY = rules(
  'Replay',
  rule('the id is claimed once', 'replay-first-time', { replayed: 'replayed' }),
  rule('the store answers', 'replay-first-time', { 'replay-store-failed': 'replay-store-failed' }),
  rule('claimed last', 'replay-first-time', {
    'digest-mismatch': 'replay-not-claimed-before-the-body-is-right',
    'signature-mismatch': 'replay-not-claimed-before-the-signature-is-right'
  })
)

export const WHOLE = rules(
  'Verdict',
  rule(
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
      'not-https date-missing host-missing account-missing signature-missing digest-missing': 'several-nothing-there',
      'not-https date-in-future host-mismatch account-malformed signature-algorithm-not-allowed coverage-insufficient key-name-outside-domain digest-malformed':
        'several-everything-local'
    },
    'it is about refusals alone'
  ),
  rule('Source addresses are not looked at', 'signature-unsigned-header-added', {}, 'a vector has no source address'),
  rule(
    'the draft judges where RFC 9421 is not allowed, or has no Signature-Input',
    `schemes-draft-where-both-are-allowed
      schemes-draft-with-signature-input-where-the-draft-alone-is-allowed`,
    {
      'signature-malformed digest-missing': `schemes-rfc9421-where-the-draft-alone-is-allowed
        schemes-rfc9421-without-signature-input-where-both-are-allowed`
    }
  )
)
