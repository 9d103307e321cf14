import { describe, expect, test } from 'vitest'
import { CHECK_NAMES, CODES, type Code } from '../../../src/core/result/codes.ts'
import { listCauses } from '../../../src/explain/advice.ts'
import { entryOf } from '../../../src/explain/causes/causes.ts'
import { PAGE, withEntries } from './codes-page.ts'
import { read } from './pages.ts'

const page = read(PAGE)
const codes = Object.keys(CODES) as Code[]

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

test('the page says of each code what its entry says: npm run docs:codes writes it', () => {
  expect(page).toBe(withEntries(page))
})

describe.each(codes)('%s', code => {
  test('each example of a cause shows that cause, so a request can get it', () => {
    for (const { entry, found, cause } of listCauses(code)) expect(found?.entry, cause).toBe(entry)
  })

  test('each cause is listed, and none twice', () => {
    const listed = listCauses(code)
    expect(new Set(listed.map(({ entry }) => entry))).toEqual(new Set(entryOf(code).causes))
    expect(new Set(listed.map(({ cause, fix }) => cause + fix)).size).toBe(listed.length)
  })
})

test('the codes that the pages mention exist', () => {
  for (const name of ['docs/options.md', 'docs/troubleshooting.md']) {
    const spoken = read(name).match(/`(?:date|host|account|key|signature|digest|body|coverage|replay)-[a-z-]+`/g) ?? []
    const known = new Set<string>([...codes, 'account-'])
    for (const code of spoken) expect(known, `${name}: ${code}`).toContain(code.slice(1, -1))
  }
})
