// Lets a sample of the mutants pass, as a checker of StrykerJS: the same for the same seed.
import { createHash } from 'node:crypto'
import { CheckStatus } from '@stryker-mutator/api/check'
import { declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'

/** Leaves out the folder of the copy that StrykerJS works in: its name is new in each run. */
const pathOf = fileName => fileName.replace(/^.*\.stryker-tmp\/[^/]+\//, '').replace(`${process.cwd()}/`, '')

/** Ranks a mutant by the seed and by what it changes. */
function rankOf({ fileName, location, mutatorName, replacement }, seed) {
  const text = JSON.stringify([seed, pathOf(fileName), location, mutatorName, replacement])
  return createHash('sha256').update(text).digest('hex')
}

function createSample() {
  const { MUTATION_SEED: seed = '1', MUTATION_SAMPLE: size = '64' } = process.env
  return {
    async init() {},
    // All mutants are in one group, because the sample is taken from all.
    group: async mutants => [mutants.map(({ id }) => id)],
    async check(mutants) {
      const ranked = mutants.map(mutant => ({ id: mutant.id, rank: rankOf(mutant, seed) }))
      ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))
      return Object.fromEntries(
        ranked.map(({ id }, place) => [
          id,
          place < Number(size)
            ? { status: CheckStatus.Passed }
            : { status: CheckStatus.CompileError, reason: 'not in the sample' }
        ])
      )
    }
  }
}
createSample.inject = tokens()

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'sample', createSample)]
