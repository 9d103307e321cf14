import { expect, test } from 'vitest'
import { createVerifier, diagnose, type ReceivedRequest, type VerifierOptions } from '../../../src/index.ts'
import { createRecorder } from '../../../src/recorder/index.ts'
import { claiming, failing } from '../../support/failing.ts'
import { runInside } from '../../support/run-cli.ts'
import { service, withHeaders } from '../../support/service.ts'
import { loadVectors } from '../../support/vectors.ts'

/** Returns the explanation of the file that a recorder writes for a request. */
async function explained(request: ReceivedRequest, options: Partial<VerifierOptions>, maxBodyBytes = 65_536) {
  const recorder = createRecorder({ redact: false, maxBodyBytes })
  const verdict = await createVerifier({ ...service.options, ...options, recorder })(request)
  const { code, stdout } = await runInside(['explain', '--json'], JSON.stringify(recorder.fixtures()[0]))
  return { verdict, code, answer: JSON.parse(stdout) }
}

test('explain gives every kept request its verdict and its first cause, in the words of the command line', async () => {
  const kept = new Set<string>()
  for (const { name, options, request, verdict: wanted } of loadVectors()) {
    if (wanted.status === 'verified' || kept.has(String(wanted.failures.map(({ code }) => code)))) continue
    kept.add(String(wanted.failures.map(({ code }) => code)))
    const { verdict, code, answer } = await explained(request, options)
    expect([name, code]).toEqual([name, { verified: 0, rejected: 1, unavailable: 2 }[verdict.status]])
    const { cause } = diagnose(verdict, { settings: 'flags' }).failures[0]!
    const first = answer.diagnosis.failures[0]
    expect([name, first.code]).toEqual([name, diagnose(verdict).failures[0]!.code])
    // The command line has its own causes for a capture's missing parts, and for its clock.
    if (!/^(?:date|request)-|^signature-(?:created|expired)|digest-mismatch/.test(first.code))
      expect([name, first.cause]).toEqual([name, cause])
  }
  expect(kept.size).toBeGreaterThan(50)
})

test('explain says when it came, and which key and account it claims, and the note of the fixture, escaped', async () => {
  const recorder = createRecorder()
  const now = () => Date.parse('2026-11-24T03:12:40.400Z')
  const signed = service.sign({ body: '{}', date: new Date(now()) })
  const request = withHeaders({ ...signed, target: '/other' }, { 'X-Service-ID': 'account-5678' })
  await createVerifier({ ...service.options, now, accounts: '5678', recorder })(request)
  const [document] = JSON.parse(JSON.stringify(recorder.fixtures()))
  const said = 'note: received at 2026-11-24T03:12:40.000Z; says that it is signed with key1._domainkey.service.example'
  expect((await runInside(['explain'], JSON.stringify(document))).stderr).toBe(
    `note: in the fixture: the body was not read\n${said}, for account 5678\n`
  )
  const { note, request: head, ...vector } = document.vectors[0]
  const without = (name: string) => {
    const headers = head.headers.filter(([each]: [string, string]) => each !== name)
    return JSON.stringify({ ...vector, request: { ...head, headers } })
  }
  expect((await runInside(['explain'], without('X-Service-ID'))).stderr).toBe(`${said}\n`)
  expect((await runInside(['explain'], without('Signature'))).stderr).toBe('')
  document.vectors[0].note = 'a\u001b[31m\nb'
  expect((await runInside(['explain'], JSON.stringify(document))).stderr).toMatch(/^note: in the fixture: a\\[^\n]*b\n/)
  expect((await runInside(['explain', '--now', 'date'], JSON.stringify(document))).stderr).not.toContain('received at')
})

test('explain finds the line that a proxy changed from a redacted file, too', async () => {
  const recorder = createRecorder()
  const secret = { Authorization: 'Bearer secret' }
  const request = withHeaders(service.sign({ target: '/hooks/in', body: '{}' }), secret)
  await createVerifier({ ...service.options, recorder })({ ...request, target: '/in' })
  const text = JSON.stringify(recorder.fixtures()[0])
  expect(text).not.toContain('secret')
  expect((await runInside(['explain'], text)).stdout).toContain('\n  signed:   (request-target): post /hooks/in\n')
})

test('explain says of a body that was cut that its digest was not compared, and not that it differs', async () => {
  const request = { ...service.sign({ body: '{"id":1}' }), body: '{"id":2}' }
  const { code, answer } = await explained(request, {}, 5)
  expect(code).toBe(2)
  expect(answer.diagnosis.headline).toContain('digest-mismatch')
  expect(answer.diagnosis.checks.find(({ check }: { check: string }) => check === 'digest')).toMatchObject({
    outcome: 'not-run',
    reason: 'the fixture has only the beginning of the body, which had 8 bytes; pass it with --body FILE'
  })
})

test('explain knows that a body that was cut is above the limit', async () => {
  const request = { ...service.sign({ body: '{}' }), body: 'x'.repeat(200) }
  const { code, answer } = await explained(request, { maxBodyBytes: 100 }, 50)
  expect([code, answer.failures]).toMatchObject([1, [{ code: 'body-too-large', evidence: { limit: 100 } }]])
})

test('explain says how the store and DNS failed, as the verdict did', async () => {
  const store = claiming(failing('ECONNREFUSED'))
  for (const options of [store, { lookupTxt: () => new Promise<never>(() => {}), lookupTimeout: 3 }]) {
    const { verdict, answer } = await explained(service.sign(), options)
    expect(answer.failures).toEqual(verdict.failures)
  }
})
