import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVerifier, nodeHandler } from '../../../src/index.ts'
import { makeCertificate } from '../../support/https.ts'
import { listen } from '../../support/listen.ts'
import { findNginx, startNginx } from '../../support/nginx.ts'
import { PROXIES } from '../../support/proxies.ts'
import { service } from '../../support/service.ts'

const receive = nodeHandler(createVerifier(service.options), () => {}, { https: 'x-forwarded-proto' })
const receiver = createServer(receive)
const folder = mkdtempSync(join(tmpdir(), 'probe-'))
const certificate = await makeCertificate('localhost')
const receiverPort = await listen(receiver)
afterAll(() => {
  receiver.close()
  rmSync(folder, { recursive: true })
})

/** Runs in a process of its own, which trusts the certificate as a sender trusts a public one. */
function probe(url: string, trusted = certificate): Promise<{ code: number; text: string }> {
  const file = join(folder, 'ca.pem')
  writeFileSync(file, trusted.cert)
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: file }
  return new Promise(resolve => {
    execFile(process.execPath, ['--import', 'tsx', 'cli/main.ts', 'probe', url], { env }, (error, stdout) => {
      resolve({ code: Number(error?.code ?? 0), text: stdout.replace(/\n {24}/g, ' ') })
    })
  })
}

describe.each(Object.keys(PROXIES))('behind %s', name => {
  test('the receiver refuses all three, over TLS', async () => {
    const proxy = await PROXIES[name]!(certificate, receiverPort)
    try {
      const { code, text } = await probe(`https://localhost:${proxy.port}/hook`)
      expect(text).toMatch(/^ok {4}TLS {15}TLSv1\.[23], a certificate for localhost until /m)
      expect(text.match(/refused by signed-requests/g)).toHaveLength(3)
      expect(code).toBe(0)
    } finally {
      await proxy.stop()
    }
  })
})

describe('nginx answers instead', () => {
  const pass = `proxy_pass http://127.0.0.1:${receiverPort};`
  const SITES = {
    toHttps: 'return 301 https://$host$request_uri;',
    toWww: 'return 308 https://www.localhost$request_uri;',
    limit: `client_max_body_size 512k; ${pass} proxy_set_header X-Forwarded-Proto https;`,
    login: "default_type text/html; return 200 '<title>Sign in</title>';",
    csrf: `limit_except GET { deny all; } ${pass}`,
    maintenance: 'add_header Retry-After 60 always; return 503;',
    down: 'proxy_pass http://127.0.0.1:9;'
  }
  let proxy: Awaited<ReturnType<typeof startNginx>>
  beforeAll(async () => {
    const sites = Object.entries(SITES).map(([name, location]) => [name, { tls: false, location }])
    proxy = await startNginx(findNginx()!, certificate, Object.fromEntries(sites))
  })
  afterAll(() => proxy?.stop())

  test.each<[site: keyof typeof SITES, says: RegExp]>([
    ['toHttps', /FAIL +redirects +301: .*turns POST into GET.* location: https:\/\/127\.0\.0\.1\/hook/],
    ['toWww', /FAIL +redirects +308: a redirect.* location: https:\/\/www\.localhost\/hook/],
    ['limit', /ok +GET +401.*\nok +POST +401.*\nFAIL +POST of 1 MB +413: a body limit.*server: nginx/],
    ['login', /FAIL +GET +200: accepted without a signature, or a page.*page "Sign in"/],
    ['csrf', /ok +GET +401.*\nFAIL +POST +403: .*CSRF filter.*server: nginx/],
    ['maintenance', /FAIL +GET +503: a maintenance page.*server: nginx/],
    ['down', /FAIL +GET +502: a proxy does not reach the application.*server: nginx/]
  ])('%s', async (site, says) => {
    const { code, text } = await probe(`http://127.0.0.1:${proxy.ports[site]}/hook`)
    expect(text).toMatch(says)
    expect(code).toBe(1)
  })
})

describe('a certificate that does not hold', () => {
  const past = { from: new Date('2020-01-01'), until: new Date('2021-01-01') }
  test.each([
    ['expired', 'localhost', past, /FAIL +TLS .*has expired \(CERT_HAS_EXPIRED\)/],
    [
      'wrong name',
      'other.example',
      {},
      /FAIL +TLS .*does not match certificate's altnames.* \(ERR_TLS_CERT_ALTNAME_INVALID\)/
    ]
  ])('%s', async (_, host, validity, says) => {
    const certificate = await makeCertificate(host, validity)
    const server = createHttpsServer(certificate, receive)
    const port = await listen(server)
    const { code, text } = await probe(`https://localhost:${port}/hook`, { key: '', cert: certificate.cert })
    server.close()
    expect(text).toMatch(says)
    expect(code).toBe(2)
  })
})
