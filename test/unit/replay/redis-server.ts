import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'

export interface RedisServer {
  readonly port: number
  /** Resolves when it accepts connections. On the same port each time, with what it had written before. */
  start(): Promise<void>
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** Keeps its connections and answers nothing until `resume`. */
  pause(): void
  resume(): void
  /** Ends it and removes its files. */
  remove(): Promise<void>
}

/**
 * Runs a real Redis on a free port. `durable`: an answered write is on disk. Otherwise nothing is ever written there.
 * `cluster`: it is a node of a Redis Cluster, without slots so far. `primary`: it is a replica of
 * the Redis at that port. `settings`: more of its configuration, as words of the command line.
 */
export async function redisServer({
  durable = false,
  cluster = false,
  primary,
  settings = []
}: {
  durable?: boolean
  cluster?: boolean
  primary?: number
  settings?: readonly string[]
} = {}): Promise<RedisServer> {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'signed-requests-redis-'))
  const persistence = durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  const args = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--repl-diskless-sync-delay',
    '0',
    ...persistence,
    ...settings
  ]
  if (primary !== undefined) args.push('--replicaof', `127.0.0.1 ${primary}`)
  if (cluster)
    args.push('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--cluster-port', `${await freePort()}`)
  let child: ChildProcess | undefined
  const onExit = () => child?.kill('SIGKILL')
  process.once('exit', onExit)

  const kill = async () => {
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    child = undefined
  }
  return {
    port,
    async start() {
      child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] })
      let output = ''
      for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
        output += chunk
        if (output.includes('Ready to accept connections')) break
      }
      if (!output.includes('Ready to accept connections')) throw new Error(`redis-server did not start:\n${output}`)
      child.stdout!.resume()
    },
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async remove() {
      process.off('exit', onExit)
      await kill()
      rmSync(dir, { recursive: true })
    }
  }
}
