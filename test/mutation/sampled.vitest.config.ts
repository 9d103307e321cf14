import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'
import { inOrder } from './in-order.ts'
import { FOLDERS } from './sampled-folders.ts'

const { tests } = FOLDERS[process.env['MUTATION_FOLDER'] ?? '']!
const root = join(import.meta.dirname, '../..')

/** Runs the tests of one folder around the verifier. */
export default defineConfig({
  root,
  resolve: base.resolve!,
  test: {
    include: tests.map(path => (path.endsWith('/') ? `${path}**/*.test.ts` : path)),
    exclude: [
      // This test starts a process.
      'test/unit/account/https.test.ts',
      // This test runs the code of an example.
      'test/unit/account/example.test.ts',
      'test/unit/replay/dynamodb.test.ts',
      'test/unit/replay/durable-object.test.ts'
    ],
    globalSetup: 'test/support/bundles.ts',
    sequence: { sequencer: inOrder(root, tests) },
    // StrykerJS ends a mutant that hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
