import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }

/** What each entry exports at run time. A name that comes or goes is a change of the public interface. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'NotVerifiedError',
    'assertVerified',
    'buildSigningString',
    'createVerifier',
    'diagnose',
    'dnsTxtLookup',
    'draftCavage',
    'explain',
    'fetchHandler',
    'fromFetchRequest',
    'fromLambdaEvent',
    'fromNodeRequest',
    'httpStatus',
    'importPublicKey',
    'lambdaHandler',
    'logRecord',
    'matchesDigest',
    'nodeHandler',
    'parseDigestHeader',
    'parseHttpDate',
    'parseKeyRecord',
    'parseSignatureHeader',
    'refusalResponse',
    'sendRefusal',
    'verifySignature'
  ],
  './account': ['AccountError', 'createAccountClient'],
  './doh': ['dohTxtLookup'],
  './replay': 'memoryReplayStore postgresReplayStore postgresReplayTable redisReplayStore sqliteReplayStore'.split(' '),
  './rfc9421': 'buildSignatureBase parseContentDigest parseSignatureInput parseSignatures rfc9421'.split(' '),
  './testing': ['captureFixture', 'createTestService', 'replayStoreContract', 'serveDns']
}
const DATA = { './package.json': 'name' }

const cwd = inject('folder')
const specifierOf = (entry: string) => entry.replace('.', 'signed-requests')

/** Runs a command in the user's folder; its output, or what it had to complain about. */
function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** What `node` prints, as JSON. */
function evaluate(type: 'module' | 'commonjs', code: string): unknown {
  const { status, stdout, stderr } = run('node', '--no-warnings', `--input-type=${type}`, '--eval', code)
  return status === 0 ? JSON.parse(stdout) : stderr
}

test('every subpath of package.json is tested here', () => {
  expect(Object.keys(manifest.exports).sort()).toEqual([...Object.keys(EXPORTS), ...Object.keys(DATA)].sort())
})

describe.each(Object.entries(EXPORTS))('%s', (entry, names) => {
  const specifier = specifierOf(entry)

  test('can be imported', () => {
    const code = `import * as entry from '${specifier}'; console.log(JSON.stringify(Object.keys(entry)))`
    expect(evaluate('module', code)).toEqual(names)
  })

  test('can be required', () => {
    const code = `console.log(JSON.stringify(Object.keys(require('${specifier}')).sort()))`
    expect(evaluate('commonjs', code)).toEqual(names)
  })

  // Loggers print the name of an error's class, which a bundler may change.
  test('has functions and classes that are called as they are exported', () => {
    const renamed =
      'console.log(JSON.stringify(Object.entries(entry).filter(([name, f]) => f.call && f.name !== name)))'
    expect(evaluate('module', `import * as entry from '${specifier}'; ${renamed}`)).toEqual([])
    expect(evaluate('commonjs', `const entry = require('${specifier}'); ${renamed}`)).toEqual([])
  })
})

describe.each(Object.entries(DATA))('%s', (entry, key) => {
  const specifier = specifierOf(entry)

  test('can be imported', () => {
    const code = `import data from '${specifier}' with { type: 'json' }; console.log('${key}' in data)`
    expect(evaluate('module', code)).toBe(true)
  })

  test('can be required', () => {
    const code = `console.log('${key}' in require('${specifier}'))`
    expect(evaluate('commonjs', code)).toBe(true)
  })
})

test('the command starts', () => {
  const command = join(cwd, 'node_modules/.bin/signed-requests')
  expect(run(command, '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Usage: signed-requests')
  })
  expect(run(command, '--version')).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' })
  expect(run(command, 'nonsense')).toMatchObject({ status: 64, stdout: '' })
})

test('the help is the same where the files of the package have the line ends of Windows', () => {
  const page = join(cwd, 'node_modules/signed-requests/docs/command-line.md')
  const text = readFileSync(page, 'utf8')
  const help = () => run(join(cwd, 'node_modules/.bin/signed-requests'), 'key', '--help')
  const before = help()
  writeFileSync(page, text.replaceAll('\n', '\r\n'))
  try {
    expect(help()).toEqual(before)
  } finally {
    writeFileSync(page, text)
  }
})
