import { posix } from 'node:path'
import ts from 'typescript'
import manifest from '../../../package.json' with { type: 'json' }
import { type CodeBlock, ROOT } from './pages.ts'

/**
 * A block may use these names without declaring them, because the text around it says what they are. Any other name
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
  onRefused: "(verdict: import('signed-requests').Verdict) => void",
  serviceDomain: 'string',
  hosts: 'string',
  accounts: 'string',
  url: 'string'
}

/**
 * These are frameworks, loggers and the like: the reader chooses them, and the types of their values are not known
 * either.
 */
const ANYTHING =
  'app bytes client clientOfAServerThatIsDown ctx database keyId logger myStore pool redis resolveTxt response supertest test expect type vi writeFile'

const ENTRIES = Object.keys(manifest.exports)
  .filter(name => !/\*|package\.json/.test(name))
  .map(name => posix.join('signed-requests', name))

/** Maps each entry to its source, as tsconfig.json does. */
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

/** TypeScript's error for a `return` outside a function: the block is the inside of one. */
const RETURN_OUTSIDE = 1108

/**
 * Declares the names for every block, and the exports of the package. A declaration in the block itself takes
 * precedence.
 */
const AMBIENT = [
  ...Object.entries(CONTEXT).map(([name, type]) => `declare const ${name}: ${type}`),
  ...ANYTHING.split(' ').map(name => `declare const ${name}: any`),
  ...(await Promise.all(
    ENTRIES.map(async entry =>
      Object.keys(await import(sourceOf(entry))).map(name => `declare const ${name}: typeof import('${entry}').${name}`)
    )
  ))
].flat()
const known = new Set(AMBIENT.map(line => /^declare const (\w+)/.exec(line)![1]!))

/** Returns TypeScript's errors in the blocks, one line each: `docs/options.md:12: ...`. */
export function checkBlocks(blocks: readonly CodeBlock[]): string[] {
  const [typed, others] = [blocks.filter(isTyped), blocks.filter(block => !isTyped(block))]
  return [
    ...checkWith({ ...OPTIONS, strict: true, noImplicitAny: false }, typed),
    ...checkWith({ ...OPTIONS, strict: false }, others)
  ]
}
const isTyped = ({ language }: CodeBlock): boolean => language === 'ts'

function checkWith(options: ts.CompilerOptions, blocks: readonly CodeBlock[]): string[] {
  if (blocks.length === 0) return []
  const contents = new Map([[`${ROOT}docs/ambient.d.ts`, AMBIENT.join('\n')]])
  const declaredOnPage = new Map<string, Set<string>>()
  const paths = blocks.map((block, i) => {
    const path = `${ROOT}docs/block-${i}.${isTyped(block) ? 'mts' : 'mjs'}`
    const own = topLevelNames(ts.createSourceFile(path, block.code, ts.ScriptTarget.ES2022))
    const page = declaredOnPage.get(block.page) ?? new Set<string>()
    const earlier = [...page].filter(name => !own.includes(name) && !known.has(name))
    const declared = earlier.map(name => (isTyped(block) ? `declare const ${name}: any` : `var ${name}`))
    contents.set(path, `${block.code}\n${declared.join('\n')}\nexport {}\n`)
    declaredOnPage.set(block.page, new Set([...page, ...own]))
    return path
  })
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = path => contents.has(path) || fileExists(path)
  host.readFile = path => contents.get(path) ?? readFile(path)

  const program = ts.createProgram([`${ROOT}test/support/node-sqlite.d.ts`, ...contents.keys()], options, host)
  return blocks.flatMap((block, i) => {
    const source = program.getSourceFile(paths[i]!)!
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      .filter(({ code }) => code !== RETURN_OUTSIDE)
      .map(({ code, messageText, start = 0 }) => {
        const line = block.line + 1 + source.getLineAndCharacterOfPosition(start).line
        return `${block.page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')} (${code})`
      })
  })
}

/** Returns the names that a block imports or declares outside its functions, for the blocks after it. */
function topLevelNames(source: ts.SourceFile): string[] {
  const bound = (name: ts.BindingName): string[] =>
    ts.isIdentifier(name)
      ? [name.text]
      : name.elements.flatMap(element => (ts.isBindingElement(element) ? bound(element.name) : []))
  return source.statements.flatMap(statement => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => bound(name))
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return statement.name?.text ?? []
    const { name, namedBindings } = (ts.isImportDeclaration(statement) && statement.importClause) || {}
    const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : []
    return [name, ...named.map(element => element.name)].flatMap(each => each?.text ?? [])
  })
}
