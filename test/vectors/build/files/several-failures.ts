import { ED25519 } from '../keys.ts'
import { FIVE, NOW_SECONDS, vector } from '../recipe.ts'
import { rejected, unavailable } from '../verdicts.ts'

export const source =
  'fixtures/README.md, the checks in order: every local check reports; after a local failure nothing else is asked'
export const vectors = [
  vector('several-host-and-date', {
    set: { Host: 'hooks.other.example', Date: 'Fri, 20 Nov 2026 11:00:00 GMT' },
    verdict: rejected('date-too-old', 'host-mismatch')
  }),
  vector('several-https-and-account', {
    https: false,
    set: { 'X-Service-ID': 'account-5678' },
    verdict: rejected('not-https', 'account-mismatch')
  }),
  vector('several-coverage-and-key-name', {
    covered: '(request-target) host date x-service-id',
    keyId: 'one._domainkey.evil.example',
    verdict: rejected('coverage-insufficient', 'key-name-outside-domain')
  }),
  vector('several-signature-header-coverage-and-key-name', {
    algorithm: 'hmac-sha256',
    covered: `${FIVE} date`,
    keyId: 'no name',
    verdict: rejected('signature-algorithm-not-allowed', 'coverage-repeated', 'key-name-malformed')
  }),
  vector('several-date-and-digest', {
    set: { Date: 'yesterday', Digest: 'MD5=1B2M2Y8AsgTpgAmY7PhCfg==' },
    verdict: rejected('date-malformed', 'digest-unsupported')
  }),
  vector('several-everything-local', {
    https: false,
    set: {
      Host: 'hooks.other.example',
      Date: 'Fri, 20 Nov 2026 13:00:00 GMT',
      'X-Service-ID': '1234',
      Digest: 'SHA-256=x'
    },
    covered: 'date',
    algorithm: 'none',
    keyId: 'service.example',
    verdict: rejected(
      'not-https',
      'date-in-future',
      'host-mismatch',
      'account-malformed',
      'signature-algorithm-not-allowed',
      'coverage-insufficient',
      'key-name-outside-domain',
      'digest-malformed'
    )
  }),
  vector('several-nothing-there', {
    note: 'An ordinary request that nobody signed.',
    https: false,
    set: { Host: null, Date: null, 'X-Service-ID': null, Digest: null, 'X-Nonce': null },
    absentAs: '',
    received: { set: { Signature: null } },
    verdict: rejected(
      'not-https',
      'date-missing',
      'host-missing',
      'account-missing',
      'signature-missing',
      'digest-missing'
    )
  }),
  vector('several-repeated', {
    add: [
      ['Date', 'Fri, 20 Nov 2026 12:00:00 GMT'],
      ['Host', 'hooks.example.com'],
      ['X-Service-ID', 'account-1234']
    ],
    received: { add: [['Signature', 'keyId="x",signature="eA=="']] },
    verdict: rejected('date-repeated', 'host-repeated', 'account-repeated', 'signature-repeated')
  }),
  vector('several-time-and-header-that-are-not-there', {
    key: ED25519,
    scheme: 'ed25519',
    algorithm: 'ed25519',
    times: { created: NOW_SECONDS },
    covered: `(created) ${FIVE} x-absent`,
    absentAs: '',
    header: parts => parts.all.replace(`created=${NOW_SECONDS},`, ''),
    options: { algorithms: ['ed25519'] },
    verdict: rejected('signature-parameter-missing', 'coverage-absent')
  }),
  vector('several-no-and-cannot-tell', {
    note: 'The function that decides on accounts is not asked once a local check has failed.',
    set: { Date: 'Fri, 20 Nov 2026 11:00:00 GMT' },
    accountsError: true,
    verdict: rejected('date-too-old')
  }),
  vector('several-cannot-tell-and-dns-outage', {
    note: 'The function that decides on accounts is asked only after the signature has verified.',
    accountsError: true,
    records: { error: 'ESERVFAIL' },
    verdict: unavailable('key-lookup-failed')
  }),
  vector('several-signature-and-cannot-tell', {
    note: 'A stranger must not cause the receiver to look an account up.',
    accountsError: true,
    received: { target: '/other' },
    verdict: rejected('signature-mismatch')
  }),
  vector('several-cannot-tell-and-body', {
    note: 'The body is read last.',
    accountsError: true,
    received: { body: '{"event":"deleted"}' },
    verdict: unavailable('account-check-failed')
  }),
  vector('several-local-and-signature', {
    note: 'The signature would not verify either; that is not looked at.',
    set: { Date: 'Fri, 20 Nov 2026 11:00:00 GMT' },
    received: { target: '/other' },
    verdict: rejected('date-too-old')
  }),
  vector('several-signature-and-body', {
    note: 'The body would not match either; it is not looked at.',
    received: { target: '/other', body: '{"event":"deleted"}' },
    verdict: rejected('signature-mismatch')
  })
]
