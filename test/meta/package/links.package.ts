import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { anchorsOf, linksOf, splitPage } from '../docs/pages.ts'

const PACKAGES = [
  ['signed-requests', join(inject('folder'), 'node_modules/signed-requests')],
  ['signed-requests-gateway', join(inject('gatewayFolder'), 'node_modules/signed-requests-gateway')],
  ['signed-requests-vectors', join(inject('vectorsFolder'), 'node_modules/signed-requests-vectors')]
] as const

/** Lists the files of a folder, by their paths in it. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => posix.relative(folder, join(entry.parentPath, entry.name)))

const proseOf = (path: string): string => splitPage(path, readFileSync(path, 'utf8')).prose
const isPage = (file: string): boolean => /\.(?:md|txt)$/.test(file)

/** Returns what is wrong with a link of a page, or undefined. */
function problemOf(folder: string, page: string, link: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return link.startsWith('https://') ? undefined : `${link} is not an https URL`
  const [target = '', anchor] = link.split('#')
  const file = join(folder, target === '' ? page : posix.join(posix.dirname(page), target))
  if (!existsSync(file)) return `${link}: there is no such file`
  return anchor === undefined || anchorsOf(proseOf(file)).has(anchor) ? undefined : `${link}: there is no such heading`
}

describe.each(PACKAGES)('the tarball of %s', (_, folder) => {
  const pages = filesOf(folder).filter(isPage)

  test('has pages', () => expect(pages).toContain('README.md'))

  test.each(pages)('every link of %s leads to a file of the package, or to an https URL', page => {
    const problems = linksOf(proseOf(join(folder, page))).map(link => problemOf(folder, page, link))
    expect(problems.filter(problem => problem !== undefined)).toEqual([])
  })
})
