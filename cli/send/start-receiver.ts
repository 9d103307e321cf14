import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { UsageError } from '../../flags/usage-error.ts'
import type { Io } from '../command.ts'

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

/** A receiver that runs. */
export interface StartedReceiver {
  /** ends the receiver, and resolves when all of its output is printed */
  end(): Promise<void>
}

/** The receiver to start. */
interface ReceiverToStart {
  readonly file: string
  /** the address on which it must listen; its port is the variable PORT of its process */
  readonly host: string
  readonly port: number
  /** of the DNS server that has the keys */
  readonly dnsAddress: string
}

/**
 * Starts a receiver whose keys come from this DNS server, and resolves when it listens. Nothing in its file and no
 * environment variable replaces DNS: it is a flag of Node, given to this process alone.
 */
export async function startReceiver(
  { file, host, port, dnsAddress }: ReceiverToStart,
  io: Pick<Io, 'print' | 'note'>
): Promise<StartedReceiver> {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  if (await listens(host, port))
    throw new UsageError(`another program already listens on ${place}: stop it, or leave --start out`)
  const module = `data:text/javascript,${encodeURIComponent(preload(dnsAddress))}`
  const args = ['--import', module, file]
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  // A process that could not be started writes nothing, and does not listen.
  let isUnloadable = false
  const written = printLines(child, io, line => {
    isUnloadable ||= LOADER_ERROR.test(line)
  }).catch(() => {})
  const kill = () => child.kill('SIGKILL') // whatever it does with SIGTERM
  const forget = killAtExit(kill)
  const end = async () => {
    kill()
    forget()
    await written
  }
  for (const late = Date.now() + START_TIMEOUT; Date.now() < late && child.exitCode === null; await delay(50))
    if (await listens(host, port)) return { end }
  const state = child.exitCode === null ? `does not listen on ${place}` : 'has ended'
  await end()
  const compile = isUnloadable
    ? ": this Node.js cannot run its TypeScript: run this command with NODE_OPTIONS='--import tsx'"
    : ''
  throw new UsageError(`${file} (--start) ${state}${compile}`)
}

/** The codes of Node.js for a file whose TypeScript it cannot run. */
const LOADER_ERROR = /\bERR_(?:UNKNOWN_FILE_EXTENSION|NO_TYPESCRIPT|(?:UNSUPPORTED|INVALID)_TYPESCRIPT_SYNTAX)\b/

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls it when this process ends, by a signal too: nobody else would end the receiver. Returns what stops that. */
function killAtExit(kill: () => void): () => void {
  const exit = (_signal: string, number: number) => process.exit(128 + number)
  process.on('exit', kill)
  for (const signal of SIGNALS) process.on(signal, exit)
  return () => {
    process.off('exit', kill)
    for (const signal of SIGNALS) process.off(signal, exit)
  }
}

/** Limits how long the output of a receiver may stay open after its end: a process that it has started may hold it. */
const OUTPUT_TIMEOUT = 1000

/** Prints the output of the receiver, each line whole and with its name in front. Resolves after the last line. */
async function printLines(
  child: ChildProcess,
  { print, note }: Pick<Io, 'print' | 'note'>,
  onLine: (line: string) => void
): Promise<void> {
  const closed = [child.stdout!, child.stderr!].map((stream, i) => {
    const show = i === 0 ? print : note
    const lines = createInterface({ input: stream })
    lines.on('line', line => {
      onLine(line)
      show(`receiver: ${stripVTControlCharacters(line)}`)
    })
    return once(lines, 'close')
  })
  await once(child, 'exit')
  await Promise.race([Promise.all(closed), delay(OUTPUT_TIMEOUT)])
  for (const stream of [child.stdout!, child.stderr!]) stream.destroy()
}

async function listens(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  const [connected] = await Promise.allSettled([once(socket, 'connect')])
  socket.destroy()
  return connected.status === 'fulfilled'
}
