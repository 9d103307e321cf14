import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { REPOSITORY } from '../../../build/addresses.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { anchorsOf, linksOf, ROOT, splitPage } from '../docs/pages.ts'

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
  const [target = '', anchor] = link.split('#')
  const file = target === '' ? join(folder, page) : fileOf(folder, page, target)
  if (file === undefined) return link.startsWith('https://') ? undefined : `${link} is not an https URL`
  if (!existsSync(file)) return `${link}: there is no such file`
  return anchor === undefined || anchorsOf(proseOf(file)).has(anchor) ? undefined : `${link}: there is no such heading`
}

/** Returns the file of the package, or of the repository at the tag of the version; undefined for any other address. */
function fileOf(folder: string, page: string, target: string): string | undefined {
  if (!/^[a-z][a-z+.-]*:/i.test(target)) return join(folder, posix.dirname(page), target)
  const ours = new RegExp(`^${REPOSITORY}/(?:blob|raw|tree)/v${manifest.version}/(.+)$`)
  const [, file] = ours.exec(target) ?? []
  return file === undefined ? undefined : join(ROOT, file)
}

describe.each(PACKAGES)('the tarball of %s', (_, folder) => {
  const pages = filesOf(folder).filter(isPage)

  test('has pages', () => expect(pages).toContain('README.md'))

  test.each(pages)('every link of %s leads to a file of the package, or to an absolute address', page => {
    const problems = linksOf(proseOf(join(folder, page))).map(link => problemOf(folder, page, link))
    expect(problems.filter(problem => problem !== undefined)).toEqual([])
  })
})
