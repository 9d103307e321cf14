import { expect, test } from 'vitest'
import { createVerifier, type VerifierOptions, type Verify } from '../../src/index.ts'
import { loadVectors } from '../support/vectors.ts'
import { judge } from './judge.ts'

const vectors = loadVectors().map(vector => [`${vector.file}: ${vector.name}`, vector] as const)

test.each(vectors)('the library gives the verdict of the vector: %s', async (_, vector) => {
  const { expected, actual } = await judge(createVerifier, vector)
  expect(actual).toEqual(expected)
})

const ALGORITHMS = ['rsa-sha256', 'rsa-sha512', 'ed25519', 'hs2019'] as const

/** Changes each default that a receiver may set, in both directions. */
const OTHER_DEFAULTS: readonly Partial<VerifierOptions>[] = [
  { dateTolerance: 600, maxRsaBits: 16_384, maxBodyBytes: 20_971_520, requireHttps: false, algorithms: ALGORITHMS },
  { dateTolerance: 60, minRsaBits: 2048, maxRsaBits: 4096, maxBodyBytes: 1000 }
]

test.each(OTHER_DEFAULTS)('every vector states the options that it depends on: another default is %o', async others => {
  for (const vector of loadVectors()) {
    const { algorithms, ...withoutAlgorithms } = others
    // With RFC 9421, the default algorithms differ.
    const defaults = vector.json.options.schemes === undefined ? others : withoutAlgorithms
    const { expected, actual } = await judge(given => createVerifier({ ...defaults, ...given }), vector)
    expect([vector.name, actual]).toEqual([vector.name, expected])
  }
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
        createVerifier({ ...given, now: () => world.now!(), lookupTxt: (...query) => world.lookupTxt!(...query) })
      verifiers.set(key, verify)
      return verify
    }, vector)
    expect([vector.name, actual]).toEqual([vector.name, expected])
  }
  expect(verifiers.size).toBeLessThan(all.length / 4)
})

/** The clock and DNS of the current vector. */
let world: VerifierOptions
