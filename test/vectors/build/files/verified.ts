import { RSA_1024, TWO } from '../keys.ts'
import { vector } from '../recipe.ts'
import { VERIFIED } from '../verdicts.ts'

export const source = "The service's specification, by its own sample"
export const vectors = [
  vector('verified-as-in-the-specification', VERIFIED, {
    note: 'The list of the sample, in its mixed case.'
  }),
  ...['GET', 'HEAD', 'DELETE', 'OPTIONS'].map(method =>
    vector(`verified-${method.toLowerCase()}`, VERIFIED, { method, body: null })
  ),
  ...['PUT', 'PATCH', 'M-SEARCH', 'propfind'].map(method =>
    vector(`verified-${method.toLowerCase()}`, VERIFIED, { method })
  ),
  ...(
    [
      ['root', '/'],
      ['without-query', '/hook'],
      ['empty-query', '/hook?'],
      ['query-with-question-mark', '/hook?a=?b'],
      ['percent-encoded', '/caf%C3%A9/%2e%2e/%00?q=%0A'],
      ['dot-segments', '/a/./b/../hook'],
      ['double-slashes', '//evil.example//hook'],
      ['colons-and-commas', '/a:b,c;d=e'],
      ['asterisk', '*'],
      ['absolute-form', 'https://hooks.example.com/hook?id=42'],
      ['authority-form', 'hooks.example.com:443'],
      ['octets-above-ascii', '/caf\xc3\xa9']
    ] as const
  ).map(([name, target]) =>
    vector(`verified-target-${name}`, VERIFIED, {
      source: 'draft-cavage-http-signatures-12 section 2.3: the request-target as it is, RFC 9112 section 3.2',
      target
    })
  ),
  vector('verified-with-another-key', VERIFIED, {
    key: TWO,
    keyId: 'two._domainkey.service.example'
  }),
  vector('verified-with-a-short-key', VERIFIED, {
    source: 'RFC 8301 section 3.2: 1024 bits are the least',
    key: RSA_1024,
    options: { minRsaBits: 1024 }
  }),
  vector('verified-large-body', VERIFIED, {
    body: '{"event":"published"}\n'.repeat(100),
    options: { maxBodyBytes: 10_485_760 }
  })
]
