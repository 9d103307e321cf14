import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

/** Runs in a process of its own; its log is discarded. */
export interface ServerProcess {
  readonly url: string
  /** microseconds of CPU since it was started */
  cpu(): number
  /** megabytes resident now */
  resident(): number
  stop(): void
}

/** Linux counts CPU in ticks of a hundredth of a second, for every program. */
const TICK = 10_000

/** Starts it, and waits for `listening on` and its port on standard error. */
export async function startServer(file: string, args: readonly string[]): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const program = path.endsWith('.ts') ? await bundled(path) : path
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    said += chunk
    const port = /listening on (?:\S*:)?(\d+)/.exec(said)?.[1]
    if (port === undefined) continue
    child.stderr.pipe(process.stderr)
    const pid = child.pid!
    return {
      url: `http://127.0.0.1:${port}`,
      cpu: () => cpuOf(pid),
      resident: () => residentOf(pid),
      stop: () => child.kill()
    }
  }
  throw new Error(`${file} did not start: ${said}`)
}

/**
 * Runs the gateway as it is built. Under tsx every function is named when it is made: a request took a sixth more CPU.
 */
async function bundled(path: string): Promise<string> {
  const name = basename(path, '.ts')
  const outDir = fileURLToPath(new URL('../../node_modules/.bench', import.meta.url))
  await build({
    config: false,
    entry: { [name]: path },
    outDir,
    tsconfig: fileURLToPath(new URL('../../gateway/tsconfig.build.json', import.meta.url)),
    format: 'esm',
    outExtension: () => ({ js: '.mjs' }),
    splitting: false,
    removeNodeProtocol: false,
    skipNodeModulesBundle: true,
    silent: true
  })
  return join(outDir, `${name}.mjs`)
}

const read = (pid: number, name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8')

export function cpuOf(pid: number): number {
  // The second field, the program's name, is in brackets and may have spaces.
  const fields = read(pid, 'stat')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK
}

export const residentOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(read(pid, 'status'))![1]) / 1024
