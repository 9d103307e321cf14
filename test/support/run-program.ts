import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Runs a program in this folder, with these files, until it is ready. It ends with this process. */
export async function runIn(
  folder: string,
  [program, ...args]: readonly string[],
  files: Readonly<Record<string, string>>,
  isReady: () => boolean | Promise<boolean>,
  env: NodeJS.ProcessEnv = {}
): Promise<{ stop(): Promise<void> }> {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const PATH = `${process.env['PATH']}:/usr/bin:/usr/sbin:/usr/local/sbin`
  const options = { cwd: folder, env: { ...process.env, PATH, HOME: folder, ...env } }
  const child = spawn(program!, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const hear = (chunk: unknown) => {
    said = (said + chunk).slice(-2000)
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', hear)
  const ended = new Promise(resolve => child.once('exit', resolve).once('error', resolve))
  let hasEnded = false
  ended.then(() => {
    hasEnded = true
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    if (!hasEnded) child.kill()
    await ended
  }
  for (let tries = 0; !(await isReady()); tries++) {
    if (hasEnded || tries > 600) {
      await stop()
      throw new Error(`${program} did not start: ${said || `apt-get install ${program}`}`)
    }
    await delay(25)
  }
  return { stop }
}

/** Returns whether something listens on this port of loopback. */
export async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isUp = await once(socket, 'connect').then(
    () => true,
    () => false
  )
  socket.destroy()
  return isUp
}

/** Runs a program in a folder of its own with these files, until its port answers. */
export async function startProgram(
  program: string,
  args: readonly string[],
  files: Readonly<Record<string, string>>,
  port: number
): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), `${basename(program)}-`))
  const running = await runIn(folder, [program, ...args], files, () => answers(port))
  return {
    port,
    async stop() {
      await running.stop()
      rmSync(folder, { recursive: true, maxRetries: 5 })
    }
  }
}
