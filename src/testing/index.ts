export {
  createTestService,
  type TestService,
  type TestServiceOptions,
  type TestServiceVerifierOptions
} from './service.ts'
export type { SignRequest } from './sign.ts'
