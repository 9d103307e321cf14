/**
 * draft-cavage-http-signatures-12 appendix C, copied: nothing here is made with a key of ours. The text is that of
 * October 2019, whose C.3 has two lines in its signing string that the signature does not cover.
 */

const request = {
  method: 'POST',
  target: '/foo?param=value&pet=dog',
  headers: [
    ['Host', 'example.com'],
    ['Date', 'Sun, 05 Jan 2014 21:31:40 GMT'],
    ['Content-Type', 'application/json'],
    ['Digest', 'SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE='],
    ['Content-Length', '18']
  ],
  body: { utf8: '{"hello": "world"}' }
}

const C1 =
  'SjWJWbWN7i0wzBvtPl8rbASWz5xQW6mcJmn+ibttBqtifLN7Sazz6m79cNfwwb8DMJ5cou1s7uEGKKCs+FLEEaDV5lp7q25WqS+lavg7T8hc0Gpp' +
  'auB6hbgEKTwblDHYGEtbGmtdHgVCk9SuS13F0hZ8FD0k/5OxEPXe5WozsbM='
const C2 =
  'qdx+H7PHHDZgy4y/Ahn9Tny9V3GP6YgBPyUXMmoxWtLbHpUnXS2mg2+SbrQDMCJypxBLSPQR2aAjn7ndmw2iicw3HMbe8VfEdKFYRqzic+efkb3n' +
  'ndiv/x1xSHDJWeSWkx3ButlYSuBskLu6kd9Fswtemr3lgdDEmn04swr2Os0='
const C3 =
  'vSdrb+dS3EceC9bcwHSo4MlyKS59iFIrhgYkz8+oVLEEzmYZZvRs8rgOp+63LEM3v+MFHB32NfpB2bEKBIvB1q52LaEUHFv120V01IL+TAD48XaE' +
  'RZFukWgHoBTLMhYS2Gb51gWxpeIq8knRmPnYePbF5MOkR0Zkly4zKH7s1dE='

const TARGET = '(request-target): post /foo?param=value&pet=dog'
const HOST = 'host: example.com'
const DATE = 'date: Sun, 05 Jan 2014 21:31:40 GMT'
const REST = [
  'content-type: application/json',
  'digest: SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=',
  'content-length: 18'
]
const lines = (...each: string[]) => each.join('\n')

export const APPENDIX_C = {
  source: 'draft-cavage-http-signatures-12 appendix C',
  publicKey:
    'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDCFENGw33yGihy92pDjZQhl0C36rPJj+CvfSC8+q28hxA161QFNUd13wuCTUcq0Qd2qsBe/2hF' +
    'yc2DCJJg0h1L78+6Z4UMR7EOcpfdUE9Hf3m/hs+FUR45uBJeDK1HSFHD8bHKD6kv8FPGfJTotc+2xjJwoYi+1hqp1fIekaxsyQIDAQAB',
  request,
  vectors: [
    {
      name: 'appendix-c1-default-test',
      signatureHeader: `keyId="Test",algorithm="rsa-sha256",signature="${C1}"`,
      note: 'The header has no list; the text says that the date alone is signed then, section 2.1.6 that (created) is.',
      covered: ['date'],
      signingString: DATE,
      verifies: true
    },
    {
      name: 'appendix-c2-basic-test',
      signatureHeader: `keyId="Test",algorithm="rsa-sha256",headers="(request-target) host date",signature="${C2}"`,
      covered: ['(request-target)', 'host', 'date'],
      signingString: lines(TARGET, HOST, DATE),
      verifies: true
    },
    {
      name: 'appendix-c3-all-headers-test',
      signatureHeader: `keyId="Test",algorithm="rsa-sha256",created=1402170695, expires=1402170699, headers="(request-target) (created) (expires) host date content-type digest content-length", signature="${C3}"`,
      note: 'As printed: the signature is not over the lines of (created) and (expires), which rsa-sha256 must not have anyway.',
      covered: '(request-target) (created) (expires) host date content-type digest content-length'.split(' '),
      created: 1402170695,
      expires: 1402170699,
      signingString: lines(TARGET, '(created): 1402170695', '(expires): 1402170699', HOST, DATE, ...REST),
      verifies: false
    },
    {
      name: 'appendix-c3-all-headers-test-without-created-and-expires',
      signatureHeader: `keyId="Test",algorithm="rsa-sha256",headers="(request-target) host date content-type digest content-length",signature="${C3}"`,
      note: 'What the signature of C.3 is over; earlier editions of the draft print it so.',
      covered: ['(request-target)', 'host', 'date', 'content-type', 'digest', 'content-length'],
      signingString: lines(TARGET, HOST, DATE, ...REST),
      verifies: true
    },
    {
      name: 'appendix-c2-with-the-signature-of-c1',
      signatureHeader: `keyId="Test",algorithm="rsa-sha256",headers="(request-target) host date",signature="${C1}"`,
      covered: ['(request-target)', 'host', 'date'],
      signingString: lines(TARGET, HOST, DATE),
      verifies: false
    }
  ]
}
