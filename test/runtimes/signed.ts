import type { ReceivedRequest } from '../../src/index.ts'
import type { TestService } from '../../src/testing/index.ts'

/** Changes the keyId of a request: it is not signed, so the request can be sent with any. */
export function withKeyId(name: string, service: TestService): ReceivedRequest {
  const { headers, ...request } = service.sign()
  const [keyId] = Object.keys(service.records)
  return { ...request, headers: [...headers].map(([field, value]) => [field, value.replace(keyId!, name)] as const) }
}
