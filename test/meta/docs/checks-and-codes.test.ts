import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHECK_NAMES, CODES, type Code } from '../../../src/core/result/codes.ts'
import { listCauses } from '../../../src/explain/advice.ts'
import { entryOf } from '../../../src/explain/causes/causes.ts'
import { codePages, FOLDER, INDEX, withLists } from './code-pages.ts'
import { linksOf, ROOT, read } from './pages.ts'

const index = read(INDEX)
const codes = Object.keys(CODES) as Code[]
const pages = await codePages()

test('the index has a heading for each check, with links to its codes below it', () => {
  const sections = index.split(/^## /m).filter(section => /^[\w ]+ check\n/.test(section))
  expect(sections.map(section => section.split(' check\n')[0]!.toLowerCase().replaceAll(' ', '-'))).toEqual(CHECK_NAMES)
  for (const [i, check] of CHECK_NAMES.entries())
    expect(linksOf(sections[i]!)).toEqual(
      codes.filter(code => CODES[code].check === check).map(code => `codes/${code}.md`)
    )
})

test('the index says of each code what the tables of the codes say: npm run docs:codes writes it', () => {
  expect(index).toBe(withLists(index))
})

test('each code has a page, and no other page is beside them', () => {
  expect([...pages.keys()]).toEqual(codes.map(code => `${FOLDER}/${code}.md`))
  expect(readdirSync(`${ROOT}/${FOLDER}`).sort()).toEqual(codes.map(code => `${code}.md`).sort())
})

describe.each(codes)('%s', code => {
  test('its page says what its entry says, and shows a vector as it is verified: npm run docs:codes writes it', () => {
    const file = `${FOLDER}/${code}.md`
    expect(read(file)).toBe(pages.get(file))
  })

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
