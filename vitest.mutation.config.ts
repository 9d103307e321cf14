import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The tests of the verifier that take the same way every time, and not long. The first that fails ends the run, so
 * what catches most comes first.
 */
const TESTS = [
  'test/vectors.test.ts',
  'test/verify.test.ts',
  'test/headers/',
  'test/checks/',
  'test/key/',
  'test/signature/',
  'test/signing-string.test.ts',
  'test/body.test.ts',
  'test/evidence.test.ts',
  'test/fixtures/appendix-c.test.ts',
  'test/dns/bun.test.ts',
  'test/dns/lookup-txt.test.ts',
  'test/dns/names.test.ts',
  'test/dns/resolver-options.test.ts',
  'test/explain/',
  'test/hardening.test.ts'
]

const place = ({ moduleId }: TestSpecification): number =>
  TESTS.findIndex(each => relative(import.meta.dirname, moduleId).startsWith(each))

class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    include: TESTS.map(each => (each.endsWith('/') ? `${each}**/*.test.ts` : each)),
    sequence: { sequencer: AsListed },
    testTimeout: 5_000
  }
})
