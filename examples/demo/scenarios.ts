import type { ReceivedRequest } from '../../src/index.ts'
import type { TestService } from '../../src/testing/index.ts'

export interface Scenario {
  name: string
  /** the request as it is sent */
  request: () => ReceivedRequest
  /** DNS does not answer while this one is sent */
  dnsIsDown?: boolean
  /** the one whose `explain` is shown below the table */
  explained?: boolean
  /** the HTTP status, and each check that must fail with its code: no other may */
  expected: { status: number; failures: readonly string[] }
}

/** What the receiver is sent: three requests of the service, and seven that it must not act on. */
export function scenariosOf(service: TestService, stranger: TestService): Scenario[] {
  const captured = service.sign({ method: 'POST', target: '/hooks/orders', body: '{"event":"paid"}' })
  const webhook = { method: 'POST', target: '/hooks/orders?version=2', body: '{"event":"paid","amount":100}' }
  return [
    {
      name: 'Webhook: POST, JSON',
      request: () => captured,
      expected: { status: 200, failures: [] }
    },
    {
      name: 'Content download: GET, no body',
      request: () => service.sign({ method: 'GET', target: '/content/42' }),
      expected: { status: 200, failures: [] }
    },
    {
      name: 'Large body: POST, 5 MB',
      request: () => service.sign({ ...webhook, body: Buffer.alloc(5_000_000, 'signed, ') }),
      expected: { status: 200, failures: [] }
    },
    {
      name: 'Tampered body',
      request: () => ({ ...service.sign(webhook), body: '{"event":"paid","amount":900}' }),
      expected: { status: 401, failures: ['digest: digest-mismatch'] }
    },
    {
      name: 'Path stripped by a proxy',
      request: () => ({
        ...service.sign({ ...webhook, target: `/api${webhook.target}` }),
        target: webhook.target
      }),
      explained: true,
      expected: { status: 401, failures: ['signature: signature-mismatch'] }
    },
    {
      name: 'Replayed with its old Date',
      request: () => service.sign({ ...webhook, date: new Date(Date.now() - 3_600_000) }),
      expected: { status: 401, failures: ['date: date-too-old'] }
    },
    {
      name: 'Replayed at once, byte for byte',
      request: () => captured,
      expected: { status: 401, failures: ['replay: replayed'] }
    },
    {
      name: 'Key outside the domain',
      request: () => stranger.sign(webhook),
      expected: { status: 401, failures: ['key-name: key-name-outside-domain'] }
    },
    {
      name: 'Signature leaves out Digest',
      request: () =>
        service.sign({
          ...webhook,
          covered: ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'X-Nonce']
        }),
      expected: { status: 401, failures: ['coverage: coverage-insufficient'] }
    },
    {
      name: 'DNS outage',
      request: () => service.sign(webhook),
      dnsIsDown: true,
      expected: { status: 503, failures: ['key: key-lookup-timeout'] }
    }
  ]
}
