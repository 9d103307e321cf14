// Asks the installed package for what it refuses and what it keeps. Run with a folder; prints JSON.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVerifier, fetchHandler } from 'signed-requests'
import { createRecorder } from 'signed-requests/recorder'
import { memoryReplayStore, sqliteReplayStore } from 'signed-requests/replay'
import { createTestService, fromFixture } from 'signed-requests/testing'

const makeFolder = () => mkdtempSync(join(process.argv[2], 'limits-'))
const service = createTestService({ rsaBits: 1024 })
const verifierOf = more => createVerifier({ ...service.options, ...more })
const codesOf = ({ failures }) => failures.map(({ code }) => code)

/** Sends the same bytes three times to a handler that fails the first time; returns the statuses. */
async function retry(replayStore) {
  let calls = 0
  const handle = () => new Response(null, { status: calls++ === 0 ? 500 : 204 })
  const handler = fetchHandler(verifierOf({ replayStore }), handle, { https: true })
  const { method, headers, body } = service.sign({ method: 'POST', target: '/hook', body: '{}' })
  const send = () => handler(new Request('https://receiver.example/hook', { method, headers, body }))
  return [(await send()).status, (await send()).status, (await send()).status]
}

/** Takes the write-ahead log away; returns the code with which the store refuses the next claim. */
async function claimWithoutLog(sqlite, breakIt) {
  const file = join(makeFolder(), 'replay.db')
  const store = sqliteReplayStore(new sqlite.DatabaseSync(file))
  const claim = id => store.claim(id, 'token', 60)
  await claim('one')
  breakIt(`${file}-wal`)
  return claim('two').catch(({ code }) => code)
}

function replace(file) {
  rmSync(file)
  writeFileSync(file, '')
}

/** Reads a document that says its body has this length; returns the codes, and the megabytes that this takes. */
async function readLongBody(length) {
  const recorder = createRecorder()
  await verifierOf({ recorder })({ ...service.sign({ method: 'POST', body: 'a' }), body: 'b' })
  const [document] = JSON.parse(JSON.stringify(recorder.fixtures()))
  document.vectors[0].request.body = { utf8: 'b', length }
  document.vectors[0].options.maxBodyBytes = length - 1
  const before = process.memoryUsage().rss
  const { request, options } = fromFixture(document)
  const codes = codesOf(await createVerifier(options)(request))
  return { codes, isSmall: process.memoryUsage().rss - before < 50e6 }
}

/** Keeps four files beside some whose numbers nobody has written; returns whether it keeps so few, and the newest. */
async function keepBesidePlanted() {
  const directory = makeFolder()
  for (const number of ['999999999', '9007199254740991', '9'.repeat(30)])
    writeFileSync(join(directory, `2026-01-01T00-00-00.000Z-signature-mismatch-key-${number}.json`), '{}')
  for (let run = 0; run < 2; run++) {
    const recorder = createRecorder({ directory, keep: 4 })
    const verify = verifierOf({ recorder })
    for (let i = 0; i < 10; i++) await verify({ ...service.sign(), target: `/${run}-${i}` })
    await recorder.written()
  }
  const own = readdirSync(directory).filter(name => !name.startsWith('2026-01-01'))
  const isNewest = name => readFileSync(join(directory, name), 'utf8').includes('"/1-9"')
  return { isBounded: own.length <= 4, hasNewest: own.some(isNewest) }
}

const sqlite = await import('node:sqlite').catch(() => undefined)
const result = {
  method: codesOf(await verifierOf({})({ ...service.sign({ method: 'POST' }), method: 'post' })),
  memory: await retry(memoryReplayStore()),
  document: await readLongBody(9e15),
  recorded: await keepBesidePlanted(),
  ...(sqlite && {
    sqlite: await retry(sqliteReplayStore(new sqlite.DatabaseSync(join(makeFolder(), 'replay.db')))),
    deletedLog: await claimWithoutLog(sqlite, rmSync),
    replacedLog: await claimWithoutLog(sqlite, replace)
  })
}
console.log(JSON.stringify(result))
