/**
 * A signer with an in-memory DNS, a real DNS server for its keys, the vectors, and fixtures from captured requests.
 *
 * @module signed-requests/testing
 */
export { type CaptureOptions, captureFixture } from './capture.ts'
export type { DnsServer } from './dns-server.ts'
export {
  type MakeReplayStore,
  type ReplayStoreCase,
  type ReplayStoreContractOptions,
  replayStoreContract
} from './replay-store-contract.ts'
export { type ServeDnsOptions, serveDns } from './serve-dns.ts'
export {
  createTestService,
  type TestService,
  type TestServiceVerifierOptions
} from './service.ts'
export type { TestServiceOptions } from './service-options.ts'
export type { SignedTestRequest } from './sign.ts'
export type { SignRequest } from './sign-options.ts'
export type {
  VectorBody,
  VectorDnsError,
  VectorFile,
  VectorJson,
  VectorOptions,
  VectorParameters,
  VectorSigning,
  VectorVerdict
} from './vector-form.ts'
