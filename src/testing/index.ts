/**
 * A signer with an in-memory DNS, a real DNS server for its keys, fixtures of received requests, and the cases that a
 * replay store must pass.
 *
 * @module signed-requests/testing
 */

export { type CaptureOptions, captureFixture } from '../fixture/capture.ts'
export type {
  VectorBody,
  VectorDnsError,
  VectorFile,
  VectorJson,
  VectorOptions,
  VectorVerdict
} from '../fixture/vector.ts'
export type { Bytes } from '../http/request.ts'
export { type DnsServer, type ServeDnsOptions, serveDns } from './dns-server.ts'
export * from './replay-store-contract.ts'
export * from './service.ts'
export type { SignedTestRequest, SignRequest } from './sign.ts'
