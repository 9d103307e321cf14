import { relative } from 'node:path'
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node'

/** Runs test files in the order of this list: the first test that fails ends a run, so what catches most comes first. */
export function inOrder(root: string, paths: readonly string[]): TestSequencerConstructor {
  const place = ({ moduleId }: TestSpecification): number =>
    paths.findIndex(path => relative(root, moduleId).startsWith(path.replace(/\*.*/, '')))

  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return [...files].sort((a, b) => place(a) - place(b))
    }
  }
}
