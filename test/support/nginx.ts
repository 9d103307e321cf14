import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.ts'
import type { Certificate } from './https.ts'
import { startProgram } from './run-program.ts'

/** Finds the nginx of this machine, if any. Debian keeps it out of a user's PATH. */
export function findNginx(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map(folder => join(folder, 'nginx')).find(existsSync)
}

/** The directives of a location, and whether its server ends TLS. */
export interface NginxServer {
  tls: boolean
  location: string
  /** of the location: `/` when left out */
  path?: string
}

/** Starts nginx with one server on a free port of 127.0.0.1 for each entry. It is listening when this resolves. */
export async function startNginx<Name extends string>(
  nginx: string,
  certificate: Certificate,
  servers: Readonly<Record<Name, NginxServer>>
): Promise<{ ports: Readonly<Record<Name, number>>; stop(): Promise<void> }> {
  const all = Object.entries<NginxServer>(servers)
  const free = await freePorts(all.length)
  const blocks = all.map(([, { tls, location, path = '/' }], i) => {
    return `server { listen 127.0.0.1:${free[i]}${tls ? ' ssl' : ''}; location ${path} { ${location} } }`
  })
  const config = `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 1;
    pid nginx.pid;
    error_log error.log;
    events {}
    http {
      access_log off;
      client_max_body_size 20m;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi; scgi_temp_path scgi;
      ssl_certificate cert.pem; ssl_certificate_key key.pem;
      ${blocks.join('\n')}
    }`
  const files = { 'nginx.conf': config, 'key.pem': certificate.key, 'cert.pem': certificate.cert }
  const { stop } = await startProgram(nginx, ['-p', '.', '-c', 'nginx.conf', '-e', 'error.log'], files, free[0]!)
  return { ports: Object.fromEntries(all.map(([name], i) => [name, free[i]])) as Record<Name, number>, stop }
}

/** Returns ports that nobody listens on: all are held at once, so that they differ, and released together. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}
