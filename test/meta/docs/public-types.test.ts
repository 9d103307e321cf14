import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { ENTRIES } from '../../../build/entries.ts'
import { ROOT } from './pages.ts'

/** The declarations are in this folder, in memory only. */
const OUT = '/declarations'
const { checker, sourceOf } = declarations()

describe.each(Object.entries(ENTRIES))('the entry %s', (_, file) => {
  const exported = exportsOf(file)

  test('exports the type of everything that its exports show', () => {
    const shown = [...exported].filter(symbol => !isWords(symbol))
    const named = shown.flatMap(symbol => declarationsOf(symbol).flatMap(node => namesIn(node)))
    const missing = named.filter(symbol => !exported.has(symbol)).map(({ name }) => name)
    expect([...new Set(missing)]).toEqual([])
  })

  // A project with exactOptionalPropertyTypes writes `lookupTxt: isTest ? fake : undefined`.
  test('takes undefined for every optional property of what a caller passes', () => {
    // SignatureParameters is what a parser returns.
    const given = [...exported].filter(
      ({ name }) =>
        /(?:Options|Limits|Parameters|Request|Result|Database)$/.test(name) && name !== 'SignatureParameters'
    )
    const types = given.flatMap(symbol => declarationsOf(symbol))
    const inline = [...exported].flatMap(symbol => declarationsOf(symbol).filter(ts.isFunctionDeclaration))
    const parameters = inline.flatMap(({ parameters }) =>
      parameters.map(({ type }) => type).filter(type => type !== undefined)
    )
    const strict = [...types, ...parameters].flatMap(node => strictOptionals(node))
    expect(strict).toEqual([])
  })
})

/** Returns the package's declarations as the compiler writes them: every type is explicit there. */
function declarations() {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const emitted = new Map<string, string>()
  const emit = { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: OUT, rootDir: ROOT }
  const files = Object.values(ENTRIES).map(file => ROOT + file)
  ts.createProgram(files, emit).emit(undefined, (name, text) => emitted.set(name, text))

  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.readFile = name => emitted.get(name) ?? readFile(name)
  host.fileExists = name => emitted.has(name) || fileExists(name)
  delete host.directoryExists
  host.getSourceFile = (name, target) => {
    const text = host.readFile(name)
    return text === undefined ? undefined : ts.createSourceFile(name, text, target, true)
  }
  const pathOf = (file: string) => `${OUT}/${file.replace(/\.ts$/, '.d.ts')}`
  const program = ts.createProgram(
    Object.values(ENTRIES).map(file => pathOf(file)),
    { ...options, paths: {} },
    host
  )
  return { checker: program.getTypeChecker(), sourceOf: (file: string) => program.getSourceFile(pathOf(file))! }
}

/** Follows an export or an import to its declaration. */
const original = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

function exportsOf(file: string): Set<ts.Symbol> {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(sourceOf(file))!).map(original)
  expect(symbols.length).toBeGreaterThan(1)
  return new Set(symbols)
}

/** Returns whether it is a type of words: the compiler writes them out, however the type is made. */
function isWords(symbol: ts.Symbol): boolean {
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  return type.isUnion() && type.types.every(member => member.isStringLiteral())
}

const declarationsOf = ({ declarations = [] }: ts.Symbol): ts.Declaration[] => declarations

/** Returns the types of this package that a declaration names. `typeof` of a value stands for a type without a name. */
function namesIn(node: ts.Node): ts.Symbol[] {
  const inside: ts.Symbol[] = []
  ts.forEachChild(node, child => void inside.push(...namesIn(child)))
  const name = nameOf(node)
  const symbol = name && checker.getSymbolAtLocation(name)
  if (symbol === undefined) return inside
  const named = original(symbol)
  const isOurs = declarationsOf(named).some(at => at.getSourceFile().fileName.startsWith(OUT))
  return isOurs && !(named.flags & ts.SymbolFlags.TypeParameter) ? [named, ...inside] : inside
}

function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isExpressionWithTypeArguments(node)) return node.expression
  return ts.isImportTypeNode(node) ? node.qualifier : undefined
}

/** Returns the optional properties whose type does not include undefined. */
function strictOptionals(node: ts.Node): string[] {
  const inside: string[] = []
  ts.forEachChild(node, child => void inside.push(...strictOptionals(child)))
  if (!ts.isPropertySignature(node) || node.questionToken === undefined || node.type === undefined) return inside
  const parts = ts.isUnionTypeNode(node.type) ? node.type.types : [node.type]
  const takesUndefined = parts.some(
    ({ kind }) => kind === ts.SyntaxKind.UndefinedKeyword || kind === ts.SyntaxKind.UnknownKeyword
  )
  return takesUndefined ? inside : [node.name.getText(), ...inside]
}
