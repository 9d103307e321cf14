import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dnsTxtLookup } from '../../../src/index.ts'
import { freePort } from '../../support/free-port.ts'
import { makeCertificate } from '../../support/https.ts'
import { runIn } from '../../support/run-program.ts'

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
 * Starts BIND with three zones, and unbound, which validates and answers by DNS over HTTPS:
 *
 * - `signed.example`, signed by a key that unbound trusts
 * - `bogus.example`, the same, with a record that was changed after it was signed
 * - `unsigned.example`
 * @param records the TXT record of each name, in the zone whose name it ends with
 */
export async function startSignedZones(records: Readonly<Record<string, readonly string[]>>): Promise<SignedZones> {
  const folder = mkdtempSync(join(tmpdir(), 'signed-zones-'))
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const run = (tool: string, ...args: string[]) =>
    execFileSync(tool, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })

  for (const zone of ZONES) {
    const lines = Object.entries(records)
      .filter(([name]) => name.endsWith(`.${zone}`))
      .map(([name, strings]) => `${name}. 300 IN TXT ${strings.map(string => `"${string}"`).join(' ')}\n`)
    const soa = `${zone}. 300 IN SOA ns.${zone}. root.${zone}. 1 3600 600 86400 60\n`
    const ns = `${zone}. 300 IN NS ns.${zone}.\nns.${zone}. 300 IN A 127.0.0.1\n`
    writeFileSync(join(folder, zone), soa + ns + lines.join(''))
    if (zone === 'unsigned.example') continue
    run('dnssec-keygen', '-a', 'ECDSAP256SHA256', '-f', 'KSK', zone)
    run('dnssec-keygen', '-a', 'ECDSAP256SHA256', zone)
    run('dnssec-signzone', '-S', '-O', 'full', '-o', zone, '-f', `${zone}.signed`, zone)
    const signed = read(`${zone}.signed`)
    const isBogus = zone === 'bogus.example'
    writeFileSync(join(folder, zone), isBogus ? signed.replaceAll('v=DKIM1', 'v=DKIM1 ') : signed)
  }
  const keys = readdirSync(folder).filter(name => /^K.*\.key$/.test(name))
  const anchors = keys.flatMap(name => read(name).match(/^[^;].*DNSKEY 257 .*$/m) ?? [])

  const authority = await freePort()
  const named = `options {
  directory "${folder}"; pid-file "named.pid"; session-keyfile "session.key"; lock-file none;
  listen-on port ${authority} { 127.0.0.1; }; listen-on-v6 { none; };
  recursion no; dnssec-validation no; empty-zones-enable no;
};
controls { };
${ZONES.map(zone => `zone "${zone}" { type primary; file "${zone}"; };\n`).join('')}`
  const { key, cert } = await makeCertificate('localhost')
  const [port, https] = [await freePort(), await freePort()]
  const stub = (zone: string) => `stub-zone:\n  name: "${zone}"\n  stub-addr: 127.0.0.1@${authority}\n`
  const unbound = `server:
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
${anchors.map(anchor => `  trust-anchor: "${anchor.replaceAll('\t', ' ')}"\n`).join('')}${ZONES.map(stub).join('')}
remote-control:
  control-enable: no
`

  const started: { stop(): Promise<void> }[] = []
  const close = async () => {
    for (const program of started) await program.stop()
    rmSync(folder, { recursive: true })
  }
  try {
    const files = { 'named.conf': named, 'unbound.conf': unbound, 'key.pem': key, 'cert.pem': cert }
    const [bind, resolver] = [
      ['-f', '-c', join(folder, 'named.conf')],
      ['-d', '-c', join(folder, 'unbound.conf')]
    ]
    started.push(await runIn(folder, ['named', ...bind], files, () => isAnswering(authority)))
    started.push(await runIn(folder, ['unbound', ...resolver], {}, () => isAnswering(port)))
  } catch (error) {
    await close()
    throw error
  }
  return { url: `https://localhost:${https}/dns-query`, cert, address: `127.0.0.1:${port}`, close }
}

const ZONES = ['signed.example', 'bogus.example', 'unsigned.example']

/** Returns whether a DNS server replies that a name does not exist. */
async function isAnswering(port: number): Promise<boolean> {
  const { signal } = new AbortController()
  const lookup = dnsTxtLookup({ servers: [`127.0.0.1:${port}`], timeout: 200, tries: 1 })
  return (await lookup('absent.unsigned.example', { signal }).catch(error => error.code)) === 'ENOTFOUND'
}
