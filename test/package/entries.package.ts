import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

/** What each entry exports at run time. A name that comes or goes is a change of the public interface. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'buildSigningString',
    'createVerifier',
    'dnsTxtLookup',
    'explain',
    'fromFetchRequest',
    'fromLambdaEvent',
    'fromNodeRequest',
    'httpStatus',
    'importPublicKey',
    'matchesDigest',
    'parseDigestHeader',
    'parseHttpDate',
    'parseKeyRecord',
    'parseSignatureHeader',
    'verifySignature'
  ],
  './account': ['AccountError', 'createAccountClient'],
  './replay': ['memoryReplayStore', 'redisReplayStore'],
  './rfc9421': ['buildSignatureBase', 'parseContentDigest', 'parseSignatureInput', 'parseSignatures'],
  './testing': ['captureFixture', 'createTestService', 'loadVectors']
}
const DATA = { './package.json': 'name', './fixtures/*': 'vectors' }

const cwd = inject('folder')
const specifierOf = (entry: string) => entry.replace('.', 'signed-requests').replace('*', 'date.json')

/** Runs a command in the user's folder; its output, or what it had to complain about. */
function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  return { status, stdout, stderr }
}
const printed = (value: unknown) => ({ status: 0, stdout: `${JSON.stringify(value)}\n`, stderr: '' })

test('every subpath of package.json is tried here', () => {
  expect(Object.keys(manifest.exports).sort()).toEqual([...Object.keys(EXPORTS), ...Object.keys(DATA)].sort())
})

describe.each(Object.entries(EXPORTS))('%s', (entry, names) => {
  const specifier = specifierOf(entry)

  test('import', () => {
    const code = `import * as entry from '${specifier}'; console.log(JSON.stringify(Object.keys(entry)))`
    expect(run('node', '--input-type=module', '--eval', code)).toEqual(printed(names))
  })

  test('require', () => {
    const code = `console.log(JSON.stringify(Object.keys(require('${specifier}')).sort()))`
    expect(run('node', '--input-type=commonjs', '--eval', code)).toEqual(printed(names))
  })
})

describe.each(Object.entries(DATA))('%s', (entry, key) => {
  const specifier = specifierOf(entry)

  test('import', () => {
    const code = `import data from '${specifier}' with { type: 'json' }; console.log('${key}' in data)`
    const { stdout, status } = run('node', '--no-warnings', '--input-type=module', '--eval', code)
    expect({ stdout, status }).toEqual({ stdout: 'true\n', status: 0 })
  })

  test('require', () => {
    const code = `console.log('${key}' in require('${specifier}'))`
    expect(run('node', '--input-type=commonjs', '--eval', code)).toEqual(printed(true))
  })
})

test('the command starts', () => {
  const command = join(cwd, 'node_modules/.bin/signed-requests')
  expect(run(command, '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Usage: signed-requests')
  })
  expect(run(command, 'nonsense')).toMatchObject({ status: 64, stdout: '' })
})
