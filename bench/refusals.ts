import type { Code, ReceivedRequest } from '../src/index.ts'
import { asReceived, type Sample } from './sample.ts'

/** Describes a request that a local check refuses. */
export interface Refusal {
  code: Code
  request: ReceivedRequest
}

export function refusals({ request, keyId }: Sample): Refusal[] {
  const lines = request.headers
  const signature = lines.find(([name]) => name === 'Signature')![1]
  const withHeader = (name: string, ...values: string[]): ReceivedRequest => {
    const others = lines.filter(([each]) => each !== name)
    return { ...request, headers: asReceived([...others, ...values.map(value => [name, value] as const)]) }
  }
  const signed = (search: string | RegExp, replacement: string) =>
    withHeader('Signature', signature.replace(search, replacement))

  return [
    { code: 'request-malformed', request: withHeader('X-Nonce', '1\r\nx-more: 2') },
    { code: 'not-https', request: { ...request, https: false } },
    { code: 'date-missing', request: withHeader('Date') },
    {
      code: 'date-repeated',
      request: withHeader('Date', new Date().toUTCString(), new Date().toUTCString())
    },
    { code: 'date-malformed', request: withHeader('Date', new Date().toISOString()) },
    { code: 'date-too-old', request: withHeader('Date', 'Sun, 06 Nov 1994 08:49:37 GMT') },
    { code: 'host-missing', request: withHeader('Host') },
    { code: 'host-mismatch', request: withHeader('Host', 'other.example') },
    { code: 'account-missing', request: withHeader('X-Service-ID') },
    { code: 'account-malformed', request: withHeader('X-Service-ID', '1234') },
    { code: 'account-mismatch', request: withHeader('X-Service-ID', 'account-99') },
    { code: 'signature-missing', request: withHeader('Signature') },
    { code: 'signature-repeated', request: withHeader('Signature', signature, signature) },
    { code: 'signature-malformed', request: signed(/"$/, '') },
    { code: 'signature-parameter-missing', request: signed(/^keyId="[^"]*",/, '') },
    { code: 'signature-parameter-repeated', request: signed('keyId=', 'keyId="a",keyId=') },
    { code: 'signature-algorithm-not-allowed', request: signed('rsa-sha256', 'hmac-sha256') },
    { code: 'signature-not-base64', request: signed(/.....$/, '-AA="') },
    { code: 'coverage-insufficient', request: signed(' Digest', '') },
    { code: 'coverage-repeated', request: signed(' Digest', ' Digest Digest') },
    { code: 'coverage-absent', request: signed(' Digest', ' Digest X-Absent') },
    { code: 'key-name-malformed', request: signed(keyId, `${keyId}\\0`) },
    { code: 'key-name-outside-domain', request: signed(keyId, `${keyId}.evil.example`) },
    { code: 'digest-missing', request: withHeader('Digest') },
    { code: 'digest-malformed', request: withHeader('Digest', 'SHA-256=AAAA') },
    { code: 'digest-unsupported', request: withHeader('Digest', 'MD5=AAAA') }
  ]
}
