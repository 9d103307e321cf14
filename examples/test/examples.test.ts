import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  app,
  type HttpHandler,
  HttpRequest,
  HttpResponse,
  type HttpResponseInit,
  type InvocationContext
} from '@azure/functions'
import { getTestServer } from '@google-cloud/functions-framework/testing'
import { Logger } from '@nestjs/common'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ReceivedRequest } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import '../../test/meta/examples/resolver.ts'
import {
  createGateway,
  functionUrlEvent,
  httpApiEvent,
  restApiEvent
} from '../../test/meta/examples/gateway.ts'
import { KINDS, type Kind } from '../../test/meta/examples/kinds.ts'
import {
  type RunningRecipe,
  type Setting,
  testRecipe as testSilentRecipe
} from '../../test/meta/examples/recipe.ts'
import { behindProxy, sendOverHttp, sendOverHttp2 } from '../../test/meta/examples/senders.ts'
import { type DnsServer, startDnsServer } from '../../test/support/dns-server.ts'
import { type Certificate, makeCertificate, send } from '../../test/support/https.ts'

const HOST = 'receiver.example'
const service = createTestService({ rsaBits: 1024 })

let dns: DnsServer
let certificate: Certificate
const folder = mkdtempSync(join(tmpdir(), 'examples-'))

beforeAll(async () => {
  dns = await startDnsServer(service.records)
  vi.stubEnv('DNS_SERVER', dns.address)
  certificate = await makeCertificate(HOST)
  vi.stubEnv('PORT', '0')
  for (const name of ['key', 'cert'] as const) {
    writeFileSync(join(folder, name), certificate[name])
    vi.stubEnv(`TLS_${name.toUpperCase()}`, join(folder, name))
  }
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
  Logger.overrideLogger(false)
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  vi.unstubAllEnvs()
  await dns.close()
})

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Serves plain HTTP behind a proxy. */
async function running(server: Server): Promise<RunningRecipe> {
  return { ...behindProxy(await portOf(server)), close: () => server.close() }
}

/** Runs a recipe that logs a line for each refusal. */
function testRecipe(name: string, from: typeof service, start: () => Promise<RunningRecipe>, to?: Setting) {
  const startLogged = async (): Promise<RunningRecipe> => {
    const recipe = await start()
    const send: RunningRecipe['send'] = async request => {
      vi.mocked(console.warn).mockClear()
      const status = await recipe.send(request)
      if (status === 401) expect(console.warn).toHaveBeenCalledOnce()
      return status
    }
    return { ...recipe, send }
  }
  testSilentRecipe(name, from, startLogged, to)
}

testRecipe(
  'the server of the README',
  service,
  async () => {
    const listen = vi.spyOn(HttpServer.prototype, 'listen')
    // @ts-expect-error the example is plain JavaScript
    await import('../ten-lines.mjs')
    const server = listen.mock.contexts[0] as Server
    listen.mockRestore()
    return running(server)
  },
  { answer: 200 }
)

testRecipe('node:http', service, async () => {
  const { server } = await import('../node-http.ts')
  return running(server)
})

testRecipe(
  'node:http2',
  service,
  async () => {
    const { server } = await import('../node-http2.ts')
    const port = await portOf(server)
    return { send: request => sendOverHttp2(request, port, certificate.cert), close: () => server.close() }
  },
  { behind: 'nothing' }
)

testRecipe(
  'node:http2, to a sender of HTTP/1.1',
  service,
  async () => {
    vi.resetModules()
    const { server } = await import('../node-http2.ts')
    const to = { host: HOST, port: await portOf(server), cert: certificate.cert }
    return { send: request => send(request, to), close: () => server.close() }
  },
  { behind: 'nothing' }
)

/** Both versions run the same files. */
for (const version of ['Express 5', 'Express 4']) {
  const startExpress = async (example: string) => {
    vi.resetModules()
    // @ts-expect-error it has the types of Express 5 nearly, but not under this name
    if (version === 'Express 4') vi.doMock('express', () => import('express4'))
    const { server } = await import(`../${example}.ts`)
    vi.doUnmock('express')
    return running(server)
  }
  testRecipe(`${version} behind express.json()`, service, () => startExpress('express-json'))
  testRecipe(`${version}, before any parser`, service, () => startExpress('express-router'))
}

testRecipe('Fastify', service, async () => {
  const { app } = await import('../fastify.ts')
  return { ...behindProxy(await portOf(app.server)), close: () => app.close() }
})

testRecipe('Koa', service, async () => {
  const { server } = await import('../koa.ts')
  return running(server)
})

testRecipe(
  'Hono',
  service,
  async () => {
    const { server } = await import('../hono.ts')
    return running(server as Server)
  },
  { answer: 200 }
)

testRecipe(
  'Hono, as middleware with a typed variable',
  service,
  async () => {
    const { server } = await import('../hono-middleware.ts')
    return running(server as Server)
  },
  { answer: 200 }
)

