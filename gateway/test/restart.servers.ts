import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { serveDns } from '../../src/testing/index.ts'
import { findNginx, freePorts } from '../../test/support/nginx.ts'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { send, statusesOf } from '../../test/support/wire.ts'
import { redisServer } from '../../test/unit/replay/redis-server.ts'
import { blockOfPage } from './docs-commands.ts'
import { startApplication } from './start.ts'
import { gatewayCommand, type Running, startProcess } from './support/process.ts'

const upstream = blockOfPage('docs/deploy.md', 'file: gateways.conf')
const haproxy = blockOfPage('docs/deploy.md', 'file: haproxy.cfg')

/** What is done to a gateway of a balancer before it is restarted, and after. */
type Planned = (balancer: { child: ChildProcess; folder: string; port: number; name: string }) => Promise<unknown>

interface Balancer {
  readonly name: string
  readonly file: string
  text(port: number, folder: string): string
  command(folder: string): readonly string[]
  readonly before?: Planned
  readonly after?: Planned
}

/** The balancers of the page, each with the files and the command that start it. */
const BALANCERS: readonly Balancer[] = [
  {
    name: 'nginx',
    file: 'nginx.conf',
    text: (
      port: number
    ) => `daemon off; master_process off; pid nginx.pid; error_log error.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
      events {}
      http {
        access_log off;
        ${upstream}
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass http://gateways;
            proxy_connect_timeout 1s;
            proxy_set_header Host $http_host;
            proxy_http_version 1.1;
          }
        }
      }`,
    command: (folder: string) => [
      findNginx()!,
      '-p',
      folder,
      '-c',
      join(folder, 'nginx.conf'),
      '-e',
      join(folder, 'e.log')
    ]
  },
  {
    name: 'HAProxy',
    file: 'haproxy.cfg',
    text: (port: number) => haproxy.replace('127.0.0.1:8000', `127.0.0.1:${port}`),
    command: (folder: string) => ['/usr/sbin/haproxy', '-f', join(folder, 'haproxy.cfg'), '-db']
  }
]
const [NGINX, HAPROXY] = BALANCERS as [Balancer, Balancer]

/** Changes the line of a gateway in nginx.conf, and reloads nginx. */
async function changeServer(folder: string, child: ChildProcess, from: string, to: string): Promise<void> {
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
  child.kill('SIGHUP')
  await delay(300)
}

/** Sends a command to the socket of HAProxy. */
async function tellHaproxy(folder: string, command: string): Promise<void> {
  const socket = connect(join(folder, 'admin.sock'))
  socket.end(`${command}\n`)
  await text(socket)
}

/** A restart that is planned: the gateway gets no new connection before its SIGTERM. */
const PLANNED: readonly Balancer[] = [
  {
    ...NGINX,
    name: 'nginx, with the gateway marked down',
    // Only a master can reload.
    text: (port, folder) => NGINX.text(port, folder).replace('master_process off; ', 'worker_processes 1; '),
    before: ({ folder, child, port }) =>
      changeServer(folder, child, `127.0.0.1:${port} max`, `127.0.0.1:${port} down max`),
    after: ({ folder, child, port }) => changeServer(folder, child, `127.0.0.1:${port} down`, `127.0.0.1:${port}`)
  },
  {
    ...HAPROXY,
    name: 'HAProxy, with the gateway in state drain',
    text: (port, folder) => `global\n  stats socket ${folder}/admin.sock level admin\n\n${HAPROXY.text(port, folder)}`,
    before: ({ folder, name }) => tellHaproxy(folder, `set server gateways/${name} state drain`),
    after: ({ folder, name }) => tellHaproxy(folder, `set server gateways/${name} state ready`)
  }
]

test.each([...BALANCERS, ...PLANNED])(
  'behind $name, a restart of both gateways under load loses no request and lets none in twice',
  async balancer => {
    const application = await startApplication()
    onTestFinished(application.close)
    const dns = await serveDns(service)
    onTestFinished(dns.close)
    const redis = await redisServer()
    onTestFinished(redis.remove)
    await redis.start()
    const [one, two, admin1, admin2, front] = await freePorts(5)
    const gateways = [
      { port: one!, admin: admin1! },
      { port: two!, admin: admin2! }
    ]

    /** Starts a gateway; resolves when it is ready. */
    async function start({ port, admin }: (typeof gateways)[number]): Promise<Running> {
      const flags = ['--redis', `redis://127.0.0.1:${redis.port}`, '--admin', `127.0.0.1:${admin}`]
      const command = gatewayCommand(application.url, dns.address, [
        ...flags,
        '--listen',
        `127.0.0.1:${port}`,
        '--drain-delay',
        '2000'
      ])
      const running = startProcess(command)
      await running.says(/listening on/)
      return running
    }
    const running = await Promise.all(gateways.map(start))

    const folder = mkdtempSync(join(tmpdir(), 'restart-'))
    onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 5 }))
    const config = balancer
      .text(front!, folder)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${one}`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${two}`)
      .replaceAll('9901', `${admin1}`)
      .replaceAll('9902', `${admin2}`)
    writeFileSync(join(folder, balancer.file), config)
    const { child, stop } = startProcess(balancer.command(folder))
    onTestFinished(async () => void (await stop('SIGTERM')))
    const address = `127.0.0.1:${front}`
    const probe = () => send(address, service.sign({ target: '/ready' })).catch(() => '')
    await until(async () => statusesOf(await probe())[0] === 200)

    const answers = new Map<string, number[]>()
    let isOver = false
    const load = (async () => {
      const pending: Promise<unknown>[] = []
      for (let n = 0; !isOver; n++) {
        const target = `/${n}`
        const signed = service.sign({ target })
        pending.push(send(address, signed).then(answer => answers.set(target, statusesOf(answer))))
        await delay(20)
      }
      await Promise.all(pending)
    })()
    for (const [i, gateway] of gateways.entries()) {
      await delay(500)
      const planned = { child, folder, port: gateway.port, name: ['one', 'two'][i]! }
      await balancer.before?.(planned)
      expect(await running[i]!.stop()).toBe(0)
      running[i] = await start(gateway)
      await balancer.after?.(planned)
    }
    await delay(1000)
    isOver = true
    await load

    expect(answers.size).toBeGreaterThan(100)
    expect([...answers].filter(([, statuses]) => statuses.join() !== '200')).toEqual([])
    const targets = application.seen.map(({ target }) => target).filter(target => target !== '/ready')
    expect(targets.length).toBe(new Set(targets).size)
    expect(targets.length).toBe(answers.size)
  }
)
