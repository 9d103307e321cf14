// flood.costs.ts runs this with a small heap: signed requests of many kinds among 10,000 scanners, kept as files.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVerifier, diagnose, type ReceivedRequest, type Verdict } from '../../../src/index.ts'
import { createRecorder, type VectorFile } from '../../../src/recorder/index.ts'
import { createTestService, fromFixture } from '../../../src/testing/index.ts'
import { loadVectors } from '../../support/vectors.ts'

const directory = mkdtempSync(join(tmpdir(), 'flood-'))
process.on('exit', () => rmSync(directory, { recursive: true }))
const service = createTestService()
const recorder = createRecorder({ keep: 200, directory })
const verify = createVerifier({ ...service.options, recorder })

const scanner = (): ReceivedRequest => ({
  method: 'POST',
  target: `/${'x'.repeat(2000)}`,
  headers: [
    ['Host', 'x'],
    ['Cookie', `secret=${'y'.repeat(12_000)}`]
  ],
  body: null,
  https: false
})

/** Makes requests that are refused before and after the signature, with bodies above the kept size. */
const signed = (target: string, at: number): ReceivedRequest => {
  const request = service.sign({ target, body: '{}', headers: { Authorization: 'secret' } })
  const kinds = [{ https: false }, { target: `${target}?` }, { body: Buffer.alloc(100_000, 'x') }, { method: 'PUT' }]
  return { ...request, ...kinds[at % kinds.length] }
}

/** Maps each code to a refused vector. */
const byCode = new Map(
  loadVectors().flatMap(vector =>
    vector.verdict.status === 'verified' ? [] : vector.verdict.failures.map(({ code }) => [code, vector] as const)
  )
)

/** Maps each refused vector that is signed under the domain to the cause that its fixture shows. */
const causes = new Map<string, string>()
const keyOf = ({ vectors: [vector] }: VectorFile) => JSON.stringify({ ...vector!, name: '' })
const causeOf = (verdict: Verdict) => JSON.stringify([verdict.status, diagnose(verdict).failures[0]?.cause])

const left = [...byCode.values()]
const sent: string[] = []
for (let i = 0; i < 10_000; i++) {
  await verify(scanner())
  if (i % 50 === 0) await new Promise(setImmediate)
  const vector = i % 100 === 50 ? left.pop() : undefined
  if (vector !== undefined) {
    const verdict = await createVerifier({ ...vector.options, recorder })(vector.request)
    const isSigned = verdict.checks['key-name'].outcome === 'pass'
    if (isSigned) causes.set(keyOf(recorder.fixtures()[0]!), causeOf(verdict))
  }
  if (i % 200 !== 0) continue
  const target = `/signed-${i}`
  sent.push(target)
  await verify(signed(target, sent.length))
}
await recorder.written()

const texts = readdirSync(directory).map(name => readFileSync(join(directory, name), 'utf8'))
const targets = new Set(texts.map(text => JSON.parse(text).vectors[0].request.target.replace('?', '')))
let differing = 0
for (const text of texts) {
  const { request, options, expected } = fromFixture(JSON.parse(text))
  const { status, failures } = await createVerifier(options)(request)
  const again = { status, failures: failures.map(({ check, code }) => ({ check, code })) }
  if (JSON.stringify(again) !== JSON.stringify(expected)) differing += 1
}
const kept = new Map(texts.map(text => [keyOf(JSON.parse(text)), text]))
let changed = 0
for (const [key, cause] of causes) {
  const { request, options } = fromFixture(JSON.parse(kept.get(key) ?? '{"vectors":[]}'))
  if (causeOf(await createVerifier(options)(request)) !== cause) changed += 1
}
const lost = sent.filter(target => !targets.has(target)).length
const secrets = texts.filter(text => text.includes('=yyy') || text.includes('"secret')).length
const counts = { codes: byCode.size, unsent: left.length, signed: causes.size, sent: sent.length, files: texts.length }
console.log(JSON.stringify({ ...counts, lost, differing, changed, secrets }))
