import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import * as commands from '../../cli/all-commands.ts'
import { FLAGS as EXPLAIN_FLAGS } from '../../cli/explain/flags.ts'
import { SHARED } from '../../flags/table.ts'
import { AUTHORIZE, GATEWAY } from '../../gateway/src/options/flags.ts'
import { DEFAULTS, OPTION_NAMES, OPTIONS } from '../../src/core/options/options.ts'
import { PAGES, ROOT, read, repositoryFiles } from './docs/pages.ts'

// An option that nobody reads, a flag that changes nothing, a platform that no page names: each compiles.

const files = repositoryFiles().filter(path => path.endsWith('.ts'))
const linesOf = (paths: readonly string[]) => paths.flatMap(path => read(path).split('\n'))
const isWord = (name: string) => new RegExp(`\\b${name}\\b`)

const core = linesOf(files.filter(path => /^src\/core\/(?!options\/)/.test(path)))

test.each(OPTION_NAMES)('a part of a verification reads the option %s', name => {
  expect(core.some(line => isWord(name).test(line))).toBe(true)
})

/** Returns whether a line reads the value of a flag. A line with the name, a colon and a value declares it. */
const reads = (name: string) => (line: string) =>
  isWord(name).test(line) && !new RegExp(`^\\s*${name}: (?:\\{|[A-Z_]+[.,]?)`).test(line)

/** The flags that are options of `createVerifier` are passed on all together. */
const ownFlags = (flags: object) => Object.keys(flags).filter(name => !(name in OPTIONS))

const cli = linesOf(files.filter(path => path.startsWith('cli/')))
const cliFlags = new Set([
  ...Object.values(commands).flatMap(({ flags }) => ownFlags(flags)),
  ...ownFlags(EXPLAIN_FLAGS)
])

test.each([...cliFlags])('a command reads its flag %s', name => {
  expect(cli.some(reads(name))).toBe(true)
})

const gateway = linesOf(files.filter(path => path.startsWith('gateway/src/')))
const gatewayFlags = new Set([...ownFlags(GATEWAY), ...ownFlags(AUTHORIZE), ...ownFlags(SHARED)])

test.each([...gatewayFlags])('the gateway reads its flag %s', name => {
  expect(gateway.some(reads(name))).toBe(true)
})

const pages = PAGES.map(read).join('\n')

/** Lists the values that the main entry exports of the folder of platforms. */
function platformNames(): string[] {
  const entry = ts.createSourceFile('index.ts', read('src/index.ts'), ts.ScriptTarget.Latest, true)
  return entry.statements.flatMap(statement => {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined || statement.isTypeOnly) return []
    const from = statement.moduleSpecifier?.getText() ?? ''
    if (!from.includes('/platforms/') || !ts.isNamedExports(statement.exportClause)) return []
    return statement.exportClause.elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text)
  })
}

test.each(platformNames())('a page names %s', name => {
  expect(pages).toMatch(isWord(name))
})

/** Returns the comments of the options, which an editor shows. */
function optionComments(): Map<string, string> {
  const text = readFileSync(`${ROOT}/src/core/options/options.ts`, 'utf8')
  const source = ts.createSourceFile('options.ts', text, ts.ScriptTarget.Latest, true)
  const type = source.statements.find(
    node => ts.isInterfaceDeclaration(node) && node.name.text === 'VerifierOptions'
  ) as ts.InterfaceDeclaration
  return new Map(type.members.map(member => [member.name!.getText(), member.getFullText()]))
}

const comments = optionComments()
const plain = Object.entries(DEFAULTS).filter(([, value]) => !Array.isArray(value))

test.each(plain)('the comment above the option %s says its default', (name, value) => {
  expect(comments.get(name)).toMatch(
    new RegExp(`(?:^|[\\s\`(])${String(value)}\`?\\s(?:\\*\\s)?by\\s(?:\\*\\s)?default`)
  )
})
