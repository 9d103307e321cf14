import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Describes the content of a zone's two name servers. */
export interface ZoneSpec {
  /** lines of the zone file for ns1, without SOA and NS */
  readonly ns1: string
  /** the same for ns2 by default; an empty (lame) delegation for `lame`, no server for `down` */
  readonly ns2?: string | 'lame' | 'down'
  readonly serials?: readonly [number, number]
  /** the addresses of ns1 and ns2; those of the two servers if absent */
  readonly addresses?: readonly string[]
  /** its signatures expired long ago, but the resolver trusts the key */
  readonly isExpired?: boolean
}

/** Runs DNS from the root down, for a network namespace: BIND twice for the zones, and unbound as the resolver. */
export interface DnsWorld {
  /** changes a zone; resolves when both servers have it */
  publish(zone: string, spec: ZoneSpec): Promise<void>
  /**
   * calls this function while no name server of a zone answers: packets arrive there, as with a firewall that drops the
   * replies
   */
  whilePaused<T>(run: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

const ROOT = '192.0.2.1'
const [NS1, NS2, NOBODY] = ['192.0.2.11', '192.0.2.12', '192.0.2.13']
export const PRIVATE = '10.0.0.53'
export const RESOLVER = '127.0.0.1'

export async function startDnsWorld(zones: Readonly<Record<string, ZoneSpec>>, settings = ''): Promise<DnsWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'dns-world-'))
  const children: ChildProcess[] = []
  execFileSync('ip', ['link', 'set', 'lo', 'up'])
  for (const address of [ROOT, NS1, NS2, NOBODY, PRIVATE])
    execFileSync('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo'])
  const start = (tool: string, ...args: string[]): ChildProcess => {
    const child = spawn(tool, args, { cwd: folder, stdio: 'ignore' })
    children.push(child)
    return child
  }

  /** Writes the zone files of one name server, and its configuration. */
  const write = (server: 'ns1' | 'ns2', all: Readonly<Record<string, ZoneSpec>>): void => {
    mkdirSync(join(folder, server), { recursive: true })
    const configured = Object.entries(all).flatMap(([zone, spec]) => {
      const second = spec.ns2 ?? spec.ns1
      if (server === 'ns2' && (second === 'lame' || second === 'down')) return []
      const serial = (spec.serials ?? [1, 1])[server === 'ns1' ? 0 : 1]!
      const file = join(folder, server, zone)
      writeFileSync(file, `${headOf(zone, spec, serial)}${server === 'ns1' ? spec.ns1 : second}\n`)
      if (!spec.isExpired) return [`zone "${zone}" { type primary; file "${file}"; };`]
      if (server === 'ns1' && !existsSync(`${file}.signed`)) sign(folder, zone, file)
      return [`zone "${zone}" { type primary; file "${join(folder, 'ns1', zone)}.signed"; };`]
    })
    const listen = server === 'ns1' ? `${NS1}; ${PRIVATE};` : `${NS2};`
    writeFileSync(join(folder, `${server}.conf`), namedConf(join(folder, server), listen, configured))
  }

  const servers: Record<string, ChildProcess> = {}
  const close = async () => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    rmSync(folder, { recursive: true })
  }
  const untilServed = async (address: string, zone: string, serial: number): Promise<void> => {
    const resolver = new Resolver({ timeout: 300, tries: 1 })
    resolver.setServers([address])
    while ((await resolver.resolveSoa(zone).catch(() => undefined))?.serial !== serial) {
      const ended = children.find(child => child.exitCode !== null)
      if (ended !== undefined) throw new Error(`${ended.spawnargs.join(' ')} ended with ${ended.exitCode}`)
    }
  }
  const all = { ...zones }
  try {
    for (const server of ['ns1', 'ns2'] as const) write(server, all)
    writeRoot(folder, all)
    const anchors = Object.entries(all).flatMap(([zone, { isExpired }]) => (isExpired ? [zone] : []))
    writeFileSync(join(folder, 'unbound.conf'), unboundConf(folder, anchors, settings))
    for (const server of ['root', 'ns1', 'ns2'])
      servers[server] = start('/usr/sbin/named', '-f', '-c', join(folder, `${server}.conf`))
    start('/usr/sbin/unbound', '-d', '-c', join(folder, 'unbound.conf'))
    await untilServed(ROOT, 'example', 1)
    await untilServed(NS1, Object.keys(all)[0]!, all[Object.keys(all)[0]!]!.serials?.[0] ?? 1)
    await untilServed(RESOLVER, 'example', 1)
  } catch (error) {
    await close()
    throw error
  }
  return {
    close,
    async whilePaused(run) {
      const paused = [servers['ns1']!, servers['ns2']!]
      for (const child of paused) child.kill('SIGSTOP')
      try {
        return await run()
      } finally {
        for (const child of paused) child.kill('SIGCONT')
      }
    },
    async publish(zone, spec) {
      all[zone] = spec
      for (const server of ['ns1', 'ns2'] as const) {
        write(server, all)
        servers[server]!.kill('SIGHUP')
      }
      const [first = 1, second = 1] = spec.serials ?? []
      await untilServed(NS1, zone, first)
      if (spec.ns2 !== 'down' && spec.ns2 !== 'lame') await untilServed(NS2, zone, second)
    }
  }
}

