import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import * as runner from '../../fixtures/runner.js'
import { createVerifier } from '../../src/index.ts'
import { createRecorder } from '../../src/recorder/index.ts'
import { claiming, failing } from '../support/failing.ts'
import { isFixture, isVector } from '../support/fixture-schema.ts'
import { listen } from '../support/listen.ts'
import { type Finished, runVectors } from '../support/run-process.ts'
import { service } from '../support/service.ts'
import { loadVectors } from '../support/vectors.ts'

const folder = mkdtempSync(join(tmpdir(), 'vectors-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Answers each vector with the value of `answer`: an expression of `vector` and `at`. */
function program(name: string, answer: string, after = ''): string[] {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(
    file,
    `import fs from 'node:fs'
import { createInterface } from 'node:readline'
let at = 0
for await (const line of createInterface({ input: process.stdin })) {
  const vector = JSON.parse(line)
  console.log(${answer})
  at += 1
}
${after}`
  )
  return [process.execPath, file]
}
const script = (code: string): string[] => [process.execPath, '-e', code]
const run = (command: readonly string[], ...options: string[]) => runInside([...options, '--', ...command])

/** Runs the runner without a process of its own. */
async function runInside(args: readonly string[]): Promise<Finished> {
  const output = { stdout: '', stderr: '' }
  const code = await runner.run(
    args,
    text => {
      output.stdout += `${text}\n`
    },
    text => {
      output.stderr += `${text}\n`
    }
  )
  return { code, ...output }
}

// Covers everything that only a process shows; the other tests run the runner inside this one.
test.each<[args: string[], code: number, stdout: RegExp, stderr: RegExp]>([
  [['--list', '--only', 'https-missing'], 0, /^https-missing +https .*\n$/, /^$/],
  [['--only', 'https-missing', '--', ...script('console.log(1)')], 1, /^FAIL https-missing /, /^$/],
  [['--only', 'https-missing', '--', '/no/such/program'], 2, /^check /, /^signed-requests-vectors: .*ENOENT/],
  [['--only', 'https-missing'], 64, /^$/, /^signed-requests-vectors: a command is missing/]
])('the process of %j ends with %i, and writes to standard output and standard error', async (...row) => {
  const [args, code, stdout, stderr] = row
  const matching = { stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) }
  expect(await runVectors(args)).toEqual({ code, ...matching })
})

const FOREVER = 'setInterval(() => {}, 1000)'
const RIGHT = 'JSON.stringify(vector.verdict)'
const total = (stdout: string): string => /^all .*/m.exec(stdout)?.[0].replace(/ +/g, ' ') ?? ''

test('ends with 0 and counts by check when every answer is right', async () => {
  const { code, stdout, stderr } = await run(program('right', RIGHT))
  expect(stderr).toBe('')
  expect(total(stdout)).toBe(`all ${loadVectors().length} 0 0`)
  expect(stdout).toMatch(/^digest +\d+ +0 +0$/m)
  expect(code).toBe(0)
})

test('accepts a whole verdict of the library as an answer', async () => {
  const whole = '({ ...vector.verdict, failures: vector.verdict.failures ?? [], checks: {} })'
  const { code } = await run(program('whole', `JSON.stringify(${whole})`), '--only', 'https')
  expect(code).toBe(0)
})

test('accepts a last answer without a line break', async () => {
  const code = 'process.stdin.resume().on(\'end\', () => process.stdout.write(\'{"status":"verified"}\'))'
  const [vector] = loadVectors().filter(({ verdict }) => verdict.status === 'verified')
  expect(await run(script(code), '--only', vector!.name)).toMatchObject({ code: 0, stderr: '' })
})

test('ends with 1 and names the vector, its clause and both verdicts when one differs', async () => {
  const answer = `vector.name === 'date-too-old' ? '{"status":"verified"}' : ${RIGHT}`
  const { code, stdout } = await run(program('one', answer), '--only', 'date')
  expect(stdout).toContain('FAIL date-too-old (')
  expect(stdout).toContain('expected: rejected: date date-too-old\n     answered: verified\n')
  expect(total(stdout)).toMatch(/^all \d+ 1 0$/)
  expect(code).toBe(1)
})

test('counts every other answer as a difference', async () => {
  const failing = (failures: string) => `JSON.stringify({ status: 'rejected', failures: ${failures} })`
  const answers = Object.entries({
    'another status': `JSON.stringify({ ...vector.verdict, status: 'unavailable' })`,
    'status is missing': 'JSON.stringify({ failures: vector.verdict.failures })',
    'a code of another check': failing("[{ check: 'host', code: 'not-https' }]"),
    'a failure too many': failing("[...vector.verdict.failures, { check: 'a', code: 'b' }]"),
    'failures that are no list': failing("'none'"),
    ...{ null: "'null'", 'not JSON': "'hello'", 'an empty line': "''" }
  })
  const vectors = loadVectors().filter(({ file, verdict }) => file === 'date' && verdict.status === 'rejected')
  const wrong = answers.map(([answer, code], at) => `case '${vectors[at]!.name}': return ${code} // ${answer}`)
  const answer = `(() => { switch (vector.name) {\n${wrong.join('\n')}\ndefault: return ${RIGHT} } })()`
  const { code, stdout, stderr } = await run(program('others', answer), '--only', 'date')
  const counted = new Set(Array.from(stdout.matchAll(/^FAIL (\S+)/gm), ([, name]) => name))
  expect(answers.filter((_, at) => !counted.has(vectors[at]!.name))).toEqual([])
  expect({ code, stderr, count: counted.size }).toEqual({ code: 1, stderr: '', count: answers.length })
})

const NOTED = 'date-right-in-another-header'

test('shows the note of a vector that differs', async () => {
  const { note, verdict } = loadVectors().find(({ name }) => name === NOTED)!
  expect(verdict.status).toBe('rejected')
  const answer = program('noted', `'{"status":"verified"}'`)
  const { stdout } = await run(answer, '--only', NOTED)
  const differs = 'expected: rejected: date date-too-old\n     answered: verified\n'
  expect(stdout).toContain(`\n     note:     ${note}\n     ${differs}`)
})

test('names the vector that has no answer, and prints each line of the program as a line', async () => {
  const crash = "process.stderr.write('Traceback:\\n  line 2\\n\\nKeyError\\n'); process.exit(7)"
  const answer = `vector.name === 'date-too-old' ? (() => { ${crash} })() : ${RIGHT}`
  const { code, stderr } = await run(program('named', answer), '--only', 'date')
  const [problem, ...lines] = stderr.trimEnd().split('\n')
  expect(problem).toMatch(/ended with code 7 after \d+ of \d+ answers$/)
  expect(lines).toEqual([
    '  not answered: date-too-old (--show date-too-old prints it)',
    '  it says: Traceback:',
    '  it says:   line 2',
    '  it says: KeyError'
  ])
  expect(code).toBe(2)
})

test.each<[name: string, shows: string[]]>([
  [NOTED, ['  POST /hook?id=42', '  Some senders sign', 'now: 2026-11-20T12:00:00Z']],
  [NOTED, ['  X-Date: Fri, 20 Nov 2026 12:00:00 GMT', '  {"event":"published"}']],
  [NOTED, ['  (request-target): post /hook?id=42\n  host: hooks.example.com\n']],
  ['key-too-long-for-this-receiver', ['"maxRsaBits":2047', 'one._domainkey.service.example: [["v=DKIM1; k=rsa; p=']],
  ['body-unreadable', ['it breaks off with ECONNRESET']],
  ['digest-of-a-binary-body', ['  base64: ']],
  ['https-missing', ['request, over HTTP:']],
  ['request-value-line-feed', ['\\x0a']],
  ['account-check-failed', ['the function that decides on accounts fails']],
  ['replayed', ['replay store: claimed']],
  ['signature-missing', ['what is signed: it cannot be built']]
])('--show prints %s', async (name, shows) => {
  const { code, stdout } = await runInside(['--show', name])
  const { json, verdict } = loadVectors().find(vector => vector.name === name)!
  for (const line of [...shows, json.signing?.sha256 ?? '']) expect(stdout).toContain(line)
  const failures = verdict.status === 'verified' ? [] : verdict.failures.map(({ check, code }) => `${check} ${code}`)
  const expected = [verdict.status, failures.join(', ')].filter(Boolean).join(': ')
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`expected: ${expected}`)
  expect(stdout).not.toMatch(/[^\n -~]/)
  expect(code).toBe(0)
})

