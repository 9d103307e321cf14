// What flood.test.ts runs with a small heap: signed requests of many kinds among 10,000 scanners, kept as files.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVerifier, type ReceivedRequest } from '../../../src/index.ts'
import { createRecorder } from '../../../src/recorder/index.ts'
import { createTestService, fromFixture } from '../../../src/testing/index.ts'

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

/** Refused before and after the signature, with bodies that are larger than what is kept. */
const signed = (target: string, at: number): ReceivedRequest => {
  const request = service.sign({ target, body: '{}', headers: { Authorization: 'secret' } })
  const kinds = [{ https: false }, { target: `${target}?` }, { body: Buffer.alloc(100_000, 'x') }, { method: 'PUT' }]
  return { ...request, ...kinds[at % kinds.length] }
}

const sent: string[] = []
for (let i = 0; i < 10_000; i++) {
  await verify(scanner())
  if (i % 50 === 0) await new Promise(setImmediate)
  if (i % 100 !== 0) continue
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
const lost = sent.filter(target => !targets.has(target)).length
const secrets = texts.filter(text => text.includes('=yyy') || text.includes('"secret')).length
console.log(JSON.stringify({ sent: sent.length, files: texts.length, lost, differing, secrets }))
