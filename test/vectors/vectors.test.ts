import { expect, test } from 'vitest'
import { createVerifier, type VerifierOptions, type Verify } from '../../src/index.ts'
import { loadVectors } from '../support/vectors.ts'
import { judge } from './judge.ts'

const vectors = loadVectors().map(vector => [`${vector.file}: ${vector.name}`, vector] as const)

test.each(vectors)('%s', async (_, vector) => {
  const { expected, actual } = await judge(createVerifier, vector)
  expect(actual).toEqual(expected)
})

test('a verifier that has judged other vectors gives each the same verdict', async () => {
  const all = loadVectors()
  const verifiers = new Map<string, Verify>()
  for (const vector of [...all, ...[...all].reverse()]) {
    const { options, accountsError, replayStore } = vector.json
    const key = JSON.stringify([options, accountsError, replayStore])
    const { expected, actual } = await judge(given => {
      world = given
      const verify =
        verifiers.get(key) ??
        createVerifier({
          ...given,
          now: () => world.now!(),
          lookupTxt: (...query) => world.lookupTxt!(...query)
        })
      verifiers.set(key, verify)
      return verify
    }, vector)
    expect([vector.name, actual]).toEqual([vector.name, expected])
  }
  expect(verifiers.size).toBeLessThan(all.length / 4)
})

/** The clock and DNS of the vector at hand. */
let world: VerifierOptions