test('escapes terminal sequences in the output of the program', async () => {
  const answer = `JSON.stringify({ status: '\\u001b[2J\\u202e', failures: [] })`
  const { stdout } = await run(program('escape', answer), '--only', 'https')
  const after = "process.stderr.write('\\x1b[31mred\\x07\\n'); process.exit(3)"
  const { stderr, code } = await run(script(after), '--only', 'https')
  expect(stdout + stderr).not.toMatch(/[^\n -~]/)
  expect(stdout).toContain('\\x1b[2J\\u202e')
  expect(stderr).toContain('it says: \\x1b[31mred')
  expect(code).toBe(2)
})

test('does not mind how the program ends after its last answer', async () => {
  const failing = program('failing', RIGHT, 'process.exit(3)')
  expect(await run(failing, '--only', 'https')).toMatchObject({ code: 0, stderr: '' })
  const lingering = program('lingering', RIGHT, FOREVER)
  expect(await run(lingering, '--only', 'https')).toMatchObject({ code: 0, stderr: '' })
})

test('runs the vectors of a file of a recorder, and says what is wrong with another file', async () => {
  const recorder = createRecorder({ maxBodyBytes: 5 })
  const options = { ...service.options, accounts: () => true, recorder, ...claiming(failing('ECONNREFUSED')) }
  const signed = service.sign({ body: '{"id":1}' })
  for (const request of [signed, { ...signed, body: '{"id":2}' }]) await createVerifier(options)(request)
  const files = recorder.fixtures().map((document, at) => {
    const file = join(folder, `recorded-${at}.json`)
    writeFileSync(file, JSON.stringify(document))
    return file
  })
  const { code, stdout, stderr } = await run(program('recorded', RIGHT), ...files.flatMap(file => ['--file', file]))
  expect([code, total(stdout), stderr]).toEqual([0, 'all 2 0 0', ''])
  const shown = await runInside(['--file', files[0]!, '--show', 'digest-mismatch-2'])
  expect(shown.stdout).toContain('{"id" (the beginning of 8 bytes)')
  expect(shown.stdout).toContain('the function that decides on accounts answers true')
  for (const file of files)
    expect([isFixture(JSON.parse(readFileSync(file, 'utf8'))), isFixture.errors]).toEqual([true, null])
  expect(await run(script(''), '--file', join(folder, 'right.mjs'))).toMatchObject({ code: 64 })
  expect((await run(script(''), '--file', join(folder, 'none'))).stderr).toContain('ENOENT')
})

