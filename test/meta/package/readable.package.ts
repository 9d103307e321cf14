import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, inject, test } from 'vitest'
import { ROOT } from '../docs/pages.ts'

const folder = inject('folder')
const dist = join(folder, 'node_modules/signed-requests/dist')

const textOf = (directory: string, ending: RegExp): string =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => ending.test(name))
    .map(name => readFileSync(join(directory, name), 'utf8'))
    .join('\n')

const sources = ['src', 'cli', 'flags'].map(name => textOf(join(ROOT, name), /\.ts$/)).join('\n')
const namesOfSources = new Set(sources.match(/[\w$]+/g))

const FORMATS = [
  { format: 'ESM', main: 'index.js', type: 'module', load: "await import('signed-requests')" },
  { format: 'CommonJS', main: 'index.cjs', type: 'commonjs', load: "require('signed-requests')" }
]

/** Returns the code that is loaded with a file. */
function loadedWith(file: string): string {
  const names = new Set([file])
  for (const name of names) {
    const imports = readFileSync(join(dist, name), 'utf8').matchAll(/(?:from|import|require\() ?["']\.\/([^"']+)["']/g)
    for (const [, next] of imports) names.add(next!)
  }
  return [...names].map(name => readFileSync(join(dist, name), 'utf8')).join('\n')
}

describe.each(FORMATS)('$format', ({ main, type, load }) => {
  const code = loadedWith(main)

  // A bundler renames what has the name of something else in its file: find another name for one of them.
  test('the functions of the main entry have the names of their source', () => {
    const functions =
      /^\s*(?:(?:async )?function\*? |(?:var|let|const) (?=\w+ = (?:async )?(?:\([^()]*\)|\w+) =>))(\w+)/gm
    const names = [...code.matchAll(functions)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(300)
    const helpers = ['_interopNamespace']
    expect(names.filter(name => !namesOfSources.has(name) && !helpers.includes(name))).toEqual([])
  })

  test('a stack trace names the functions that a reader finds in the source', () => {
    const program = `(async () => {
      const { createVerifier } = ${load}
      let stack
      const now = () => { stack ??= new Error().stack; return Date.now() }
      const verify = createVerifier({ serviceDomain: 'a.example', hosts: 'b.example', accounts: '1', now })
      await verify({ method: 'GET', target: '/', headers: [], body: null, https: true })
      console.log(stack)
    })()`
    const args = [`--input-type=${type}`, '--eval', program]
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    const frames = [...stdout.matchAll(/^ +at (?:async )?(?:(\S+) .*)?\(?.*signed-requests\/dist\//gm)]
    const names = frames.map(([, name]) => name).filter(name => name !== undefined)
    expect(names).toContain('readClock')
    expect(names.filter(name => !namesOfSources.has(name.replace(/^.*\./, '')))).toEqual([])
  })
})

test.each(['createVerifier', 'nodeHandler', 'explain', 'fromFetchRequest', 'parseHttpDate'])(
  'as an ES module %s has the comment of its source above it, but for the example',
  name => {
    const above = new RegExp(`/\\*\\*\\n((?: \\*.*\\n)+) \\*/\\n(?:export )?(?:async )?function ${name}\\b`)
    const [, comment = ''] = above.exec(sources) ?? []
    expect(comment).not.toBe('')
    const example = /^ \*\n \* @example\n(?:(?! \*\n \* @).*\n)*/m
    expect(above.exec(loadedWith('index.js'))?.[1]).toBe(comment.replace(example, ''))
  }
)

// The build reads no types of Node.js: what a declaration would have to infer from them is any.
test('no declaration has any', () => {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(name => /\.d\.c?ts$/.test(name))
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter(name => hasAny(join(dist, name)))).toEqual([])
})

function hasAny(file: string): boolean {
  const isAny = (node: ts.Node): boolean =>
    node.kind === ts.SyntaxKind.AnyKeyword || ts.forEachChild(node, isAny) === true
  return isAny(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest))
}
