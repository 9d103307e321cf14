import { expect, test } from 'vitest'
import type { SignedTestRequest, SignRequest } from '../../../../src/testing/index.ts'
import { runInside } from '../../../support/run-cli.ts'
import { service } from '../../../support/service.ts'
import { FORMATS } from './build.ts'

const [RECORD] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const ARGS = ['explain', ...FLAGS, '--key-record', RECORD!]

const sign = (request: SignRequest = {}): SignedTestRequest =>
  service.sign({ target: '/hook?id=42', body: '{"event":"published"}', ...request })

function withHeader(request: SignedTestRequest, name: string, change: (value: string) => string): SignedTestRequest {
  const headers = request.headers.map(([header, value]): [string, string] =>
    header.toLowerCase() === name ? [header, change(value)] : [header, value]
  )
  return { ...request, headers }
}

/** Each with one defect, and what `explain` must say of it. */
const DEFECTS: readonly (readonly [
  name: string,
  build: () => SignedTestRequest,
  says: readonly RegExp[],
  readsBody?: boolean
])[] = [
  ['another target', () => ({ ...sign(), target: '/hook?id=43' }), [/^rejected: signature\n/, /\nchanged: line 1\n/]],
  [
    'another body',
    () => ({ ...sign(), body: new Uint8Array(Buffer.from('{"event":"publishee"}')) }),
    [/^rejected: digest\n/, /digest-mismatch/],
    true
  ],
  [
    'another Host',
    () => withHeader(sign(), 'host', () => 'other.example'),
    [/^rejected: host\n/, /host-mismatch: .*received other\.example/]
  ],
  [
    'another account',
    () => sign({ headers: { 'X-Service-ID': 'account-99' } }),
    [/^rejected: account\n/, /account-mismatch/]
  ],
  [
    'a long past Date',
    () => sign({ date: new Date('2020-01-02T03:04:05Z') }),
    [/^rejected: date\n/, /likely cause: the capture is \d+ days old, or this machine's clock/, /--now date/]
  ]
]

const CAPTURES = FORMATS.flatMap(format =>
  DEFECTS.map(defect => ({ format, defect, name: `${format.name}: ${defect[0]}` }))
)

test('there are at least 60 captures in 12 formats', () => {
  expect(FORMATS.length).toBeGreaterThanOrEqual(12)
  expect(CAPTURES.length).toBeGreaterThanOrEqual(60)
})

test.each(FORMATS)('$name without a defect is verified, or lacks only its body', async ({ write, isBodyless }) => {
  const { code, stdout } = await runInside(ARGS, write(sign()))
  if (!isBodyless) {
    expect([stdout, code]).toEqual([expect.stringMatching(/^verified: account 1234/), 0])
    return
  }
  expect(stdout).toMatch(/^unavailable: the body is not in the capture; all else passed\n/)
  expect(stdout).toMatch(/^-- {4}digest {12}not run: the capture does not have the body; --body FILE\n {24}gives it$/m)
  expect(stdout).not.toContain('mismatch')
  expect(code).toBe(2)
})

test.each(CAPTURES)('$name', async ({ format: { write, isBodyless }, defect: [, build, says, readsBody] }) => {
  const { code, stdout } = await runInside(ARGS, write(build()))
  if (isBodyless && readsBody) {
    expect(stdout).toMatch(/^unavailable: the body is not in the capture/)
    expect(code).toBe(2)
    return
  }
  for (const pattern of says) expect(stdout.replace(/\n {24}/g, ' ')).toMatch(pattern)
  expect(stdout.match(/^FAIL/gm)).toHaveLength(1)
  expect(code).toBe(1)
})

test('accepts a body that the capture does not have', async () => {
  const { write } = FORMATS.find(({ name }) => name === 'curl -v')!
  const args = [...ARGS, '--body', 'package.json']
  const { stdout, stderr } = await runInside(args, write(sign()))
  expect(stdout).toMatch(/^rejected: digest\n/)
  expect(stderr).toBe('')
})

test('does not miss the body of a request without one', async () => {
  for (const { write } of FORMATS.filter(({ isBodyless }) => isBodyless)) {
    const { code, stderr } = await runInside(ARGS, write(service.sign({ target: '/hook' })))
    expect([code, stderr.replace(/^note: the file is UTF-16.*\n/, '')]).toEqual([0, ''])
  }
})

test('judges an old Date as of its own time when that is asked for', async () => {
  const old = sign({ date: new Date('2020-01-02T03:04:05Z') })
  for (const { write, isBodyless } of FORMATS) {
    expect((await runInside([...ARGS, '--now', 'date'], write(old))).code).toBe(isBodyless ? 2 : 0)
  }
})
