import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clockEnvironment } from '../../support/clock-environment.ts'
import { freePort } from '../../support/free-port.ts'

export interface PostgresServer {
  readonly port: number
  /** Resolves when it accepts connections. On the same port each time, with what was committed before. */
  start(): Promise<void>
  /** Ends it at once, as a crash would; its committed transactions are recovered at the next start. */
  kill(): Promise<void>
  /** Stops every process of it until `resume`. */
  pause(): void
  resume(): void
  /** Sets settings that hold from the next start. */
  configure(settings: string): void
  /** Makes the next start one of a standby server, which can only be read. */
  makeStandby(): void
  /** Ends it and removes its files. */
  remove(): Promise<void>
}

/**
 * Runs a real PostgreSQL of the newest version that Debian's package installed, on a free port. It refuses to run as
 * root, so there it runs as the package's user. An answered commit survives the end of the process, not that of the
 * machine.
 *
 * @param options.durable an answered commit survives that of the machine too: for the benchmarks
 * @param options.standby makes a standby of the running server at `primary`, which it follows by the address `follows`
 * @param options.clock as faketime takes it, such as `-11m`: the server's clock is off by so much
 */
export async function postgresServer({
  durable = false,
  standby,
  clock
}: {
  durable?: boolean
  standby?: { name: string; primary: number; follows?: number }
  clock?: string
} = {}): Promise<PostgresServer> {
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
  const bin = `/usr/lib/postgresql/${versions[0]}/bin`
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'signed-requests-postgres-'))
  const account: { uid?: number; gid?: number } = process.getuid?.() === 0 ? postgresAccount() : {}
  const own = (path: string) => {
    if (account.uid !== undefined) chownSync(path, account.uid, account.gid!)
  }
  own(folder)
  const data = join(folder, 'data')
  const asAccount = { ...account, cwd: folder }
  const [program, settings] =
    standby === undefined
      ? ['initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8']]
      : ['pg_basebackup', ['-D', data, '-c', 'fast', '-d', `host=127.0.0.1 user=postgres port=${standby.primary}`]]
  execFileSync(join(bin, program), settings, { ...asAccount, stdio: 'pipe' })
  const configure = (settings: string) => appendFileSync(join(data, 'postgresql.conf'), `\n${settings}\n`)
  configure(
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nfsync = ${durable ? 'on' : 'off'}`
  )
  const makeStandby = () => {
    appendFileSync(join(data, 'standby.signal'), '')
    own(join(data, 'standby.signal'))
  }
  if (standby !== undefined) {
    const { name, primary, follows = primary } = standby
    configure(`primary_conninfo = 'host=127.0.0.1 user=postgres port=${follows} application_name=${name}'`)
    makeStandby()
  }
  let child: ChildProcess | undefined
  const onExit = () => child?.kill('SIGKILL')
  process.once('exit', onExit)

  const signalAll = (signal: NodeJS.Signals) => {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', `${child!.pid}`], { encoding: 'utf8' })
    for (const pid of [child!.pid!, ...stdout.trim().split(/\s+/).map(Number)]) {
      try {
        if (pid > 0) process.kill(pid, signal)
      } catch {
        // The process has ended already.
      }
    }
  }
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    signalAll('SIGKILL')
    await exited
    child = undefined
  }
  const start = async () => {
    // A new server does not start until the last process of a killed one has ended.
    for (let attempt = 1; ; attempt++) {
      const output = await startOnce()
      if (output === undefined) return
      if (attempt === 100) throw new Error(`postgres did not start:\n${output}`)
    }
  }
  const startOnce = async (): Promise<string | undefined> => {
    child = spawn(join(bin, 'postgres'), ['-D', data], {
      ...asAccount,
      env: clockEnvironment(clock),
      stdio: ['ignore', 'ignore', 'pipe']
    })
    let output = ''
    // The log is always read to its end: a server whose log nobody reads stops at the next error that it reports.
    const isReady = new Promise<boolean>(resolve => {
      child!.stderr!.on('data', chunk => {
        // Only the end is kept: each client that reconnects during recovery adds a line.
        output = (output + chunk).slice(-10_000)
        if (/database system is ready to accept (?:read-only )?connections/.test(output)) resolve(true)
      })
      child!.stderr!.on('end', () => resolve(false))
    })
    return (await isReady) ? undefined : output
  }
  return {
    port,
    start,
    kill,
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    configure,
    makeStandby,
    async remove() {
      process.off('exit', onExit)
      await kill()
      rmSync(folder, { recursive: true, maxRetries: 10 })
    }
  }
}

/** Returns the account of Debian's package. */
export function postgresAccount(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
