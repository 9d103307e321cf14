import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CODES, isUnavailable } from '../../../src/core/result/codes.ts'
import { listCauses } from '../../../src/explain/advice.ts'
import { entryOf } from '../../../src/explain/causes/causes.ts'
import { GATEWAY_CODES } from '../../../src/explain/gateway-codes.ts'
import type { Code } from '../../../src/index.ts'
import { exists } from '../../meta/docs/pages.ts'
import { runInside } from '../../support/run-cli.ts'

const codes = Object.keys(CODES) as Code[]
const withoutMarks = (text: string) => text.replaceAll('`', '')

describe.each(codes)('explain %s', code => {
  test('says in printable ASCII what it means, each cause with its fix, and the page', async () => {
    const { code: exit, stdout, stderr } = await runInside(['explain', code])
    expect([exit, stderr]).toEqual([0, ''])
    const { check, message } = CODES[code]
    const text = stdout.replace(/\n {0,7}(?=\S)/g, ' ')
    expect(text.startsWith(`${code}: ${message}`)).toBe(true)
    expect(text).toContain(withoutMarks(entryOf(code).about))
    expect(text).toContain(`Check: ${check}. Result: ${isUnavailable(code) ? 'unavailable, HTTP 503' : 'rejected'}`)
    for (const { cause, fix } of listCauses(code)) expect(text).toContain(`- ${cause} fix: ${fix}`)
    expect(stdout).toMatch(/^[\n -~]*$/)
    expect(stdout).not.toMatch(/`|\*\*|\]\(/)
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
    expect(stdout).toContain(`\npage: docs/codes/${code}.md\n`)
    expect(exists(`docs/codes/${code}.md`)).toBe(true)
  })

  test('explain CODE --json has all causes as data', async () => {
    const { stdout } = await runInside(['explain', code, '--json'])
    const { about, also } = entryOf(code)
    const { check, message } = CODES[code]
    expect(JSON.parse(stdout)).toEqual({
      code,
      check,
      message,
      status: isUnavailable(code) ? 'unavailable' : 'rejected',
      meaning: withoutMarks(about),
      causes: listCauses(code).map(({ cause, fix }) => ({ cause, fix })),
      ...(also !== undefined && { also: withoutMarks(also) }),
      page: `docs/codes/${code}.md`
    })
  })
})

test('explain body-too-large says that it is answered with 413', async () => {
  expect((await runInside(['explain', 'body-too-large'])).stdout).toContain('HTTP 413')
})

describe.each(Object.entries(GATEWAY_CODES))(
  'explain %s, a code of the gateway',
  (code, { httpStatus, about, fix }) => {
    // The entry of HPE_* is for each code of the parser that has no entry of its own.
    const words = code === 'HPE_*' ? ['HPE_INVALID_METHOD', 'HPE_USER'] : [code]

    test.each(words)('explain CODE says what it means and its fix: %s', async word => {
      const { stdout, ...others } = await runInside(['explain', word, '--json'])
      expect(others).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toEqual({
        code: word,
        httpStatus,
        meaning: withoutMarks(about),
        fix: withoutMarks(fix),
        page: 'docs/checks-and-codes.md#codes-of-the-gateway'
      })
      const text = (await runInside(['explain', word])).stdout.replace(/\n {0,5}(?=[^\n])/g, ' ')
      expect(text).toContain(`${word}: a code of the gateway, HTTP ${httpStatus}`)
      expect(text).toContain(`${withoutMarks(about)} fix: ${withoutMarks(fix)}`)
    })
  }
)

test.each(['HPE_', 'HPE_INVALID_METHOD.txt', 'xHPE_USER', 'HPE_*', 'partial-bod'])(
  'explain %s, which is not a code of the gateway, looks for a file',
  async word => {
    expect(await runInside(['explain', word])).toMatchObject({ code: 64, stdout: '' })
  }
)

test.each([
  ['key-not-fuond', 'key-not-found'],
  ['Digest-Mismatch', 'digest-mismatch'],
  ['signature_mismatch', 'signature-mismatch'],
  ['date-to-old', 'date-too-old'],
  ['header-repeted', 'header-repeated']
])('explain %s names the nearest code', async (word, meant) => {
  expect(await runInside(['explain', word])).toEqual({
    code: 64,
    stdout: '',
    stderr: `signed-requests: there is no file ${word}, and no such code: did you mean explain ${meant}?\n`
  })
})

test('a file is read, whatever code its name is near, and so is one whose path has the name of a code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'codes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of ['date-to-old', 'date-too-old']) {
    await writeFile(join(folder, name), 'nothing that is read')
    const { code, stderr } = await runInside(['explain', join(folder, name)])
    expect([code, stderr]).toEqual([64, expect.stringContaining('not a request in a supported format')])
  }
  const absent = await runInside(['explain', 'a/date-to-old'])
  expect(absent.stderr).toContain('cannot read a/date-to-old (FILE): ENOENT')
})
