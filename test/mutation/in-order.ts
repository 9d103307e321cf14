import { basename, relative } from 'node:path'
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node'

/**
 * Runs test files in the order of this list: the first test that fails ends a run, so what catches most comes first.
 * The tests that are named as the one file that was changed come before all others.
 */
export function inOrder(root: string, paths: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const [changed = '', ...others] = [this.ctx.config.related ?? []].flat()
      const named = others.length === 0 ? basename(changed).replace(/\.ts$/, '.test.ts') : ''
      const place = ({ moduleId }: TestSpecification): number =>
        basename(moduleId) === named
          ? -1
          : paths.findIndex(path => relative(root, moduleId).startsWith(path.replace(/\*.*/, '')))
      return [...files].sort((a, b) => place(a) - place(b))
    }
  }
}
