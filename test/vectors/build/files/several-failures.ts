import { ED25519 } from '../keys.ts'
import { FIVE, NOW_SECONDS, vector } from '../recipe.ts'
import { rejected, unavailable } from '../verdicts.ts'

export const source =
  'fixtures/README.md, the checks in order: every local check reports; after a local failure nothing else is asked'
export const vectors = [
  vector('several-host-and-date', rejected('date-too-old', 'host-mismatch'), {
    set: { Host: 'hooks.other.example', Date: 'Fri, 20 Nov 2026 11:00:00 GMT' }
  }),
  vector('several-https-and-account', rejected('not-https', 'account-mismatch'), {
    https: false,
    options: { requireHttps: true },
    set: { 'X-Service-ID': 'account-5678' }
  }),
  vector('several-coverage-and-key-name', rejected('coverage-insufficient', 'key-name-outside-domain'), {
    covered: '(request-target) host date x-service-id',
    keyId: 'one._domainkey.evil.example'
  }),
  vector(
    'several-signature-header-coverage-and-key-name',
    rejected('signature-algorithm-not-allowed', 'coverage-repeated', 'key-name-malformed'),
    {
      algorithm: 'hmac-sha256',
      covered: `${FIVE} date`,
      keyId: 'no name'
    }
  ),
  vector('several-date-and-digest', rejected('date-malformed', 'digest-unsupported'), {
    set: { Date: 'yesterday', Digest: 'MD5=1B2M2Y8AsgTpgAmY7PhCfg==' }
  }),
  vector(
    'several-everything-local',
    rejected(
      'not-https',
      'date-in-future',
      'host-mismatch',
      'account-malformed',
      'signature-algorithm-not-allowed',
      'coverage-insufficient',
      'key-name-outside-domain',
      'digest-malformed'
    ),
    {
      https: false,
      options: { requireHttps: true },
      set: {
        Host: 'hooks.other.example',
        Date: 'Fri, 20 Nov 2026 13:00:00 GMT',
        'X-Service-ID': '1234',
        Digest: 'SHA-256=x'
      },
      covered: 'date',
      algorithm: 'none',
      keyId: 'service.example'
    }
  ),
  vector(
    'several-nothing-there',
    rejected('not-https', 'date-missing', 'host-missing', 'account-missing', 'signature-missing', 'digest-missing'),
    {
      note: 'An ordinary request that nobody signed.',
      https: false,
      options: { requireHttps: true },
      set: { Host: null, Date: null, 'X-Service-ID': null, Digest: null, 'X-Nonce': null },
      absentAs: '',
      received: { set: { Signature: null } }
    }
  ),
  vector('several-repeated', rejected('date-repeated', 'host-repeated', 'account-repeated', 'signature-repeated'), {
    add: [
      ['Date', 'Fri, 20 Nov 2026 12:00:00 GMT'],
      ['Host', 'hooks.example.com'],
      ['X-Service-ID', 'account-1234']
    ],
    received: { add: [['Signature', 'keyId="x",signature="eA=="']] }
  }),
  vector('several-time-and-header-that-are-not-there', rejected('signature-parameter-missing', 'coverage-absent'), {
    key: ED25519,
    scheme: 'ed25519',
    algorithm: 'ed25519',
    times: { created: NOW_SECONDS },
    covered: `(created) ${FIVE} x-absent`,
    absentAs: '',
    header: parts => parts.all.replace(`created=${NOW_SECONDS},`, ''),
    options: { algorithms: ['ed25519'] }
  }),
  vector('several-no-and-cannot-tell', rejected('date-too-old'), {
    note: 'The function that decides on accounts is not asked once a local check has failed.',
    set: { Date: 'Fri, 20 Nov 2026 11:00:00 GMT' },
    accountsError: true
  }),
  vector('several-cannot-tell-and-dns-outage', unavailable('key-lookup-failed'), {
    note: 'The function that decides on accounts is asked only after the signature has verified.',
    accountsError: true,
    records: { error: 'ESERVFAIL' }
  }),
  vector('several-signature-and-cannot-tell', rejected('signature-mismatch'), {
    note: 'A stranger must not cause the receiver to look an account up.',
    accountsError: true,
    received: { target: '/other' }
  }),
  vector('several-cannot-tell-and-body', unavailable('account-check-failed'), {
    note: 'The body is read last.',
    accountsError: true,
    received: { body: '{"event":"deleted"}' }
  }),
  vector('several-local-and-signature', rejected('date-too-old'), {
    note: 'The signature would not verify either; that is not looked at.',
    set: { Date: 'Fri, 20 Nov 2026 11:00:00 GMT' },
    received: { target: '/other' }
  }),
  vector('several-signature-and-body', rejected('signature-mismatch'), {
    note: 'The body would not match either; it is not looked at.',
    received: { target: '/other', body: '{"event":"deleted"}' }
  })
]
