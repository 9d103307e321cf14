import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestService } from '../../../src/testing/index.ts'
import { OPTIONS, signed } from '../../support/rfc9421.ts'

const service = createTestService()
const SCHEME = '../../src/rfc9421/scheme.ts'
const unhandled = vi.fn()

beforeEach(() => {
  vi.resetModules()
  process.on('unhandledRejection', unhandled)
})
afterEach(() => {
  vi.doUnmock(SCHEME)
  process.off('unhandledRejection', unhandled)
  unhandled.mockReset()
})

/** What a module loads by itself, and what that loads; packages by their name. Types are not loaded. */
function staticImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const source = readFileSync(file, 'utf8')
  for (const [, names, from] of source.matchAll(/^(?:import|export) ([^;]*?)from '([^']+)'/gms)) {
    if (/^type /.test(names!)) continue
    if (from!.startsWith('.')) staticImports(resolve(dirname(file), from!), seen)
    else seen.add(from!)
  }
  return seen
}

it('the main entry loads neither the standard nor its parser', () => {
  const loaded = [...staticImports(resolve('src/index.ts'))]
  expect(loaded).toContain(resolve('src/draft-cavage/scheme.ts'))
  expect(loaded).toContain('node:crypto')
  expect(loaded.filter(file => /src.rfc9421|structured-headers/.test(file))).toEqual([])
  // the way of finding out does find it
  expect(staticImports(resolve('src/rfc9421/index.ts'))).toContain('structured-headers')
})

it('it is loaded when it is allowed, and not before', async () => {
  const loads = vi.fn()
  vi.doMock(SCHEME, async original => {
    loads()
    return original()
  })
  const { createVerifier } = await import('../../../src/index.ts')
  const verify = createVerifier(service.options)
  expect((await verify(service.sign())).status).toBe('verified')
  expect((await verify(signed())).status).toBe('rejected')
  expect(loads).not.toHaveBeenCalled()

  // ahead of the first request
  const verifyStandard = createVerifier(OPTIONS)
  await vi.waitFor(() => expect(loads).toHaveBeenCalledTimes(1))
  expect((await verifyStandard(signed())).status).toBe('verified')
  expect((await createVerifier(OPTIONS)(signed())).status).toBe('verified')
  expect(loads).toHaveBeenCalledTimes(1)
})

it('rejects requests that need it when it cannot be loaded, and the next one tries again', async () => {
  let broken = true
  vi.doMock(SCHEME, async original => {
    if (broken) throw new Error('the file is gone')
    return original()
  })
  const { createVerifier } = await import('../../../src/index.ts')
  const both = createVerifier({ ...service.options, schemes: ['draft-cavage', 'rfc9421'] })
  await new Promise(done => setImmediate(done))
  expect(unhandled).not.toHaveBeenCalled()

  await expect(both(service.sign({ scheme: 'rfc9421' }))).rejects.toThrow()
  expect((await both(service.sign())).status).toBe('verified')
  expect(unhandled).not.toHaveBeenCalled()

  broken = false
  vi.resetModules()
  expect((await both(service.sign({ scheme: 'rfc9421' }))).status).toBe('verified')
})
