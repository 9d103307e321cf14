import { expect, test } from 'vitest'
import { createVerifier } from '../src/index.ts'
import { loadVectors } from '../src/testing/index.ts'
import { judge } from './vectors/judge.ts'

const vectors = loadVectors().map(vector => [`${vector.file}: ${vector.name}`, vector] as const)

test.each(vectors)('%s', async (_, vector) => {
  const { expected, actual } = await judge(createVerifier, vector)
  expect(actual).toEqual(expected)
})

test('vectors can be run more than once', async () => {
  for (const { options, request, verdict } of loadVectors().filter(({ file }) => file === 'digest')) {
    const verify = createVerifier(options)
    expect((await verify(request)).status).toBe(verdict.status)
    expect((await verify(request)).status).toBe(verdict.status)
  }
})
