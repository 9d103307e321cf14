import { Resolver } from 'node:dns/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createVerifier, dnsTxtLookup, explain } from '../../../src/index.ts'
import { createTestService, serveDns } from '../../../src/testing/index.ts'

const NAME = 'one._domainkey.service.example'
const SHAPE = 'pass a list of records, each a list of strings, such as [["v=DKIM1; k=rsa; p=..."]]'

/** Lists hasty mistakes in records, and the message about each. */
const WRONG: readonly (readonly [records: unknown, says: string])[] = [
  ['v=DKIM1; p=AAAA', 'is a string'],
  [['v=DKIM1; p=AAAA'], 'has a string for a record'],
  [[['v=DKIM1; p=AAAA'], 'v=DKIM1'], 'has a string for a record'],
  [[[Buffer.from('v=DKIM1')]], 'has an object in a record'],
  [[[1]], 'has the number 1 in a record'],
  [[[undefined]], 'has undefined in a record'],
  [[null], 'has null for a record'],
  [{ error: 'ENOTFOUND' }, 'is an object'],
  [null, 'is null'],
  [undefined, 'is undefined'],
  [1, 'is the number 1']
]

async function lookup(address: string, name: string) {
  return dnsTxtLookup({ servers: [address], timeout: 500, tries: 1 })(name, { signal: new AbortController().signal })
}

describe.each(WRONG)('records of a wrong shape: %o', (records, says) => {
  const message = `records["${NAME}"] ${says}: ${SHAPE}`

  test('records of a wrong shape are named in the explanation of a verdict whose in-memory DNS has them', async () => {
    const service = createTestService()
    const [key = ''] = Object.keys(service.records)
    service.records[key] = records as never
    const verdict = await createVerifier(service.options)(service.sign())
    expect(verdict).toMatchObject({ status: 'unavailable', failures: [{ code: 'key-lookup-failed' }] })
    const { cause } = verdict.failures[0] as { cause?: unknown }
    expect(cause).toMatchObject({ name: 'TypeError', message: expect.stringContaining(`"] ${says}: pass a list`) })
    expect(explain(verdict)).toContain('thrown: TypeError: records[')
  })

  test('records of a wrong shape are a TypeError where serveDns gets them', async () => {
    const serving = serveDns({ records: { [NAME]: records } as never })
    await expect(serving).rejects.toThrow(TypeError)
    await expect(serving).rejects.toThrow(message)
  })

  test('records that get a wrong shape while they are served are SERVFAIL, said once, and end nothing', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => said.mockRestore())
    const served: Record<string, unknown> = { 'good.example': [['good']] }
    const { address, close } = await serveDns({ records: served as never })
    onTestFinished(close)
    served[NAME] = records
    for (const _ of ['first', 'second'])
      await expect(lookup(address, NAME)).rejects.toMatchObject({ code: 'ESERVFAIL' })
    expect(await lookup(address, 'good.example')).toEqual([['good']])
    expect(said.mock.calls).toEqual([[expect.objectContaining({ name: 'TypeError', message })]])
  })
})

describe('records', () => {
  test.each([[[]], [new Map()], ['records'], [null]])('%o are not records that serveDns takes', async records => {
    await expect(serveDns({ records } as never)).rejects.toThrow('it takes the service')
  })

  test('records that throw when they are read end neither a server over UDP nor one over TCP', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => said.mockRestore())
    const records = { 'big.example': [['x'.repeat(2000)]] }
    const { address, close } = await serveDns({ records })
    onTestFinished(close)
    let isBroken = false
    Object.defineProperty(records, 'big.example', {
      get: () => {
        if (isBroken) throw new Error('not now')
        isBroken = true
        return [['x'.repeat(2000)]]
      }
    })
    const resolver = new Resolver({ timeout: 500, tries: 1 })
    resolver.setServers([address])
    // The first answer over UDP is truncated, so the second question comes over TCP.
    await expect(resolver.resolveTxt('big.example')).rejects.toMatchObject({ code: 'ESERVFAIL' })
    expect(said.mock.calls).toEqual([[expect.objectContaining({ message: 'not now' })]])
  })
})
