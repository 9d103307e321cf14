import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { judgeAnswer } from '../../src/cli/conformance/answer.ts'
import { runProgram } from '../../src/cli/conformance/program.ts'
import { loadVectors } from '../../src/testing/index.ts'
import { runInside } from '../support/run-cli.ts'

const VERIFIER = fileURLToPath(new URL('verifier.py', import.meta.url))
const PYTHON = '/usr/bin/python3'
const draft = loadVectors().filter(({ file }) => file !== 'rfc9421')

test('a verifier in Python, written from the page of the fixtures alone, passes every vector of the draft', async () => {
  const { code, stdout, stderr } = await runInside([
    'conformance',
    '--only',
    'draft-cavage',
    '--',
    PYTHON,
    VERIFIER
  ])
  expect(stderr).toBe('')
  expect(stdout).toMatch(new RegExp(`^all +${draft.length} +0 +0$`, 'm'))
  expect(code).toBe(0)
})

test('a vector that was changed turns it red', async () => {
  const changed = draft.slice(0, 40).map(vector => {
    const json = structuredClone(vector.json)
    // What the verdict says is left as it is.
    json.request.target += '?changed'
    json.request.method = 'TRACE'
    return { json, verdict: vector.verdict }
  })
  const right: boolean[] = []
  const lines = changed.map(({ json }) => JSON.stringify(json))
  const problem = await runProgram([PYTHON, VERIFIER], lines, 60_000, line => {
    right.push(judgeAnswer(line, changed[right.length]!.verdict).isRight)
  })
  expect(problem).toBeUndefined()
  expect(right).toHaveLength(40)
  expect(right.filter(isRight => !isRight).length).toBeGreaterThan(10)
})

test('it does not look at what is not for it', async () => {
  const answers: boolean[] = []
  const lines = draft.map(({ json: { verdict, parameters, signing, step, ...json } }) => JSON.stringify(json))
  await runProgram([PYTHON, VERIFIER], lines, 60_000, line => {
    answers.push(judgeAnswer(line, draft[answers.length]!.verdict).isRight)
  })
  expect(answers.filter(Boolean)).toHaveLength(draft.length)
})