testRecipe(
  'Nest, with a controller',
  service,
  async () => {
    const { server } = await import('../nest.ts')
    return running(await server)
  },
  { answer: 200, kinds: [...KINDS, { name: 'the bare path', request: { target: '/hook', body: '{}' } }] }
)

/** Acts as a platform that gives a function a web Request with the URL that the sender called. */
async function platform(scheme: 'http' | 'https', handle: (request: Request) => Promise<Response>) {
  const server = createServer(async (req, res) => {
    const { method = '', url } = req
    const headers = req.headers as Record<string, string>
    const body = { body: Readable.toWeb(req) as ReadableStream, duplex: 'half' as const }
    const init = { method, headers, ...(method === 'POST' && body) }
    const { status } = await handle(new Request(`${scheme}://${headers['host']}${url}`, init))
    res.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  const port = await portOf(server)
  return { send: (request: ReceivedRequest) => sendOverHttp(request, port), close: () => server.close() }
}

testRecipe(
  'Next.js route handler',
  service,
  async () => {
    const { GET, POST } = await import('../next-route.ts')
    return platform('http', request => (request.method === 'POST' ? POST : GET)(request))
  },
  { behind: 'nothing' }
)

testRecipe(
  'a Vercel function',
  service,
  async () => {
    const { default: fn } = await import('../vercel.ts')
    return platform('https', request => fn.fetch(request))
  },
  { behind: 'nothing', answer: 200 }
)

testRecipe('a Google Cloud function, on the functions framework', service, async () => {
  await import('../google-cloud.ts')
  return running(getTestServer('hook').listen(0, '127.0.0.1'))
})

testRecipe(
  'an Azure function, with the HttpRequest of its library',
  service,
  async () => {
    const register = vi.spyOn(app, 'http').mockReturnValue()
    await import('../azure-functions.ts')
    const { handler } = register.mock.calls[0]![1] as { handler: HttpHandler }
    register.mockRestore()
    // Passes a request and takes the answer as the framework's host does.
    const server = createServer(async (req, res) => {
      const headers = req.headers as Record<string, string>
      const url = `https://${headers['host']}${req.url}`
      const request = new HttpRequest({
        method: req.method ?? '',
        url,
        headers,
        body: { bytes: await buffer(req) }
      })
      const answer = await handler(request, {} as InvocationContext)
      res.writeHead(new HttpResponse(answer as HttpResponseInit).status).end()
    })
    server.listen(0, '127.0.0.1')
    const port = await portOf(server)
    return { send: request => sendOverHttp(request, port), close: () => server.close() }
  },
  { behind: 'nothing' }
)

/** Everything but the target, and a target that reaches a function there as it was sent. */
const withTarget = (target: string): Kind[] => [
  ...KINDS.filter(({ name }) => !name.startsWith('a target')),
  { name: `the target ${target}`, request: { target, body: '{}' } }
]
const REST_KINDS = withTarget('/prod/hook/a%2Fb//caf%C3%A9?name=%C3%A9%20b&name=c&empty=&%5B%5D=%2F')
const HTTP_API_KINDS = withTarget('/hook//caf%C3%A9/%20?next=/x?y&name=%C3%A9%20b+c&empty=&%5B%5D=%2F')
const isUtf8 = ({ name }: Kind) => !name.endsWith('UTF-8')

const gateways = [
  { name: 'a REST API', toEvent: restApiEvent(false), kinds: REST_KINDS.filter(isUtf8) },
  { name: 'a REST API with binaryMediaTypes', toEvent: restApiEvent(true), kinds: REST_KINDS },
  { name: 'an HTTP API', toEvent: httpApiEvent, kinds: HTTP_API_KINDS.filter(isUtf8) },
  { name: 'a function URL', toEvent: functionUrlEvent, kinds: KINDS.filter(isUtf8) }
]

for (const { name, toEvent, kinds } of gateways) {
  testRecipe(
    `AWS Lambda behind ${name}`,
    service,
    async () => {
      const { handler } = await import('../lambda.ts')
      const server = createGateway(toEvent, handler)
      server.listen(0, '127.0.0.1')
      const port = await portOf(server)
      return { send: request => sendOverHttp(request, port), close: () => server.close() }
    },
    { kinds, behind: 'gateway' }
  )
}

test('the example for Nest compiles as its starter compiles: CommonJS, with metadata for its decorators', () => {
  const { paths } = ts.readConfigFile('tsconfig.json', ts.sys.readFile).config.compilerOptions
  const options: ts.CompilerOptions = {
    ...{ module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, lib: ['lib.es2023.d.ts'] },
    ...{
      moduleResolution: ts.ModuleResolutionKind.Node10,
      esModuleInterop: true,
      types: ['node'],
      strict: true
    },
    ...{
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      allowImportingTsExtensions: true,
      noEmit: true
    },
    ...{ skipLibCheck: true, paths }
  }
  const program = ts.createProgram(['examples/nest.ts'], options)
  const wrong = program.getSemanticDiagnostics(program.getSourceFile('examples/nest.ts'))
  expect(wrong.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([])
})