const headOf = (zone: string, { addresses = [NS1, NS2], ns2 }: ZoneSpec, serial: number): string => `
$TTL 300
$ORIGIN ${zone}.
@ SOA ns1 root ${serial} 3600 600 86400 300
@ NS ns1
@ NS ns2
ns1 A ${addresses[0]}
ns2 A ${ns2 === 'down' ? NOBODY : (addresses[1] ?? addresses[0])}
`

/** Delegates each zone below `example`, and those below another zone in that zone's own lines. */
function writeRoot(folder: string, zones: Readonly<Record<string, ZoneSpec>>): void {
  mkdirSync(join(folder, 'root'), { recursive: true })
  const soa = (origin: string) =>
    `$TTL 300\n$ORIGIN ${origin}\n@ SOA a.root. root. 1 3600 600 86400 300\n@ NS a.root.\n`
  const delegations = Object.entries(zones)
    .filter(([zone]) => zone.split('.').length === 2)
    .map(([zone, { addresses = [NS1, NS2], ns2 }]) => {
      const second = ns2 === 'down' ? NOBODY : (addresses[1] ?? addresses[0])
      return `${zone}. NS ns1.${zone}.\n${zone}. NS ns2.${zone}.\nns1.${zone}. A ${addresses[0]}\nns2.${zone}. A ${second}`
    })
  writeFileSync(join(folder, 'root', 'root'), `${soa('.')}a.root. A ${ROOT}\nexample. NS a.root.\n`)
  writeFileSync(join(folder, 'root', 'example'), `${soa('example.')}${delegations.join('\n')}\n`)
  const configured = [
    ['.', 'root'],
    ['example', 'example']
  ].map(([zone, file]) => `zone "${zone}" { type primary; file "${join(folder, 'root', file!)}"; };`)
  writeFileSync(join(folder, 'root.conf'), namedConf(join(folder, 'root'), `${ROOT};`, configured))
  writeFileSync(join(folder, 'hints'), `. 3600 NS a.root.\na.root. 3600 A ${ROOT}\n`)
}

const namedConf = (folder: string, listen: string, zones: readonly string[]): string => `options {
  directory "${folder}"; pid-file "named.pid"; session-keyfile "session.key"; lock-file none;
  listen-on port 53 { ${listen} }; listen-on-v6 { none; };
  recursion no; dnssec-validation no; empty-zones-enable no; check-names primary ignore;
};
controls { };
${zones.join('\n')}
`

const unboundConf = (folder: string, anchors: readonly string[], settings: string): string => `server:
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: "unbound.pid"
  use-syslog: no
  interface: ${RESOLVER}
  root-hints: "${join(folder, 'hints')}"
  module-config: "validator iterator"
${anchors.map(zone => `  trust-anchor-file: "${join(folder, `${zone}.anchor`)}"`).join('\n')}
${settings}
remote-control:
  control-enable: no
`

/** Signs from one year to another, both long ago. */
function sign(folder: string, zone: string, file: string): void {
  const run = (tool: string, ...args: string[]) =>
    execFileSync(tool, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const ksk = run('dnssec-keygen', '-a', 'ECDSAP256SHA256', '-f', 'KSK', zone).trim()
  run('dnssec-keygen', '-a', 'ECDSAP256SHA256', zone)
  const times = ['-s', '20200101000000', '-e', '20210101000000']
  run('dnssec-signzone', '-P', '-S', '-K', folder, ...times, '-O', 'full', '-o', zone, '-f', `${file}.signed`, file)
  writeFileSync(join(folder, `${zone}.anchor`), run('grep', '-h', 'DNSKEY', `${ksk}.key`))
}
