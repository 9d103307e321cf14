import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dnsTxtLookup } from '../../../src/index.ts'
import { freePort } from '../../support/free-port.ts'
import { makeCertificate } from '../../support/https.ts'

export interface SignedZones {
  /** the validating resolver's DNS over HTTPS, by name `localhost` */
  readonly url: string
  /** the certificate that it shows */
  readonly cert: string
  /** its plain DNS */
  readonly address: string
  close(): Promise<void>
}

/**
 * BIND with three zones, and unbound, which validates and answers by DNS over HTTPS:
 *
 * - `signed.example`, signed by a key that unbound trusts
 * - `bogus.example`, the same, with a record that was changed after it was signed
 * - `unsigned.example`
 *
 * @param records the TXT record of each name, in the zone whose name it ends with
 */
export async function startSignedZones(records: Readonly<Record<string, readonly string[]>>): Promise<SignedZones> {
  const folder = mkdtempSync(join(tmpdir(), 'signed-zones-'))
  const file = (name: string, content: string) => writeFileSync(join(folder, name), content)
  const run = (tool: string, ...args: string[]) =>
    execFileSync(tool, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const anchors: string[] = []

  for (const zone of ['signed.example', 'bogus.example', 'unsigned.example']) {
    const lines = Object.entries(records)
      .filter(([name]) => name.endsWith(`.${zone}`))
      .map(([name, strings]) => `${name}. 300 IN TXT ${strings.map(string => `"${string}"`).join(' ')}`)
    file(
      zone,
      `${zone}. 300 IN SOA ns.${zone}. root.${zone}. 1 3600 600 86400 60
${zone}. 300 IN NS ns.${zone}.
ns.${zone}. 300 IN A 127.0.0.1
${lines.join('\n')}
`
    )
    if (zone === 'unsigned.example') continue
    run('dnssec-keygen', '-a', 'ECDSAP256SHA256', '-f', 'KSK', zone)
    run('dnssec-keygen', '-a', 'ECDSAP256SHA256', zone)
    run('dnssec-signzone', '-S', '-O', 'full', '-o', zone, '-f', `${zone}.signed`, zone)
    const keys = readdirSync(folder).filter(name => name.startsWith(`K${zone}.`) && name.endsWith('.key'))
    for (const key of keys) {
      const line = readFileSync(join(folder, key), 'utf8').match(/^[^;].*DNSKEY 257 .*$/m)
      if (line !== null) anchors.push(line[0])
    }
    const signed = readFileSync(join(folder, `${zone}.signed`), 'utf8')
    const isBogus = zone === 'bogus.example'
    file(zone, isBogus ? signed.replaceAll('v=DKIM1', 'v=DKIM1 ') : signed)
  }

  const authority = await freePort()
  file(
    'named.conf',
    `options {
  directory "${folder}"; pid-file "named.pid"; session-keyfile "session.key"; lock-file none;
  listen-on port ${authority} { 127.0.0.1; }; listen-on-v6 { none; };
  recursion no; dnssec-validation no; empty-zones-enable no;
};
controls { };
${['signed', 'bogus', 'unsigned'].map(name => `zone "${name}.example" { type primary; file "${name}.example"; };`).join('\n')}
`
  )
  const { key, cert } = await makeCertificate('localhost')
  file('key.pem', key)
  file('cert.pem', cert)
  const [port, https] = [await freePort(), await freePort()]
  file(
    'unbound.conf',
    `server:
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: "unbound.pid"
  use-syslog: no
  interface: 127.0.0.1@${port}
  interface: 127.0.0.1@${https}
  https-port: ${https}
  http-endpoint: "/dns-query"
  tls-service-key: "key.pem"
  tls-service-pem: "cert.pem"
  do-not-query-localhost: no
  module-config: "validator iterator"
  domain-insecure: "unsigned.example"
${anchors.map(anchor => `  trust-anchor: "${anchor.replaceAll('\t', ' ')}"`).join('\n')}
${['signed', 'bogus', 'unsigned'].map(name => `stub-zone:\n  name: "${name}.example"\n  stub-addr: 127.0.0.1@${authority}`).join('\n')}
remote-control:
  control-enable: no
`
  )

  const children: ChildProcess[] = []
  const start = (tool: string, ...args: string[]) => {
    const child = spawn(tool, args, { cwd: folder, stdio: 'ignore' })
    children.push(child)
    return child
  }
  const close = async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    rmSync(folder, { recursive: true })
  }
  try {
    await untilAnswering(start('/usr/sbin/named', '-f', '-c', join(folder, 'named.conf')), authority)
    await untilAnswering(start('/usr/sbin/unbound', '-d', '-c', join(folder, 'unbound.conf')), port)
  } catch (error) {
    await close()
    throw error
  }
  return { url: `https://localhost:${https}/dns-query`, cert, address: `127.0.0.1:${port}`, close }
}

/** Until a server answers, whatever it says about the name. */
async function untilAnswering(server: ChildProcess, port: number): Promise<void> {
  const { signal } = new AbortController()
  const lookup = dnsTxtLookup({ servers: [`127.0.0.1:${port}`], timeout: 200, tries: 1 })
  for (;;) {
    if (server.exitCode !== null) throw new Error(`${server.spawnargs.join(' ')} ended with ${server.exitCode}`)
    const code = await lookup('absent.unsigned.example', { signal }).catch(error => error.code)
    if (code === 'ENOTFOUND') return
  }
}
