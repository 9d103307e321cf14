import { describe, expect, test } from 'vitest'
import { CHECK_NAMES, CODES, type Code, isUnavailable } from '../../../src/core/result/codes.ts'
import { causesOnPage, exampleIn } from './causes.ts'
import { read } from './pages.ts'

const page = read('docs/checks-and-codes.md')
const codes = Object.keys(CODES) as Code[]

/** Maps each code to the text below its heading. */
const sections = new Map(
  [...page.matchAll(/^### (\S+)\n([\s\S]*?)(?=^##|$(?![\s\S]))/gm)].map(([, code = '', text = '']) => [code, text])
)

test('every code has one heading, and every heading is a code, in the order of the checks', () => {
  expect([...page.matchAll(/^### (.*)$/gm)].map(([, code]) => code)).toEqual(
    CHECK_NAMES.flatMap(check => codes.filter(code => CODES[code].check === check))
  )
})

test('the table has every check, with links to its codes', () => {
  const rows = [...page.matchAll(/^\| \[`([\w-]+)`\]\(#([\w-]+)\) \| (.*) \|$/gm)]
  expect(rows.map(([, check]) => check)).toEqual([...CHECK_NAMES])
  for (const [, check, anchor, links = ''] of rows) {
    expect(page.toLowerCase()).toContain(`## ${anchor?.replaceAll('-', ' ')}\n`)
    const named = [...links.matchAll(/\[`([\w-]+)`\]\(#([\w-]+)\)/g)].map(([, code, target]) => [code, target])
    expect(named).toEqual(codes.filter(code => CODES[code].check === check).map(code => [code, code]))
  }
})

describe.each(codes)('%s', code => {
  const text = sections.get(code) ?? ''

  test('says what it means, the causes and fixes of `diagnose` and what its evidence is', () => {
    expect(text).toMatch(/^\n\S/)
    expect(text).toContain(`\n- **Likely causes:** the first that fits\n${causesOnPage(code, exampleIn(text))}- **`)
    expect(text).toMatch(/^- \*\*(?:Example of the evidence:\*\* `\{|Evidence:\*\* none)/m)
  })

  test('says whether it is a refusal or unavailable', () => {
    expect(text.includes('**Unavailable.**')).toBe(isUnavailable(code))
  })
})

test('the codes that the pages mention exist', () => {
  for (const name of ['docs/options.md', 'docs/troubleshooting.md']) {
    const spoken = read(name).match(/`(?:date|host|account|key|signature|digest|body|coverage|replay)-[a-z-]+`/g) ?? []
    const known = new Set<string>([...codes, 'account-'])
    for (const code of spoken) expect(known, `${name}: ${code}`).toContain(code.slice(1, -1))
  }
})
