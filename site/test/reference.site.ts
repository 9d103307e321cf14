import { existsSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { ENTRIES } from '../../build/entries.ts'
import { DIST } from './support/serve.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const files = Object.values(ENTRIES).map(file => ROOT + file)
const program = ts.createProgram([...files, `${ROOT}fixtures/index.d.ts`], {
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true
})
const checker = program.getTypeChecker()

interface Exported {
  name: string
  isType: boolean
}

function exportsOf(file: string): Exported[] {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
  return symbols.map(symbol => {
    const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const isType = (original.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable | ts.SymbolFlags.Class)) === 0
    return { name: symbol.name, isType }
  })
}

const html = (address: string): string => readFileSync(`${DIST}/${address}`, 'utf8')

/** Returns the addresses that a page links to, without the anchors. */
const linksOf = (address: string): Set<string> =>
  new Set([...html(address).matchAll(/<a [^>]*?href="\/([^"#]*)/g)].map(([, target]) => target!))

/** Returns the folder of an entry below `reference/`. */
const folderOf = (entry: string): string => (entry === 'index' ? '' : `${entry.replace(/\/index$/, '')}/`)

describe.each([...Object.entries(ENTRIES), ['vectors', 'fixtures/index.d.ts']])('the entry %s', (entry, file) => {
  const exported = exportsOf(ROOT + file)
  const links = linksOf(`reference/${folderOf(entry)}index.html`)

  test('its page links to a page for each export', () => {
    expect(exported.length).toBeGreaterThan(1)
    const missing = exported.filter(({ name, isType }) => {
      const end = `${isType ? 'types/' : ''}${name}.html`
      const page = [...links].find(link => link.startsWith('reference/') && link.endsWith(`/${end}`))
      return page === undefined || !existsSync(`${DIST}/${page}`)
    })
    expect(missing).toEqual([])
  })

  test('the page of a function has its example, and says how to import it', () => {
    const own = exported.filter(({ isType }) => !isType)
    const pages = own.map(({ name }) => [name, html(`reference/${folderOf(entry)}${name}.html`)] as const)
    const wrong = pages.filter(([, text]) => !text.includes('id="example') && !text.includes('class NotVerified'))
    expect(wrong.map(([name]) => name).filter(name => !/Error$/.test(name))).toEqual([])
  })
})

test.each([
  ['createVerifier', 'reference/createVerifier.html', 'options.html'],
  ['nodeHandler', 'reference/nodeHandler.html', 'frameworks.html'],
  ['ReceivedRequest', 'reference/types/ReceivedRequest.html', 'middleware.html'],
  ['VerifierOptions', 'reference/types/VerifierOptions.html', 'options.html'],
  ['redisReplayStore', 'reference/replay/redisReplayStore.html', 'replay-stores.html'],
  ['dohTxtLookup', 'reference/doh/dohTxtLookup.html', 'dns-over-https.html'],
  ['createTestService', 'reference/testing/createTestService.html', 'testing.html'],
  ['createRecorder', 'reference/recorder/createRecorder.html', 'testing.html']
])('%s is linked both ways between its page and a guide', (_, page, guide) => {
  expect([...linksOf(page)]).toContain(guide)
  expect([...linksOf(guide)]).toContain(page)
})

test('the types of a signature are links', () => {
  const links = linksOf('reference/fromNodeRequest.html')
  expect([...links]).toEqual(
    expect.arrayContaining(['reference/types/ReceivedRequest.html', 'reference/types/FromNodeOptions.html'])
  )
})

test('a page of an option says what it is and what it is by default', () => {
  const text = html('reference/types/VerifierOptions.html').replace(/<[^>]+>/g, '')
  expect(text).toContain('whether to reject requests that did not arrive over TLS; true by default')
})

test('the parameters and the result of a method have their comments', () => {
  const text = html('reference/types/ReplayStore.html').replace(/<[^>]+>/g, '')
  expect(text).toContain('identifies one claim; the verifier makes a random one for each')
  expect(text).toContain('true when this token holds the id now')
})
