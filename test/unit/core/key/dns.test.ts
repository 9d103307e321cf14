import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dnsTxtLookup } from '../../../../src/core/key/dns.ts'

const asked = vi.hoisted(() => ({ names: [] as string[], resolvers: 0, answer: [] as string[][] }))

vi.mock('node:dns/promises', () => ({
  Resolver: class {
    constructor() {
      asked.resolvers += 1
    }
    async resolveTxt(name: string) {
      asked.names.push(name)
      return asked.answer
    }
    setServers() {}
  }
}))

const NAME = 'key1._domainkey.service.example'
const ask = (lookup = dnsTxtLookup(), name = NAME) => lookup(name, { signal: new AbortController().signal })

beforeEach(() => {
  Object.assign(asked, { names: [], resolvers: 0, answer: [['v=DKIM1; '], ['p=']] })
})
afterEach(() => vi.unstubAllGlobals())

test('asks for absolute names, to which no search list applies', async () => {
  for (const name of [NAME, `${NAME}.`]) await ask(dnsTxtLookup(), name)
  vi.stubGlobal('Bun', {})
  await ask()
  expect(asked.names).toEqual([`${NAME}.`, `${NAME}.`, `${NAME}.`])
})

test('asks for the name as it is on Workers, which put it into a URL and have no search list', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  await ask()
  expect(asked.names).toEqual([NAME])
})

test('leaves records as they are, and keeps its resolver', async () => {
  const lookup = dnsTxtLookup()
  for (let i = 0; i < 3; i++) expect(await ask(lookup)).toEqual([['v=DKIM1; '], ['p=']])
  expect(asked.resolvers).toBe(1)
})

test('the strings of a record are joined on Bun, with a fresh resolver for each lookup', async () => {
  vi.stubGlobal('Bun', {})
  const lookup = dnsTxtLookup({ servers: ['127.0.0.1'] })
  for (let i = 0; i < 2; i++) expect(await ask(lookup)).toEqual([['v=DKIM1; ', 'p=']])
  expect(asked.resolvers).toBe(2)
})

test('a lookup on Bun is rejected where the strings could be several records', async () => {
  vi.stubGlobal('Bun', {})
  asked.answer = [['v=DKIM1; p='], ['v=DKIM1; p=']]
  await expect(ask()).rejects.toMatchObject({ code: 'EAMBIGUOUS' })
})

test.each([0, 'x', -1, 1.5, 2 ** 31])('dnsTxtLookup on Bun rejects %j as timeout or tries, at once', bad => {
  vi.stubGlobal('Bun', {})
  for (const name of ['timeout', 'tries']) expect(() => dnsTxtLookup({ [name]: bad })).toThrow(TypeError)
})

test('an aborted query goes on until it is answered where a resolver cannot cancel', async () => {
  const controller = new AbortController()
  const answer = dnsTxtLookup()(NAME, controller)
  controller.abort()
  expect(await answer).toEqual([['v=DKIM1; '], ['p=']])
})
