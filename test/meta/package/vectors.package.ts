import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'

const cwd = inject('vectorsFolder')
const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd, encoding: 'utf8' })

test('the vectors are one package', () => {
  expect(readdirSync(join(cwd, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
    'signed-requests-vectors'
  ])
})

test('loadVectors and the files can be imported', () => {
  const code = `import { loadVectors } from 'signed-requests-vectors'
import date from 'signed-requests-vectors/date.json' with { type: 'json' }
import schema from 'signed-requests-vectors/schema.json' with { type: 'json' }
console.log(loadVectors().length > 1000, date.vectors.length > 50, '$defs' in schema)`
  expect(run('node', '--no-warnings', '--input-type=module', '--eval', code).stdout).toBe('true true true\n')
})

test('the command runs a program, as the page shows it', () => {
  const program = `process.stdin.on('data', () => {}).on('end', () => {
  for (let i = 0; i < Number(process.argv[1]); i++) console.log('{"status":"verified"}')
})`
  const answers = (count: string) =>
    run('npx', 'signed-requests-vectors', '--only', 'https', '--', 'node', '-e', program, count)
  const { status, stdout } = answers('4')
  expect(stdout).toMatch(/^all +2 +2 +0$/m)
  expect(status).toBe(1)
  expect(answers('3').stderr).toContain('ended with code 0 after 3 of 4 answers')
})
