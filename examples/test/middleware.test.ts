import { createServer, type Server } from 'node:http'
import { AppFactory } from '@adonisjs/core/factories/app'
import { ServerFactory } from '@adonisjs/core/factories/http'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ReceivedRequest, VerifierOptions } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import '../../test/meta/examples/resolver.ts'
import { KINDS } from '../../test/meta/examples/kinds.ts'
import { type RunningRecipe, type Setting, testRecipe } from '../../test/meta/examples/recipe.ts'
import { behindProxy } from '../../test/meta/examples/senders.ts'
import { type DnsServer, startDnsServer } from '../../test/support/dns-server.ts'
import { listen } from '../../test/support/listen.ts'

const service = createTestService({ rsaBits: 1024 })

// Runs the same examples with a store: a request is let in once, and once more after a release.
vi.mock('signed-requests', async original => {
  const library = await original<typeof import('../../src/index.ts')>()
  const { memoryReplayStore } = await import('../../src/replay/index.ts')
  const store = memoryReplayStore()
  return {
    ...library,
    createVerifier: (options: VerifierOptions) => library.createVerifier({ ...options, replayStore: store })
  }
})

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer(service.records)
  vi.stubEnv('DNS_SERVER', dns.address)
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
})
beforeEach(() => void vi.spyOn(console, 'log').mockReturnValue())
afterAll(async () => {
  vi.unstubAllEnvs()
  await dns.close()
})

const running = async (server: Server): Promise<RunningRecipe> => ({
  ...behindProxy(await listen(server)),
  close: () => server.close()
})

async function startElysia() {
  const { app } = await import('../elysia.ts')
  return running(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server)
}

async function startTrpc() {
  const { receive } = await import('../trpc.ts')
  return running(serve({ fetch: request => receive(request), port: 0, hostname: '127.0.0.1' }) as Server)
}

async function startAdonis() {
  const app = new AppFactory().create(new URL('./', import.meta.url))
  await app.init()
  const server = new ServerFactory().merge({ app }).create()
  const router = server.getRouter()
  router.use([() => import('../adonis-middleware.ts')])
  router.any('/hook/*', ({ verified, response }) => {
    console.log('account %s', verified.accountId)
    return response.json({ account: verified.accountId })
  })
  await server.boot()
  return running(createServer(server.handle.bind(server)))
}

const MIDDLEWARE: Readonly<Record<string, [() => Promise<RunningRecipe>, Setting]>> = {
  Elysia: [startElysia, { answer: 200 }],
  AdonisJS: [startAdonis, { answer: 200 }],
  tRPC: [startTrpc, { answer: 200, kinds: KINDS.filter(({ name }) => /JSON|5 MB/.test(name)) }]
}

for (const [name, [start, setting]] of Object.entries(MIDDLEWARE)) testRecipe(name, service, start, setting)

describe.each(Object.entries(MIDDLEWARE))('%s', (_, [start]) => {
  const signed = (): ReceivedRequest => service.sign({ method: 'POST', target: '/hook/orders', body: '{}' })

  test('lets the same bytes in again after an error of the application, and not after an answer', async () => {
    const recipe = await start()
    const request = signed()
    vi.mocked(console.log).mockImplementationOnce(() => {
      throw new Error('of the application')
    })
    expect(await recipe.send(request)).toBe(500)
    await expect.poll(() => recipe.send(request)).toBe(200)
    expect(await recipe.send(request)).toBe(401)
    await recipe.close()
  })
})
