import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Finished } from '../../support/run-process.ts'
import type { HostileResult } from './hostile.ts'
import { SECRET, SITUATIONS } from './situations.ts'

/** Returns the output of a program in a network namespace of its own. */
async function inNamespace<T>(file: string): Promise<T> {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const program = [process.execPath, '--import', 'tsx', `test/servers/key/${file}`]
  const { stdout } = await promisify(execFile)('unshare', [...asRoot, '--net', ...program], { maxBuffer: 2 ** 24 })
  return JSON.parse(stdout)
}

describe('key, with BIND and unbound', () => {
  let results: Record<string, Finished>
  beforeAll(async () => {
    results = await inNamespace('in-namespace.ts')
  }, 240_000)

  test.each(Object.entries(SITUATIONS))('says who must do what: %s', (name, { code, first, reason, isLast }) => {
    const { stdout, code: actual } = results[name]!
    const conclusion = stdout
      .split('\n\n\n')
      .at(isLast ? -1 : 0)!
      .split('\n\n')[0]!
      .replaceAll('\n', ' ')
    expect(conclusion.slice(0, first.length)).toBe(first)
    expect(conclusion).toMatch(reason)
    if (code !== undefined) expect(actual).toBe(code)
    else expect([0, 1]).toContain(actual)
    expect(stdout.replaceAll(/\s/g, '')).not.toContain(SECRET.slice(400, 440)) // of its private exponent
  })
})

describe('key, with hostile zones', () => {
  let results: Record<string, HostileResult>
  let all: [string, HostileResult][]
  beforeAll(async () => {
    results = await inNamespace('hostile.ts')
    all = Object.entries(results)
  }, 240_000)

  test('sends at most 60 messages', () => {
    expect(Math.max(...all.map(([, { sent }]) => sent))).toBe(60)
  })

  test('sends nothing to a private address, but with --private', () => {
    const visited = all.filter(([, { toPrivate }]) => toPrivate > 0).map(([name]) => name)
    expect(visited).toEqual(['private.example --private'])
  })

  test('follows no more than 8 aliases, to names of the chain and of its zones', () => {
    for (const [run, { names }] of all) {
      const [zone] = run.split(' ')
      expect(Math.max(...names.map(name => name.split('a.').length - 1))).toBeLessThanOrEqual(8)
      expect(names.filter(name => !/^(?:[\w.-]+\.)?[\w-]+\.example$|^example$/.test(name))).toEqual([])
      expect(names.filter(name => name !== 'example' && !name.endsWith(zone!))).toEqual([])
    }
  })

  test('prints only printable ASCII, also as JSON', () => {
    for (const [, { stdout }] of all) expect(stdout).toMatch(/^[ -~\n]+$/)
    expect(results['escapes.example --json']!.stdout).toContain('\\u001b')
  })

  test('takes nothing from an answer of 1,000 name servers', () => {
    expect(results['large.example --json']).toMatchObject({ code: 1, sent: expect.toSatisfy(count => count < 15) })
  })
})