test('writes each vector with the version and the source that its file has, as the schema says', async () => {
  const written = join(folder, 'written.jsonl')
  const answer = `(fs.appendFileSync(${JSON.stringify(written)}, line + '\\n'), ${RIGHT})`
  expect((await run(program('written', answer))).code).toBe(0)
  const lines = readFileSync(written, 'utf8').trim().split('\n')
  const vectors = loadVectors()
  expect(lines).toHaveLength(vectors.length)
  for (const [at, line] of lines.entries()) {
    const { schema_version, source, ...rest } = JSON.parse(line)
    expect({ schema_version, source }).toEqual({ schema_version: 1, source: vectors[at]!.source })
    expect(rest).toMatchObject({ name: vectors[at]!.name })
    expect([isVector(JSON.parse(line)), isVector.errors]).toEqual([true, null])
  }
})

/** Writes one line without an end. */
const ENDLESS = "function write() { process.stdout.write('a'.repeat(65536), write) }"
/** Answers three vectors, and does this with the fourth. */
const stopsWith = (end: string, name: string) => program(name, `at === 3 ? ${end} : ${RIGHT}`)

test.each([
  ['says nothing and ends', script(''), 'ended with code 0 after 0 of'],
  ['crashes half way', stopsWith('process.exit(7)', 'crash'), 'ended with code 7 after 3 of'],
  ['is killed', script("process.kill(process.pid, 'SIGKILL')"), 'ended with SIGKILL after 0 of'],
  ['never answers', script(FOREVER), 'no answer within 0.5 s, after'],
  ['stops half way', stopsWith(`await new Promise(() => ${FOREVER})`, 'stop'), 'no answer within 0.5 s, after'],
  ['answers forever', script("for (;;) process.stdout.write('{}\\n')"), 'more answers than vectors'],
  ['answers once too often', program('often', RIGHT, "console.log('{}')"), 'more answers than vectors'],
  ['writes a line without an end', script(`(${ENDLESS})()`), 'answer 1 is longer than'],
  ['does not exist', ['/no/such/program'], 'could not be started (ENOENT)'],
  ['is a folder', [folder], 'could not be started (EACCES)']
])('ends with 2 when the program %s', async (_, command, problem) => {
  // The timeout is short only where it is under test: the machine may be busy.
  const timeout = problem.startsWith('no answer') ? '0.5' : '15'
  const { code, stderr } = await run(command, '--only', 'https', '--only', 'host', '--timeout', timeout)
  expect(stderr).toContain(problem)
  const named = problem.startsWith('more answers') ? [] : [expect.stringMatching(/^ {2}not answered: \S+ \(--show/)]
  expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(/^signed-requests-vectors: /), ...named])
  expect(code).toBe(2)
})

