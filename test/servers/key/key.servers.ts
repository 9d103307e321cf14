import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Finished } from '../../support/run-process.ts'
import { SITUATIONS } from './situations.ts'

describe('key, with BIND and unbound', () => {
  let results: Record<string, Finished>
  beforeAll(async () => {
    const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
    const program = [process.execPath, '--import', 'tsx', 'test/servers/key/in-namespace.ts']
    const { stdout } = await promisify(execFile)('unshare', [...asRoot, '--net', ...program])
    results = JSON.parse(stdout)
  }, 240_000)

  it.each(Object.entries(SITUATIONS))('says who must do what: %s', (name, { code, first, reason }) => {
    const { stdout, code: actual } = results[name]!
    expect(stdout.split('\n', 1)[0]).toContain(first)
    expect(stdout.split('\n\n')[0]!.replaceAll('\n', ' ')).toMatch(reason)
    if (code !== undefined) expect(actual).toBe(code)
    else expect([0, 1]).toContain(actual)
  })
})
