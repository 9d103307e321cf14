import { posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { checkBlocks, sourceOf } from './check-blocks.ts'
import type { CodeBlock } from './pages.ts'

const ENTRIES = Object.keys(manifest.exports)
  .filter(name => !/\*|package\.json/.test(name))
  .map(name => sourceOf(posix.join('signed-requests', name)))

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  types: ['node']
}

/** Returns the exports of the public entries that are not types, with the text of their examples. */
function publicNames(): { name: string; examples: CodeBlock[] }[] {
  const program = ts.createProgram(ENTRIES, OPTIONS)
  const checker = program.getTypeChecker()
  const exported = ENTRIES.flatMap(entry =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!)
  ).map(symbol => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
  return [...new Set(exported)]
    .filter(({ flags }) => flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable))
    .map(symbol => {
      const { name: page } = symbol
      const tags = symbol.getJsDocTags(checker).filter(tag => tag.name === 'example')
      // An example may be between fences, or without them.
      const codes = tags.map(({ text }) => ts.displayPartsToString(text).replace(/^```.*$/gm, ''))
      return { name: page, examples: codes.map(code => ({ page, line: 0, language: 'ts', code, note: '' })) }
    })
}

const names = publicNames()

test('every public function has an example', () => {
  expect(names.length).toBeGreaterThan(35)
  expect(names.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([])
})

test('the examples compile', { timeout: 120_000 }, () => {
  expect(checkBlocks(names.flatMap(({ examples }) => examples))).toEqual([])
})