test('ends the processes that the program started', async () => {
  const server = createServer(socket => void socket.resume().on('error', () => {}))
  onTestFinished(() => void server.close())
  const ended = once(server, 'connection').then(([socket]) => once(socket, 'close'))
  // The program answers too often as soon as it is connected, and is ended then; its connection ends with it.
  const answers = "process.stdout.write('{}\\n'.repeat(2000))"
  const grandchild = JSON.stringify(`require('node:net').connect(${await listen(server)}, () => ${answers})`)
  const spawn = `require('node:child_process').spawn(process.execPath, ['-e', ${grandchild}], { stdio: 'inherit' })`
  expect((await run(script(spawn), '--only', 'https')).code).toBe(2)
  await ended
})

test('lists the vectors without a command', async () => {
  const { code, stdout } = await runInside(['--list', '--only', 'https'])
  expect(stdout).toEqual(expect.stringMatching(/^https-missing +https +rejected: https not-https$/m))
  expect(stdout.trim().split('\n')).toHaveLength(loadVectors().filter(({ file }) => file === 'https').length)
  expect(code).toBe(0)
})

test('selects vectors by name, file and standard', async () => {
  const count = async (...only: string[]) =>
    (await runInside(['--list', ...only.flatMap(name => ['--only', name])])).stdout.trim().split('\n').length
  const vectors = loadVectors()
  expect(await count('date-too-old')).toBe(1)
  expect(await count('date-too-old', 'date')).toBe(vectors.filter(({ file }) => file === 'date').length)
  expect((await count('draft-cavage')) + (await count('rfc9421'))).toBe(vectors.length)
})

test('selects for a standard what that standard judges', () => {
  for (const { name, file, json } of loadVectors()) {
    const { schemes = ['draft-cavage'] } = json.options
    const hasInput = json.request.headers.some(([header]) => header.toLowerCase() === 'signature-input')
    const isRfc9421 = schemes.includes('rfc9421') && (hasInput || schemes.length === 1)
    expect([name, file === 'rfc9421']).toEqual([name, isRfc9421])
  }
})

test.each([
  ['no command', [], 'a command is missing'],
  ['nothing after --', ['--'], 'a command is missing'],
  ['a file that is misspelled', ['--only', 'dtae', '--', 'true'], 'there is no vector dtae; did you mean date?'],
  [
    'a vector that is misspelled',
    ['--show', 'date-to-old'],
    'there is no vector date-to-old; did you mean date-too-old?'
  ],
  [
    'a command without --',
    ['python3', 'verifier.py'],
    'write -- in front of the command: signed-requests-vectors -- python3'
  ],
  ['a command with an option, without --', ['--only', 'date', 'python3', '-u', 'verifier.py'], 'write -- in front of'],
  ['a file without --only', ['date'], 'a name of vectors follows --only'],
  ['an unknown vector', ['--only', 'nothing', '--', 'true'], 'there is no vector nothing'],
  ['an unknown vector to show', ['--show', 'date'], 'there is no vector date'],
  ['a timeout of none', ['--timeout', '0', '--', 'true'], '--timeout takes seconds'],
  ['a timeout that is no number', ['--timeout', '1e3', '--', 'true'], '--timeout takes seconds']
])('ends with 64 for %s', async (_, args, message) => {
  const { code, stderr } = await runInside([...args])
  expect(stderr).toContain(message)
  expect(code).toBe(64)
})

test('the help fits into 80 columns of printable ASCII', async () => {
  const { code, stdout } = await runInside(['--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: signed-requests-vectors [\n -~]*$/)
  expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
})
