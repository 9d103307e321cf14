/**
 * A signer with an in-memory DNS, the vectors, and fixtures from captured requests.
 *
 * @module signed-requests/testing
 */
export { type CaptureOptions, captureFixture } from './capture.ts'
export {
  createTestService,
  type TestService,
  type TestServiceOptions,
  type TestServiceVerifierOptions
} from './service.ts'
export type { SignRequest } from './sign.ts'
export type {
  VectorBody,
  VectorDnsError,
  VectorFile,
  VectorJson,
  VectorOptions,
  VectorVerdict
} from './vector-form.ts'
export { loadVectors, type Vector } from './vectors.ts'
