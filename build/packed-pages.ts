// Makes the pages of a package whole while it is packed: a link to a file that the tarball does not have becomes the
// address of that file in the repository, at the tag of the version. npm runs it before and after it packs:
//   tsx build/packed-pages.ts write|restore FOLDER
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REPOSITORY } from './addresses.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const manifestOf = (folder: string) => JSON.parse(read(`${folder}/package.json`))

export interface Page {
  /** its path in the tarball */
  readonly path: string
  /** its path in the repository, where docs/ is that of all packages */
  readonly source: string
}

/** Lists the pages of a package: its README and those that `files` of its package.json names. */
export function pagesOf(folder: string): Page[] {
  const files: string[] = manifestOf(folder).files
  return ['README.md', ...files.filter(file => /^[^!*]*\.(?:md|txt|yml|json)$/.test(file))].map(path => ({
    path,
    source: posix.normalize(path.startsWith('docs/') ? path : `${folder}/${path}`)
  }))
}

/** Matches a fenced block, a code span, or the text before the target of a link, and the target. */
const LINK =
  /^[ \t]*(`{3,})[^\n]*\n[\s\S]*?^[ \t]*\1[ \t]*$|(`+)[^`\n]*?\2|(\]\(|^\[[^\]]+\]: +|\b(?:href|src|srcset)=")([^)\s"]+)/gm

/** Returns the text of a page as the tarball has it. */
export function packedPage(folder: string, { path, source }: Page): string {
  if (!/\.(?:md|txt)$/.test(path)) return read(source)
  const { version } = manifestOf(folder)
  return read(source).replace(LINK, (all, _fence, _span, before: string, target?: string) => {
    if (target === undefined || /^(?:[a-z][a-z+.-]*:|#)/i.test(target)) return all
    const [, name = '', anchor = ''] = /^([^#]*)(.*)$/.exec(target) ?? []
    const file = posix.join(posix.dirname(source), name)
    const inside = packedPath(folder, file)
    if (inside !== undefined) return before + posix.relative(posix.dirname(path), inside) + anchor
    return `${before}${REPOSITORY}/${viewOf(file)}/v${version}/${file.replace(/\/$/, '')}${anchor}`
  })
}

/** Returns a repository file's path in the tarball; undefined when the tarball does not have it. */
function packedPath(folder: string, file: string): string | undefined {
  const files = ['README.md', 'LICENSE', 'package.json', ...manifestOf(folder).files]
  const path = file.startsWith('docs/') ? file : posix.relative(folder, file)
  const isNamed = (name: string) =>
    name === path || (name.startsWith('*') && /^[^/]*$/.test(path) && path.endsWith(name.slice(1)))
  return files.some(isNamed) ? path : undefined
}

/** Returns the form in which GitHub shows a file: an image itself, a page, or the list of a folder. */
function viewOf(file: string): string {
  if (file.endsWith('.svg')) return 'raw'
  return statSync(join(ROOT, file)).isDirectory() ? 'tree' : 'blob'
}

const keptAt = (folder: string, path = ''): string => join(ROOT, '.packing', folder === '.' ? 'root' : folder, path)
const isCopy = (folder: string, { path, source }: Page): boolean => source !== posix.join(folder, path)

/** Writes the pages where npm finds them, and keeps the originals. */
function write(folder: string): void {
  restore(folder)
  const pages = pagesOf(folder).map(page => ({ ...page, text: packedPage(folder, page) }))
  for (const page of pages) {
    const to = join(ROOT, folder, page.path)
    if (!isCopy(folder, page)) cpSync(to, keptAt(folder, page.path))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, page.text)
  }
}

/** Puts the originals back, also after an interrupted packing. */
function restore(folder: string): void {
  for (const page of pagesOf(folder)) {
    const [to, kept] = [join(ROOT, folder, page.path), keptAt(folder, page.path)]
    if (existsSync(kept)) renameSync(kept, to)
    else if (isCopy(folder, page)) rmSync(to, { force: true })
  }
  rmSync(keptAt(folder), { recursive: true, force: true })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , action, folder = '.'] = process.argv
  if (action === 'write') write(folder)
  else restore(folder)
}
