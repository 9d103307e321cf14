import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from '../../flags/usage-error.ts'
import { endpointOf } from '../exchange.ts'

/** Loaded before the receiver's file: every resolver of its process asks the DNS server of `send`. */
const preload = (address: string): string =>
  `import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
const { Resolver } = dns
dns.Resolver = class extends Resolver {
  constructor(options) { super(options); this.setServers(['${address}']) }
}
syncBuiltinESMExports()`

/** milliseconds until it must listen */
const START_TIMEOUT = 10_000

/**
 * Starts a receiver whose keys come from this DNS server, and resolves when it listens. Nothing in its file and no
 * environment variable replaces DNS: it is a flag of Node, given to this process alone.
 */
export async function startReceiver(file: string, url: URL, dnsAddress: string): Promise<ChildProcess> {
  if (await listens(url))
    throw new UsageError(`another program listens on ${url.host} already: end it, or send without --start`)
  const module = `data:text/javascript,${encodeURIComponent(preload(dnsAddress))}`
  const args = ['--import', module, file]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  for (const end = Date.now() + START_TIMEOUT; Date.now() < end && child.exitCode === null; await delay(50))
    if (await listens(url)) return child
  child.kill('SIGKILL')
  const state = child.exitCode === null ? `does not listen on ${url.host}` : 'has ended'
  const compile = /\.[cm]?tsx?$/.test(file)
    ? ": if this Node.js cannot run its TypeScript, run this command with NODE_OPTIONS='--import tsx'"
    : ''
  throw new UsageError(`${file} (--start) ${state}${compile}`)
}

async function listens(url: URL): Promise<boolean> {
  const socket = connect(endpointOf(url))
  const [connected] = await Promise.allSettled([once(socket, 'connect')])
  socket.destroy()
  return connected.status === 'fulfilled'
}
