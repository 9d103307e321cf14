import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.ts'
import type { Certificate } from './https.ts'

/** Where the nginx of this machine is, if there is one. Debian keeps it out of a user's PATH. */
export function findNginx(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map(folder => join(folder, 'nginx')).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A location's directives, and whether its server ends TLS. */
export interface NginxServer {
  tls: boolean
  location: string
  /** of the location: `/` when left out */
  path?: string
}

/**
 * Starts nginx with a configuration of its own in a folder of its own, and one server on a free port of 127.0.0.1 for
 * each entry. It is listening when this returns.
 */
export async function startNginx<Name extends string>(
  nginx: string,
  certificate: Certificate,
  servers: Readonly<Record<Name, NginxServer>>
): Promise<{ ports: Readonly<Record<Name, number>>; stop(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const file = (name: string, content: string) => writeFileSync(join(folder, name), content)
  file('key.pem', certificate.key)
  file('cert.pem', certificate.cert)

  const names = Object.keys(servers) as Name[]
  const free = await freePorts(names.length)
  const ports = Object.fromEntries(names.map((name, i) => [name, free[i]])) as Record<Name, number>
  const blocks = names.map(name => {
    const { tls, location, path = '/' } = servers[name]
    return `server { listen 127.0.0.1:${ports[name]}${tls ? ' ssl' : ''}; location ${path} { ${location} } }`
  })
  file(
    'nginx.conf',
    `${process.getuid?.() === 0 ? 'user root;' : ''}
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
  )

  const run = (...args: string[]) =>
    execFileSync(nginx, ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log', ...args], { stdio: 'pipe' })
  // The command returns when the sockets listen and nginx runs on in the background.
  run()
  return {
    ports,
    stop() {
      run('-s', 'stop')
      rmSync(folder, { recursive: true, maxRetries: 5 })
    }
  }
}

/** Ports that nobody listens on: all held at once, so that they differ, and let go together. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}
