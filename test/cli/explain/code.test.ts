import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Code } from '../../../src/index.ts'
import { CODES, isUnavailable } from '../../../src/result/codes.ts'
import { read } from '../../meta/docs/pages.ts'
import { runInside } from '../../support/run-cli.ts'

const codes = Object.keys(CODES) as Code[]
const page = read('docs/checks-and-codes.md')

describe.each(codes)('explain %s', code => {
  test('says in printable ASCII what it means, each cause with its fix, and the page', async () => {
    const { code: exit, stdout, stderr } = await runInside(['explain', code])
    expect([exit, stderr]).toEqual([0, ''])
    const [check, message] = CODES[code]
    expect(stdout.replaceAll('\n', ' ').startsWith(`${code}: ${message} `)).toBe(true)
    expect(stdout).toMatch(/^[\n -~]*$/)
    expect(stdout).not.toMatch(/`|\*\*/)
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
    expect(stdout.replaceAll('\n', ' ')).toContain(
      `of the check ${check}, and ${isUnavailable(code) ? 'unavailable' : 'rejected'}`
    )
    expect(stdout).toContain(`\npage: docs/checks-and-codes.md#${code}\n`)
  })

  test('explain CODE has all causes of its section of the page as data', async () => {
    const { stdout } = await runInside(['explain', code, '--json'])
    const explained = JSON.parse(stdout)
    const section = page.split(`\n### ${code}\n`)[1]!.split('\n##')[0]!
    expect(explained.causes).toHaveLength(section.match(/ \*\*Fix:\*\* /g)!.length)
    for (const { cause, fix } of explained.causes) {
      expect([cause, fix]).toEqual([expect.stringMatching(/./), expect.stringMatching(/\.$/)])
      expect(section.replaceAll('`', '')).toContain(`- ${cause} **Fix:** ${fix}`)
    }
    expect(explained.meaning).toMatch(/[.)]$/)
    expect('also' in explained).toBe(section.includes('- **Also:**'))
  })
})

test.each([
  ['key-not-fuond', 'key-not-found'],
  ['Digest-Mismatch', 'digest-mismatch'],
  ['signature_mismatch', 'signature-mismatch'],
  ['date-to-old', 'date-too-old']
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
    expect([code, stderr]).toEqual([64, expect.stringContaining('not a request in a format that is read')])
  }
  const absent = await runInside(['explain', 'a/date-to-old'])
  expect(absent.stderr).toContain('cannot read a/date-to-old (FILE): ENOENT')
})
