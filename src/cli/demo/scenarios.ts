import type { TestService } from '../../testing/service.ts'
import type { SignedTestRequest } from '../../testing/sign.ts'

export interface Scenario {
  name: string
  /** the request as it is sent */
  request: () => SignedTestRequest
  /** the code that it must be refused with; verified without one */
  code?: string
}

/** What the receiver is sent: three requests of the service, and seven that it must not act on. */
export function scenariosOf(service: TestService, other: TestService): Scenario[] {
  const captured = service.sign({ method: 'POST', target: '/hooks/orders', body: '{"event":"paid"}' })
  const webhook = { method: 'POST', target: '/hooks/orders?version=2', body: '{"event":"paid","amount":100}' }
  const covered = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'X-Nonce']
  const hourAgo = new Date(Date.now() - 3_600_000)
  return [
    { name: 'Webhook: POST, JSON', request: () => captured },
    { name: 'Content download: GET, no body', request: () => service.sign({ target: '/content/42' }) },
    {
      name: 'Large body: POST, 5 MB',
      request: () => service.sign({ ...webhook, body: Buffer.alloc(5_000_000, 'signed, ') })
    },
    {
      name: 'Tampered body',
      request: () => ({ ...service.sign(webhook), body: Buffer.from('{"event":"paid","amount":900}') }),
      code: 'digest-mismatch'
    },
    {
      name: 'Path stripped by a proxy',
      request: () => ({
        ...service.sign({ ...webhook, target: `/api${webhook.target}` }),
        target: webhook.target
      }),
      code: 'signature-mismatch'
    },
    {
      name: 'Replayed with its old Date',
      request: () => service.sign({ ...webhook, date: hourAgo }),
      code: 'date-too-old'
    },
    { name: 'Replayed at once, byte for byte', request: () => captured, code: 'replayed' },
    { name: 'Key outside the domain', request: () => other.sign(webhook), code: 'key-name-outside-domain' },
    {
      name: 'Signature leaves out Digest',
      request: () => service.sign({ ...webhook, covered }),
      code: 'coverage-insufficient'
    },
    { name: 'DNS outage', request: () => service.sign(webhook), code: 'key-lookup-failed' }
  ]
}
