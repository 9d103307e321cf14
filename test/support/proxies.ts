import { blocksOf } from '../meta/docs/pages.ts'
import type { Certificate } from './https.ts'
import { findNginx, freePorts, startNginx } from './nginx.ts'
import { startProgram } from './run-program.ts'

/** A proxy on loopback that ends TLS and forwards to a receiver over plain HTTP. */
export interface RunningProxy {
  port: number
  /** for a proxy that strips `/hooks` from the path */
  strippingPort: number
  stop(): unknown
}

export type StartProxy = (certificate: Certificate, receiverPort: number) => Promise<RunningProxy>

/** Returns the configurations of docs/behind-a-proxy.md in a language, for a receiver on this port. */
const fromPage = (language: string, receiver: number): string[] =>
  blocksOf('docs/behind-a-proxy.md')
    .filter(block => block.language === language)
    .map(({ code }) => code.replace(/ +#.*$/gm, '').replaceAll('127.0.0.1:3000', `127.0.0.1:${receiver}`))

const twoPorts = async () => (await freePorts(2)) as [port: number, strippingPort: number]

const startBoth = async (
  [program, ...args]: readonly [string, ...string[]],
  files: Readonly<Record<string, string>>,
  port: number,
  strippingPort: number
): Promise<RunningProxy> => ({ ...(await startProgram(program, args, files, port)), strippingPort })

/** nginx speaks HTTP/1.0 to receivers by default. */
const nginxWith =
  (directives: string): StartProxy =>
  async (certificate, receiver) => {
    const nginx = findNginx()
    if (nginx === undefined) throw new Error('there is no nginx: apt-get install nginx')
    const [plain = ''] = fromPage('nginx', receiver)
    const headers = `${directives} proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;`
    const { ports, stop } = await startNginx(nginx, certificate, {
      plain: { tls: true, location: `${plain.replace(/^location .*\{|\}$/gm, '')} ${directives}` },
      stripping: {
        tls: true,
        path: '/hooks/',
        location: `proxy_pass http://127.0.0.1:${receiver}/; ${headers} proxy_set_header X-Forwarded-Prefix /hooks;`
      }
    })
    return { port: ports.plain, strippingPort: ports.stripping, stop }
  }

/** Returns a complete HAProxy configuration with these frontends and backends. */
export const haproxyWith = (frontends: string): string => `
global
  expose-experimental-directives
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
${frontends}
`

/**
 * Returns a complete Apache configuration with these virtual hosts and, besides the modules that every server has,
 * these.
 */
export const apacheWith = (modules: readonly string[], hosts: string): string => `
ServerRoot .
ServerName receiver.example
PidFile apache.pid
DefaultRuntimeDir .
ErrorLog error.log
User nobody
Group nogroup
${['mpm_event', 'authz_core', 'proxy', 'proxy_http', ...modules]
  .map(name => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
${hosts}
`

/** Starts each proxy with the page's configuration, for every path. */
export const PROXIES: Readonly<Record<string, StartProxy>> = {
  nginx: nginxWith(''),
  'nginx with HTTP/1.1': nginxWith('proxy_http_version 1.1;'),

  async Caddy(certificate, receiver) {
    const [port, strippingPort] = await twoPorts()
    const site = (at: number, handle: string) =>
      `https://:${at} {\n  bind 127.0.0.1\n  tls cert.pem key.pem\n  ${handle}\n}\n`
    const global = '{\n  admin off\n  auto_https disable_redirects\n}\n'
    const [whole = '', stripping = ''] = fromPage('caddyfile', receiver)
    const plain = whole.replace(/^.*\{$|^\}$/gm, '').replace('/hook* ', '')
    const config = global + site(port, plain) + site(strippingPort, stripping)
    const files = { Caddyfile: config, 'key.pem': certificate.key, 'cert.pem': certificate.cert }
    return startBoth(['caddy', 'run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], files, port, strippingPort)
  },

  async HAProxy(certificate, receiver) {
    const [port, strippingPort] = await twoPorts()
    const [plain = ''] = fromPage('haproxy', receiver)
    const config = haproxyWith(`
${plain.replace(/bind .*/, `bind 127.0.0.1:${port} ssl crt both.pem`)}
frontend stripping
  bind 127.0.0.1:${strippingPort} ssl crt both.pem
  http-request set-header X-Forwarded-Proto https
  http-request set-header X-Forwarded-Prefix /hooks
  http-request replace-path /hooks(/.*) \\1
  default_backend receiver
`)
    const files = { 'haproxy.cfg': config, 'both.pem': `${certificate.cert}\n${certificate.key}` }
    return startBoth(['haproxy', '-f', 'haproxy.cfg', '-db'], files, port, strippingPort)
  },

  async Apache(certificate, receiver) {
    const [port, strippingPort] = await twoPorts()
    const [plain = ''] = fromPage('apache', receiver)
    const host = (at: number, path: string, more = '') => `
Listen 127.0.0.1:${at}
<VirtualHost 127.0.0.1:${at}>
  SSLEngine on
  SSLCertificateFile cert.pem
  SSLCertificateKeyFile key.pem
  ${plain.replace(/ProxyPass \S+ (\S+)\/hook /, `ProxyPass ${path} $1/ `)}
  ${more}
</VirtualHost>
`
    const stripping = host(strippingPort, '/hooks/', 'RequestHeader set X-Forwarded-Prefix "/hooks"')
    const config = apacheWith(['headers', 'ssl'], `${host(port, '/')}\n${stripping}`)
    const files = { 'apache.conf': config, 'key.pem': certificate.key, 'cert.pem': certificate.cert }
    return startBoth(['apache2', '-d', '.', '-f', 'apache.conf', '-DFOREGROUND'], files, port, strippingPort)
  }
}
