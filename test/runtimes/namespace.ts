import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Project } from './project.ts'

/**
 * Returns the JSON that a script of this folder prints in a network namespace of its own, with the project's
 * resolv.conf.
 */
export async function inNamespace(
  project: Project,
  script: string,
  setting: object,
  resolvConf = ''
): Promise<unknown> {
  project.write('resolv.conf', resolvConf)
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const setUp = 'ip link set lo up && mount --bind "$1" /etc/resolv.conf && shift && exec "$@"'
  const shell = ['sh', '-c', setUp, 'sh', join(project.folder, 'resolv.conf')]
  const program = [process.execPath, '--import', 'tsx', `test/runtimes/${script}`, JSON.stringify(setting)]
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const { stdout } = await promisify(execFile)('unshare', [...asRoot, '--net', '--mount', ...shell, ...program], {
    cwd
  })
  return JSON.parse(stdout)
}

/** Runs a program there; returns the JSON that it prints. Deno would also ask for the server of its updates. */
export async function runThere(folder: string, [tool, ...args]: readonly [string, ...string[]]): Promise<unknown> {
  const env = { ...process.env, DENO_NO_UPDATE_CHECK: '1' }
  return JSON.parse((await promisify(execFile)(tool, args, { cwd: folder, env })).stdout)
}
