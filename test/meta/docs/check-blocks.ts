import { posix } from 'node:path'
import ts from 'typescript'
import manifest from '../../../package.json' with { type: 'json' }
import { type CodeBlock, ROOT } from './pages.ts'

/**
 * Names that a block may use without declaring them, because the text around it says what they are. Any other name
 * must be declared in the block, in an earlier block of its page, or be exported by the package.
 */
const CONTEXT: Readonly<Record<string, string>> = {
  verify: "import('signed-requests').Verify",
  verdict: "import('signed-requests').Verdict",
  verified: "import('signed-requests').Verified",
  options: "import('signed-requests').VerifierOptions",
  request: "import('signed-requests').ReceivedRequest",
  replayStore: "import('signed-requests/replay').ReplayStore",
  service: "import('signed-requests/testing').TestService",
  signed: "ReturnType<import('signed-requests/testing').TestService['sign']>",
  account: "ReturnType<typeof import('signed-requests/account').createAccountClient>",
  req: "import('node:http').IncomingMessage & { body?: any; rawBody?: any; originalUrl?: string }",
  res: "import('node:http').ServerResponse",
  next: '(error?: unknown) => void',
  handle: '(...given: any[]) => Promise<void>',
  answer: '(status: number) => void',
  serviceDomain: 'string',
  hosts: 'string',
  accounts: 'string',
  url: 'string'
}

/** Frameworks, loggers and the like: whatever the reader has. What they pass on is not known either. */
const ANYTHING = new Set(
  'app bytes client clientOfAServerThatIsDown console ctx database fetch keyId logger myStore pool redis resolveTxt response supertest test expect type writeFile'.split(
    ' '
  )
)

const ENTRIES = Object.keys(manifest.exports)
  .filter(name => !/\*|package\.json/.test(name))
  .map(name => posix.join('signed-requests', name))

/** The same as in tsconfig.json: where the source of each entry is. */
const PATHS: Readonly<Record<string, string[]>> = Object.fromEntries(
  Object.entries<string[]>(ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile).config.compilerOptions.paths).map(
    ([entry, [path = '']]) => [entry, [posix.join(ROOT, path)]]
  )
)

/** @param entry such as `signed-requests/doh` */
export const sourceOf = (entry: string): string =>
  (PATHS[entry] ?? PATHS['signed-requests/*'])![0]!.replace('*', posix.basename(entry))

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowJs: true,
  checkJs: true,
  allowUnusedLabels: true,
  allowImportingTsExtensions: true,
  experimentalDecorators: true,
  resolveJsonModule: true,
  skipLibCheck: true,
  noEmit: true,
  paths: PATHS
}

const UNDECLARED = new Set([2304, 2552, 2503, 2580, 2581, 2582, 2584, 2591, 2592, 2593, 18004])
/** A `return` outside a function: the block is the inside of one. */
const RETURN_OUTSIDE = 1108

/** What TypeScript finds wrong with the blocks, one line each: `docs/options.md:12: ...`. */
export function checkBlocks(blocks: readonly CodeBlock[]): string[] {
  return [
    ...checkWith(
      { ...OPTIONS, strict: true, noImplicitAny: false },
      blocks.filter(({ language }) => language === 'ts')
    ),
    ...checkWith(
      { ...OPTIONS, strict: false },
      blocks.filter(({ language }) => language !== 'ts')
    )
  ]
}

