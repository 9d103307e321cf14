import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { VectorVerdict } from '../../fixtures/source/vector-form.ts'
import { runVectors } from '../support/run-process.ts'
import { loadVectors, type Vector } from '../support/vectors.ts'

const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const VERIFIER = at('verifier.py')
const PYTHON = '/usr/bin/python3'
const draft = loadVectors().filter(({ file }) => file !== 'rfc9421')

/** Runs the Python verifier on lines; returns whether each answer is the verdict beside it. */
function compare(lines: readonly string[], verdicts: readonly VectorVerdict[]): boolean[] {
  const output = execFileSync(PYTHON, [VERIFIER], { input: lines.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 26 })
  const answers = output.trim().split('\n')
  expect(answers).toHaveLength(lines.length)
  const textOf = ({
    status,
    failures = []
  }: {
    status: string
    failures?: readonly { check: string; code: string }[]
  }) => JSON.stringify([status, failures.map(({ check, code }) => [check, code])])
  return answers.map((answer, at) => textOf(JSON.parse(answer)) === textOf(verdicts[at]!))
}

const verdictsOf = (vectors: readonly Vector[]) => vectors.map(({ verdict }) => verdict)

test('a verifier in Python, written from the page of the fixtures alone, passes every vector of the draft', async () => {
  const { code, stdout, stderr } = await runVectors(['--only', 'draft-cavage', '--', PYTHON, VERIFIER])
  expect(stderr).toBe('')
  expect(stdout).toMatch(new RegExp(`^all +${draft.length} +0 +0$`, 'm'))
  expect(code).toBe(0)
})

test('it does not look at what is not for it', async () => {
  const lines = draft.map(({ json: { verdict, parameters, signing, step, ...json } }) => JSON.stringify(json))
  expect(compare(lines, verdictsOf(draft))).toEqual(draft.map(() => true))
})

interface Document {
  vectors: { name: string; parameters: object; signingString: string; sha256: string; verifies: boolean }[]
}

test('its functions make of the examples of the draft what they must', () => {
  const text = readFileSync(new URL('../../fixtures/draft-cavage-appendix-c.json', import.meta.url), 'utf8')
  const output = execFileSync(PYTHON, ['-B', at('appendix_c.py')], { input: text, encoding: 'utf8' })
  const { vectors } = JSON.parse(text) as Document
  const made = output.trim().split('\n')
  expect(made.map(line => JSON.parse(line))).toEqual(
    vectors.map(({ name, parameters, signingString, sha256, verifies }) => {
      return { name, parameters, signingString, sha256, verifies }
    })
  )
})

type Json = Vector['json']
type Change = [what: string, of: (vector: Vector) => boolean, change: (json: Json) => unknown]

const isVerified = ({ verdict }: Vector): boolean => verdict.status === 'verified'
const first = ({ verdict }: Vector): string | undefined =>
  verdict.status === 'verified' ? undefined : verdict.failures[0]?.check
const isGood = (vector: Vector): boolean => first(vector) !== 'request'
const needsTls = ({ request, options }: Json): boolean => request.https && options.requireHttps !== false
const dayAfter = (now: string) => new Date(Date.parse(now) + 86_400_000).toISOString().replace('.000', '')

const CHANGES: readonly Change[] = [
  ['one bit of the signature of every verified vector', isVerified, changeSignature],
  ['the clock of every verified vector', isVerified, json => Object.assign(json, { now: dayAfter(json.now) })],
  ['DNS of every verified vector', isVerified, json => Object.assign(json, { dns: {} })],
  [
    'TLS of every vector that needs it',
    vector => needsTls(vector.json) && isGood(vector),
    ({ request }) => Object.assign(request, { https: false })
  ],
  [
    'the method of every vector that has a good request',
    isGood,
    ({ request }) => Object.assign(request, { method: '' })
  ]
]

/** Changes the first octet, and keeps base64 canonical: its highest bit is in the first character. */
function changeSignature({ request, parameters }: Json): void {
  const signature = parameters!.signature!
  const bytes = Buffer.from(signature, 'base64')
  bytes[0]! ^= 0x80
  request.headers = request.headers.map(([name, value]) => [
    name,
    name.toLowerCase() === 'signature' ? value.replace(signature, bytes.toString('base64')) : value
  ])
}

test.each(CHANGES)('%s: changed, each turns red', async (_, isOf, change) => {
  const vectors = draft.filter(isOf)
  const lines = vectors.map(({ json }) => {
    const changed = structuredClone(json)
    change(changed)
    expect(changed).not.toEqual(json)
    return JSON.stringify(changed)
  })
  expect(vectors.length).toBeGreaterThan(200)
  const right = compare(lines, verdictsOf(vectors))
  expect(vectors.filter((_, i) => right[i]).map(({ name }) => name)).toEqual([])
})

test('the verdict of every vector: changed, each turns red', async () => {
  const changed = verdictsOf(draft).map(
    (verdict): VectorVerdict =>
      verdict.status === 'verified'
        ? { status: 'rejected', failures: [{ check: 'replay', code: 'replayed' }] }
        : verdict.failures.length > 1
          ? { ...verdict, failures: verdict.failures.slice(1) }
          : { status: 'verified' }
  )
  const right = compare(
    draft.map(({ json }) => JSON.stringify(json)),
    changed
  )
  expect(draft.filter((_, i) => right[i]).map(({ name }) => name)).toEqual([])
})

/** Runs the verifier with the clock of one vector changed. */
const WITH_ONE_CHANGED = `
import json, sys
sys.path.insert(0, ${JSON.stringify(at('.'))})
sys.dont_write_bytecode = True
import verifier
for line in sys.stdin:
    vector = json.loads(line)
    if vector["name"] == "verified-get":
        vector["now"] = "2026-11-20T12:05:01Z"
    print(json.dumps(verifier.Receiver(vector).run()))
`

test('one vector changed: the command says which, counts it, and ends with 1', async () => {
  const { code, stdout } = await runVectors(['--only', 'draft-cavage', '--', PYTHON, '-c', WITH_ONE_CHANGED])
  expect(stdout.match(/^FAIL .*/gm)).toEqual([expect.stringMatching(/^FAIL verified-get \(/)])
  expect(stdout).toContain('expected: verified\n     answered: rejected: date date-too-old\n')
  expect(stdout).toMatch(new RegExp(`^all +${draft.length - 1} +1 +0$`, 'm'))
  expect(code).toBe(1)
})
