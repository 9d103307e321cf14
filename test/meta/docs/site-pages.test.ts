import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RENAMED } from '../../../site/moved.ts'
import { FILES, fileOf, GROUPS, SHORT_TITLES } from '../../../site/pages.ts'
import { anchorsOf, exists, proseOf, ROOT } from './pages.ts'

const written = readdirSync(`${ROOT}/docs`)
  .filter(name => name.endsWith('.md'))
  .map(name => `docs/${name}`)

test('every page of docs/ is in a group of site/pages.ts', () => {
  expect(written.filter(page => !FILES.includes(page))).toEqual([])
})

test('no page of the site is in two groups, and each exists', () => {
  expect(FILES.filter((page, i) => FILES.indexOf(page) !== i)).toEqual([])
  expect(FILES.filter(page => !exists(page))).toEqual([])
  expect(Object.keys(SHORT_TITLES).filter(page => !FILES.includes(page))).toEqual([])
})

test('the groups of the site follow what a reader is doing', () => {
  const titles = GROUPS.map(({ title }) => title)
  expect(titles.slice(0, 6)).toEqual(['Start', 'Receive', 'Test', 'Run', 'Find out why', 'The gateway'])
})

test.each(Object.entries(RENAMED))('the old section %s leads to a section that is there: %s', (old, target) => {
  const isThere = (address: string): boolean => {
    const [page = '', anchor = ''] = address.split('#')
    return anchorsOf(proseOf(fileOf(page.replace('.html', '.md'))!)).has(anchor)
  }
  expect({ old: isThere(old), target: isThere(target) }).toEqual({ old: false, target: true })
})
