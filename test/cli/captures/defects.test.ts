import { describe, expect, test } from 'vitest'
import { LABELS } from '../../../src/explain/explain.ts'
import type { SignedTestRequest, SignRequest } from '../../../src/testing/index.ts'
import { explain } from '../../support/explain.ts'
import { service } from '../../support/service.ts'
import { FORMATS } from './build.ts'

const sign = (request: SignRequest = {}): SignedTestRequest =>
  service.sign({ target: '/hook?id=42', body: '{"event":"published"}', ...request })

const OLD = new Date('2020-01-02T03:04:05Z')

/** Each request has one defect; the row names the check that finds it, and the words of `explain` about it. */
const DEFECTS: readonly [name: string, build: () => SignedTestRequest, check: string, says: RegExp][] = [
  ['another target', () => ({ ...sign(), target: '/hook?id=43' }), 'signature', new RegExp(`\n${LABELS.changed} 1\n`)],
  ['another body', () => ({ ...sign(), body: Buffer.from('{"event":"publishee"}') }), 'digest', /digest-mismatch/],
  ['another Host', () => sign({ host: 'other.example' }), 'host', /host-mismatch: .*received other\.example/],
  ['another account', () => sign({ headers: { 'X-Service-ID': 'account-99' } }), 'account', /account-mismatch/],
  ['a long past Date', () => sign({ date: OLD }), 'date', /: the capture is \d+ days old, .*--now date/s]
]

describe.each(FORMATS)('$name', ({ write, isBodyless }) => {
  test('a capture without a defect is verified, or lacks only its body', async () => {
    const { code, text } = await explain(write(sign()))
    if (!isBodyless) return expect([text, code]).toEqual([expect.stringMatching(/^verified: account 1234/), 0])
    expect(text).toMatch(/^unavailable: the body is not in the capture; everything else passed\n/)
    expect(text).toMatch(/^-- {4}digest {12}not run: the capture does not have the body; pass it with --body FILE$/m)
    expect(text).not.toContain('mismatch')
    expect(code).toBe(2)
  })

  test.each(DEFECTS)('a capture with %s is explained', async (_, build, check, says) => {
    const { code, text } = await explain(write(build()))
    if (isBodyless && check === 'digest')
      return expect([text, code]).toEqual([expect.stringMatching(/^unavailable: the body is not in the capture/), 2])
    expect(text).toMatch(new RegExp(`^rejected: ${check}\n`))
    expect(text).toMatch(says)
    expect(text.match(/^FAIL/gm)).toHaveLength(1)
    expect(code).toBe(1)
  })

  test('a capture with an old Date is judged as of its own time when that is asked for', async () => {
    expect((await explain(write(sign({ date: OLD })), '--now', 'date')).code).toBe(isBodyless ? 2 : 0)
  })
})

const BODYLESS = FORMATS.filter(({ isBodyless }) => isBodyless)

test.each(BODYLESS)('$name: a body that the capture does not have is given', async ({ write }) => {
  const { text, stderr } = await explain(write(sign()), '--body', 'package.json')
  expect(text).toMatch(/^rejected: digest\n/)
  expect(stderr.replace(UTF16, '')).toBe('')
})

test.each(BODYLESS)('$name: the body of a request without one is not missed', async ({ write }) => {
  const { code, stderr } = await explain(write(service.sign({ target: '/hook' })))
  expect([code, stderr.replace(UTF16, '')]).toEqual([0, ''])
})

const UTF16 = /^note: the file is UTF-16.*\n/
