import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'
import { inOrder } from './in-order.ts'

/**
 * Lists tests of the verifier that run the same code every time, and quickly. The first that fails ends the run, so the
 * ones that catch most come first. No test loads modules again: their top-level code would then count as run by it, and
 * no test could notice a change there.
 */
const TESTS = [
  'test/vectors/vectors.test.ts',
  'test/unit/core/options/mistakes.test.ts',
  'test/unit/core/verify.test.ts',
  'test/unit/core/http/',
  'test/unit/platforms/proxy.test.ts',
  'test/unit/core/standards/draft-cavage/',
  'test/unit/core/standards/rfc9421/examples.test.ts',
  'test/unit/core/standards/rfc9421/headers.test.ts',
  'test/unit/core/standards/rfc9421/property.test.ts',
  'test/unit/core/standards/rfc9421/signature-base.test.ts',
  'test/unit/core/standards/rfc9421/verify.test.ts',
  'test/unit/core/checks/',
  'test/unit/core/key/',
  'test/unit/core/signature/',
  'test/unit/core/body/',
  'test/unit/core/verdict/',
  'test/unit/core/result/',
  'test/unit/memo.test.ts',
  'test/vectors/fixtures/appendix-c.test.ts',
  'test/unit/explain/',
  'test/unit/account/fetch.test.ts',
  'test/unit/account/faults.test.ts',
  'test/unit/account/options.test.ts',
  'test/unit/doh/lookup.test.ts',
  'test/unit/hardening.test.ts'
]

const root = join(import.meta.dirname, '../..')

export default defineConfig({
  root,
  // An example imports the package by its name.
  resolve: base.resolve!,
  test: {
    include: TESTS.map(path => (path.endsWith('/') ? `${path}**/*.test.ts` : path)),
    sequence: { sequencer: inOrder(root, TESTS) },
    // StrykerJS ends a mutant that hangs.
    testTimeout: 60_000
  }
})
