import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { service } from '../support/service.ts'
import { ROOT, read } from './docs/pages.ts'

const INTERNAL = ['src/internal/command-line.ts', 'src/internal/index.ts']

const filesIn = (...folders: string[]): string[] =>
  folders.flatMap(folder =>
    readdirSync(posix.join(ROOT, folder), { encoding: 'utf8', recursive: true })
      .filter(name => name.endsWith('.ts'))
      .map(name => posix.join(folder, name))
  )

test('the core imports none of its neighbours, not even a type or on demand', () => {
  const imports = filesIn('src/core').flatMap(from =>
    ts
      .preProcessFile(read(from), true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => ({ from, to: posix.join(posix.dirname(from), fileName) }))
  )
  expect(imports.length).toBeGreaterThan(100)
  expect(imports.filter(({ to }) => !to.startsWith('src/core/'))).toEqual([])
})

/** Verifies the request of its standard input, and the same with another body. */
const PROGRAM = `
import { createVerifier } from './core/verify.ts'
const { options, request, record } = JSON.parse(await new Response(process.stdin).text())
const verify = createVerifier({ ...options, lookupTxt: async () => [[record]] })
const verdicts = [await verify(request), await verify({ ...request, body: 'another' })]
console.log(JSON.stringify(verdicts.map(({ status, failures }) => [status, ...failures.map(({ code }) => code)])))
`

test('the core verifies alone, without the file of any neighbour', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signed-requests-core-'))
  try {
    cpSync(join(ROOT, 'src/core'), join(folder, 'core'), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'program.ts'), PROGRAM)
    const { serviceDomain, hosts, accounts } = service.options
    const request = service.sign({ method: 'POST', body: 'signed' })
    const record = Object.values(service.records)[0]![0]!.join('')
    const options = { serviceDomain, hosts, accounts }
    const input = JSON.stringify({ options, request: { ...request, body: 'signed' }, record })
    const output = execFileSync(process.execPath, ['--import', 'tsx', 'program.ts'], {
      cwd: folder,
      input,
      encoding: 'utf8'
    })
    expect(JSON.parse(output)).toEqual([['verified'], ['rejected', 'digest-mismatch']])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('each internal name is used by a tool', () => {
  const exported = INTERNAL.map(read)
    .join('\n')
    .matchAll(/export (?:type )?\{([^}]*)\}/g)
  const nameIn = (item: string) => item.replace('type ', '').trim()
  const names = [...exported].flatMap(([, list]) => list!.split(',').map(nameIn)).filter(name => name !== '')
  expect(names.length).toBeGreaterThan(30)
  const clauses = filesIn('cli', 'flags', 'gateway/src').flatMap(file => [
    ...read(file).matchAll(/import (?:type )?\{([^}]*)\} from '[./]*src\/internal\/[\w-]+\.ts'/g)
  ])
  const used = new Set(clauses.flatMap(([, list]) => list!.split(',').map(nameIn)))
  expect(names.filter(name => !used.has(name))).toEqual([])
})
