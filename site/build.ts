import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { SITE as SITE_ADDRESS } from '../build/addresses.ts'
import { CODES } from '../src/core/result/codes.ts'
import { demoPicture } from './demo-picture.ts'
import { makeExplainPage, makeExplainPart } from './explain/build.ts'
import { llmsFiles } from './llms.ts'
import { STATIC } from './markdown/links.ts'
import { findMentions } from './markdown/mentions.ts'
import { sectionsOf } from './markdown/sections.ts'
import { BUILD, NAMES, type Names } from './markdown/site-data.ts'
import { addressOf, FILES, ROOT, read } from './pages.ts'
import { makeReference } from './reference/reference.ts'
import { EXPLAIN, makeIndex } from './search/search.ts'

const SITE = fileURLToPath(new URL('.', import.meta.url))
const DIST = process.env['SITE_DIST'] ?? `${SITE}dist`
const BASE = process.env['SITE_BASE'] ?? '/'

/** Returns the home page. Its ten lines are those of the README. */
function homePage(): string {
  const [tenLines] = /^```[jt]s\n[\s\S]*?^```$/m.exec(read('README.md')) ?? []
  if (tenLines === undefined) throw new Error('README.md has no block of code for the home page')
  return readFileSync(`${SITE}home.md`, 'utf8').replace('<!-- ten lines -->', () => tenLines)
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

rmSync(BUILD, { recursive: true, force: true })
rmSync(DIST, { recursive: true, force: true })

// The pages: those of the repository as they are, and the reference.
const { entries, pages: reference } = await makeReference(ROOT, `${BUILD}/pages/reference`, findMentions())
const pages = new Map(FILES.map(file => [addressOf(file), read(file)]))
write(`${BUILD}/pages/index.md`, homePage())
for (const [address, text] of pages) write(`${BUILD}/pages/${address}.md`, text)

// VitePress's own configuration needs these names.
const addresses = (list: typeof entries) =>
  list.flatMap(({ exports }) => exports.map(one => [one.name, `/${one.address}.md`] as [string, string]))
const isOfVectors = ({ name }: { name: string }) => name === 'signed-requests-vectors'
const names: Names = {
  library: addresses(entries.filter(entry => !isOfVectors(entry))),
  vectors: addresses(entries.filter(isOfVectors)),
  codes: Object.keys(CODES),
  sidebar: entries.map(({ name, address, exports }) => ({
    text: name,
    link: `/${address}`,
    items: exports.map(one => ({ text: one.name, link: `/${one.address}` }))
  }))
}
write(NAMES, JSON.stringify(names))

const explain = await makeExplainPart()
write(`${BUILD}/pages/explain/index.md`, explain.markdown)
write(`${BUILD}/examples.json`, explain.examples)

cpSync(`${SITE}public`, `${BUILD}/public`, { recursive: true })
for (const file of STATIC) {
  copyFileSync(`${ROOT}/${file}`, `${BUILD}/public/${basename(file)}`)
}
write(`${BUILD}/public/explain/worker.js`, explain.worker)
write(`${BUILD}/public/demo.svg`, await demoPicture())
// The page of a code is one result: its sections have the same headings on each.
for (const [file, text] of reference) pages.set(file.replace(/\.md$/, ''), text)
const sections = [...pages].map(
  ([address, text]) => [address, sectionsOf(address, text, address.startsWith('codes/') ? 1 : 4)] as const
)
write(`${BUILD}/public/search.json`, makeIndex(new Map(sections), [EXPLAIN]))

await build(SITE)

for (const [file, text] of llmsFiles(entries, reference, BASE)) write(`${DIST}/${file}`, text)

write(`${DIST}/explain.html`, await makeExplainPage(SITE_ADDRESS && `${SITE_ADDRESS}/`))
