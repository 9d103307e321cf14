import fs from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { codeLines, gatewayCodeLines } from '../../../cli/explain/code.ts'
import { CODES, isUnavailable } from '../../../src/core/result/codes.ts'
import type { Code } from '../../../src/index.ts'
import { read } from '../../meta/docs/pages.ts'
import { runInside } from '../../support/run-cli.ts'

const codes = Object.keys(CODES) as Code[]
const page = read('docs/checks-and-codes.md')

const sectionOf = (code: Code) => page.split(`\n### ${code}\n`)[1]!.split('\n##')[0]!

describe.each(codes)('explain %s', code => {
  test('says in printable ASCII what it means, each cause with its fix, and the page', async () => {
    const { code: exit, stdout, stderr } = await runInside(['explain', code])
    expect([exit, stderr]).toEqual([0, ''])
    const { check, message } = CODES[code]
    expect(stdout.replaceAll('\n', ' ').startsWith(`${code}: ${message} `)).toBe(true)
    expect(stdout).toMatch(/^[\n -~]*$/)
    expect(stdout).not.toMatch(/`|\*\*/)
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
    expect(stdout.replaceAll('\n', ' ')).toContain(
      `of the check ${check}, and ${isUnavailable(code) ? 'unavailable' : 'rejected'}`
    )
    expect(stdout).toContain(`\n\npage: docs/checks-and-codes.md#${code}\n`)
    expect(stdout.match(/\n- .+(\n {2}.+)*\n {2}fix: ./g)).toHaveLength(sectionOf(code).split(' **Fix:** ').length - 1)
  })

  test('explain CODE has all causes of its section of the page as data', async () => {
    const { stdout } = await runInside(['explain', code, '--json'])
    const explained = JSON.parse(stdout)
    const section = sectionOf(code)
    expect(explained.causes).toHaveLength(section.match(/ \*\*Fix:\*\* /g)!.length)
    for (const { cause, fix } of explained.causes) {
      expect([cause, fix]).toEqual([expect.stringMatching(/./), expect.stringMatching(/\.$/)])
      expect(section.replaceAll('`', '')).toContain(`- ${cause} **Fix:** ${fix}`)
    }
    expect(explained.meaning).toMatch(/[.)]$/)
    expect('also' in explained).toBe(section.includes('- **Also:**'))
    expect(String(explained.also)).not.toMatch(/\]\(|`/)
  })
})

const ofGateway = page
  .split('\n## Codes of the gateway\n')[1]!
  .split('\n')
  .filter(line => line.startsWith('| `'))
  .map(line => line.slice(2, -2).replaceAll('`', '').split(' | '))

describe.each(ofGateway)('explain %s, a code of the gateway', (code, httpStatus, meaning, fix) => {
  const explained = {
    httpStatus: Number(httpStatus),
    meaning,
    fix,
    page: 'docs/checks-and-codes.md#codes-of-the-gateway'
  }
  // The row of HPE_* covers each code of the parser that has no row of its own.
  const words = code === 'HPE_*' ? ['HPE_INVALID_METHOD', 'HPE_USER'] : [code!]

  test.each(words)('explain CODE has its row of the page: %s', async word => {
    const { stdout, ...others } = await runInside(['explain', word, '--json'])
    expect([JSON.parse(stdout), others]).toEqual([
      { code: word, ...explained },
      { code: 0, stderr: '' }
    ])
    const text = (await runInside(['explain', word])).stdout
    expect(text.replace(/(?<!\n)\n {0,5}(?=[^\n])/g, ' ')).toBe(
      `${word}: of the gateway, answered with ${httpStatus}\n\n${meaning} fix: ${fix}\n\npage: ${explained.page}\n`
    )
  })
})

test.each(['HPE_', 'HPE_INVALID_METHOD.txt', 'xHPE_USER', 'HPE_*', 'partial-bod'])(
  'explain %s, which is not a code of the gateway, looks for a file',
  async word => {
    expect(await runInside(['explain', word])).toMatchObject({ code: 64, stdout: '' })
  }
)

test('the explanation of a code has its lines in one order, with empty ones in between', () => {
  const explained = { code: 'date-too-old', check: 'date', message: 'm', meaning: 'M.', page: 'p#c' } as const
  const causes = [{ cause: 'c', fix: 'f' }]
  const lines = (more: Partial<Parameters<typeof codeLines>[0]>) =>
    codeLines({ ...explained, status: 'rejected', causes, ...more })
  const LIKELY = 'Likely causes, filled in with an example; of a request, the first that fits\ncounts:'
  const END = 'For a request that was captured, npx signed-requests explain FILE says which of\nthem it is.'
  const START = [{ tone: 'label', start: 'date-too-old', rest: ': m' }, '', 'M.']
  const REST = [LIKELY, '- c', '  fix: f']
  const rejected = 'It is of the check date, and rejected: answered with 401.'
  expect(lines({})).toEqual([...START, rejected, '', ...REST, '', 'page: p#c', END])
  expect(lines({ also: 'a' })).toEqual([...START, rejected, '', ...REST, 'also: a', '', 'page: p#c', END])
  expect(lines({ status: 'unavailable' })[3]).toBe(
    'It is of the check date, and unavailable: answered with 503, and the sender\nshould try again.'
  )
  expect(lines({ code: 'body-too-large' })[3]).toBe(
    'It is of the check date, and rejected: answered with 413 where nothing else is\nwrong.'
  )
  expect(gatewayCodeLines({ code: 'x', httpStatus: 400, meaning: 'M.', fix: 'F.', page: 'p' })).toEqual([
    { tone: 'label', start: 'x', rest: ': of the gateway, answered with 400' },
    ...['', 'M.', 'fix: F.', '', 'page: p']
  ])
})

test('explain CODE reads a page with the line ends of Windows', async () => {
  const asked = [
    ['explain', 'key-not-found'],
    ['explain', 'partial-body']
  ]
  const before = await Promise.all(asked.map(args => runInside(args)))
  const read = vi.spyOn(fs, 'readFileSync').mockImplementation(() => page.replaceAll('\n', '\r\n'))
  syncBuiltinESMExports()
  onTestFinished(() => {
    read.mockRestore()
    syncBuiltinESMExports()
  })
  expect(await Promise.all(asked.map(args => runInside(args)))).toEqual(before)
  expect(read).toHaveBeenCalledTimes(asked.length)
})

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
