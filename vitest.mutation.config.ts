import { defineConfig } from 'vitest/config'

/** For `npm run test:mutation`: the tests of the verifier that take the same way every time, and not long. */
export default defineConfig({
  test: {
    include: [
      'test/body.test.ts',
      'test/checks/**/*.test.ts',
      'test/dns/**/*.test.ts',
      'test/evidence.test.ts',
      'test/explain/**/*.test.ts',
      'test/fixtures/appendix-c.test.ts',
      'test/key/**/*.test.ts',
      'test/signing-string.test.ts',
      'test/vectors.test.ts',
      'test/verify.test.ts'
    ],
    testTimeout: 20_000
  }
})