function checkWith(options: ts.CompilerOptions, blocks: readonly CodeBlock[]): string[] {
  if (blocks.length === 0) return []
  const extension = options.strict ? 'mts' : 'mjs'
  const pathOf = (i: number): string => `${ROOT}docs/block-${i}.${extension}`
  const contents = new Map(blocks.map(({ code }, i) => [pathOf(i), `${code}\nexport {}\n`]))
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  const parsed = new Map<string, ts.SourceFile | undefined>()
  host.fileExists = path => contents.has(path) || fileExists(path)
  host.readFile = path => contents.get(path) ?? readFile(path)
  host.getSourceFile = (path, ...rest) => {
    const text = contents.get(path)
    if (text !== undefined) return ts.createSourceFile(path, text, rest[0], true)
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...rest))
    return parsed.get(path)
  }

  const types = `${ROOT}test/support/node-sqlite.d.ts`
  const names = [types, ...contents.keys(), ...ENTRIES.map(sourceOf).filter(path => fileExists(path))]
  const first = ts.createProgram(names, options, host)
  const exported = exportsOfPackage(first)
  const undeclared: string[] = []
  const declaredOnPage = new Map<string, Set<string>>()

  for (const [i, block] of blocks.entries()) {
    const source = first.getSourceFile(pathOf(i))!
    const page = declaredOnPage.get(block.page) ?? new Set<string>()
    declaredOnPage.set(block.page, page)
    for (const { name, line } of undeclaredNames(first, source)) {
      const type = CONTEXT[name] ?? exported.get(name) ?? (page.has(name) || ANYTHING.has(name) ? 'any' : undefined)
      if (type === undefined) undeclared.push(`${block.page}:${block.line + line}: ${name} is not declared`)
      const declaration = extension === 'mts' ? `declare const ${name}: ${type}` : `/** @type {${type}} */ var ${name}`
      if (type !== undefined) contents.set(pathOf(i), `${contents.get(pathOf(i))}${declaration}\n`)
    }
    for (const name of topLevelNames(source)) page.add(name)
  }

  const second = ts.createProgram(names, options, host, first)
  const wrong = blocks.flatMap((block, i) => {
    const source = second.getSourceFile(pathOf(i))!
    return [...second.getSyntacticDiagnostics(source), ...second.getSemanticDiagnostics(source)].flatMap(
      ({ code, messageText, start = 0 }) => {
        if (code === RETURN_OUTSIDE || UNDECLARED.has(code)) return []
        const line = block.line + 1 + source.getLineAndCharacterOfPosition(start).line
        return [`${block.page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')} (${code})`]
      }
    )
  })
  return [...undeclared, ...wrong]
}

/** The type of each name that the package exports, as text. */
function exportsOfPackage(program: ts.Program): Map<string, string> {
  const checker = program.getTypeChecker()
  const found = new Map<string, string>()
  for (const entry of ENTRIES) {
    const source = program.getSourceFile(sourceOf(entry))
    const symbol = source && checker.getSymbolAtLocation(source)
    for (const { name } of symbol ? checker.getExportsOfModule(symbol) : []) {
      if (!found.has(name)) found.set(name, `typeof import('${entry}').${name}`)
    }
  }
  return found
}

function undeclaredNames(program: ts.Program, source: ts.SourceFile): { name: string; line: number }[] {
  const found = new Map<string, number>()
  for (const { code, start = 0, length = 0 } of program.getSemanticDiagnostics(source)) {
    if (!UNDECLARED.has(code)) continue
    const name = source.text.slice(start, start + length)
    if (!found.has(name)) found.set(name, source.getLineAndCharacterOfPosition(start).line + 1)
  }
  return [...found].map(([name, line]) => ({ name, line }))
}

/** The names that a block imports or declares outside its functions, for the blocks after it. */
function topLevelNames(source: ts.SourceFile): string[] {
  const names: string[] = []
  const bind = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) names.push(name.text)
    else for (const element of name.elements) if (ts.isBindingElement(element)) bind(element.name)
  }
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) for (const { name } of statement.declarationList.declarations) bind(name)
    if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
      names.push(statement.name.text)
    const bindings = ts.isImportDeclaration(statement) ? statement.importClause : undefined
    if (bindings?.name) names.push(bindings.name.text)
    if (bindings?.namedBindings && ts.isNamedImports(bindings.namedBindings))
      for (const { name } of bindings.namedBindings.elements) names.push(name.text)
  }
  return names
}
