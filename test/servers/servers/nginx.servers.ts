import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createVerifier,
  type FromNodeOptions,
  fromNodeRequest,
  httpStatus,
  type ReceivedRequest,
  type Verdict
} from '../../../src/index.ts'
import { KINDS } from '../../meta/examples/kinds.ts'
import { sendOverHttp, withHeader } from '../../meta/examples/senders.ts'
import { makeCertificate, send } from '../../support/https.ts'
import { listen } from '../../support/listen.ts'
import { findNginx, startNginx } from '../../support/nginx.ts'
import { service } from '../../support/service.ts'
import { failuresOf } from '../../support/verdicts.ts'

const HOST = 'receiver.example'
const verify = createVerifier({ ...service.options, hosts: HOST })
let options: FromNodeOptions
let verdict: Verdict | undefined
const receiver = createServer(async (req, res) => {
  verdict = await verify(fromNodeRequest(req, options))
  res.writeHead(httpStatus(verdict)).end()
})

/**
 * Each server of nginx treats and reports Host in its own way; by default nginx replaces it by the receiver's address.
 */
const KEPT = 'proxy_set_header Host $http_host;'
const BOTH = 'proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $http_host;'
const SERVERS = {
  silent: { tls: true, location: KEPT },
  hostKept: { tls: true, location: `${KEPT} proxy_set_header X-Forwarded-Proto $scheme;` },
  hostChanged: { tls: true, location: BOTH },
  withoutTls: { tls: false, location: BOTH }
}
type Server = keyof typeof SERVERS

const certificate = await makeCertificate(HOST)
let proxy: Awaited<ReturnType<typeof startNginx<Server>>>
beforeAll(async () => {
  const pass = `proxy_pass http://127.0.0.1:${await listen(receiver)};`
  const servers = Object.entries(SERVERS).map(([name, { tls, location }]) => [name, { tls, location: pass + location }])
  proxy = await startNginx(findNginx()!, certificate, Object.fromEntries(servers) as typeof SERVERS)
})
afterAll(() => {
  proxy?.stop()
  receiver.close()
})

/** Sends through one of nginx's servers. Resolves to the checks that failed at the receiver. */
async function through(server: Server, request: ReceivedRequest, trusted: FromNodeOptions): Promise<string[]> {
  options = trusted
  verdict = undefined
  const to = { host: HOST, port: proxy.ports[server], cert: certificate.cert }
  const status = SERVERS[server].tls ? await send(request, to) : await sendOverHttp(request, to.port)
  expect(verdict).toBeDefined()
  expect(status).toBe(httpStatus(verdict!))
  return failuresOf(verdict!)
}

const PROTO = { https: 'x-forwarded-proto' } as const
const HOST_HEADER = { host: 'x-forwarded-host' } as const
const ALL = { ...PROTO, ...HOST_HEADER }

test.each(KINDS)('$name is verified with the right options', async ({ request }) => {
  const signed = service.sign({ ...request, host: HOST })
  expect(await through('hostKept', signed, PROTO)).toEqual([])
  expect(await through('hostChanged', signed, ALL)).toEqual([])
})

const plain = service.sign({ target: '/hook?id=1', body: '{"amount":100}', host: HOST })
const forOther = service.sign({ target: '/hook?id=1', body: '{"amount":100}', host: 'other.example' })
/** Adds X-Forwarded-* headers of a client. */
const claiming = (request: ReceivedRequest, ...protos: string[]) =>
  protos.reduce((all, proto) => withHeader(all, 'X-Forwarded-Proto', proto), request)
const lie = (request: ReceivedRequest) => withHeader(claiming(request, 'https'), 'X-Forwarded-Host', HOST)
const NOT_HTTPS = 'https: not-https'
const WRONG_HOST = 'host: host-mismatch'

test.each<[name: string, Server, ReceivedRequest, FromNodeOptions, failures: string[]]>([
  ['a fixed scheme', 'silent', plain, { https: true }, []],
  ['a fixed scheme and host', 'hostChanged', plain, { https: true, host: HOST }, []],
  ['no options', 'hostKept', plain, {}, [NOT_HTTPS]],
  ['no options, Host changed', 'hostChanged', plain, {}, [NOT_HTTPS, WRONG_HOST]],
  ['no option for the host', 'hostChanged', plain, PROTO, [WRONG_HOST]],
  ['no option for the scheme', 'hostChanged', plain, HOST_HEADER, [NOT_HTTPS]],
  ['no TLS to nginx', 'withoutTls', plain, ALL, [NOT_HTTPS]],
  ['a claim, nginx silent, no options', 'silent', lie(plain), {}, [NOT_HTTPS]],
  ['a claim, no options', 'hostKept', lie(plain), {}, [NOT_HTTPS]],
  ['a claim of the host, no option for it', 'hostKept', lie(forOther), { https: true }, [WRONG_HOST]],
  ['a claim, no options, Host changed', 'hostChanged', lie(plain), {}, [NOT_HTTPS, WRONG_HOST]],
  ['a claim that nginx replaces, no TLS', 'withoutTls', lie(plain), ALL, [NOT_HTTPS]],
  ['a claim of the host that nginx replaces', 'hostChanged', lie(forOther), ALL, [WRONG_HOST]],
  ['a list that nginx lets through', 'silent', claiming(plain, 'https, http'), PROTO, [NOT_HTTPS]],
  ['a repeat that nginx lets through', 'silent', claiming(plain, 'https', 'http'), PROTO, [NOT_HTTPS]]
])('%s', async (_, server, request, trusted, failures) => {
  expect(await through(server, request, trusted)).toEqual(failures)
})
