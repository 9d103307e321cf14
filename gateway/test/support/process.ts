import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { GATEWAY_CLI } from '../../../test/support/cli.ts'
import { until } from '../../../test/support/until.ts'

export interface Running {
  child: ChildProcessWithoutNullStreams
  /** all its output so far */
  said: { stdout: string; stderr: string }
  /** Resolves when its output contains this; rejects when it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** Resolves to its exit code. */
  exit: Promise<number | null>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts a program that runs until it is stopped, or until the test is over. */
export function startProcess([program, ...args]: readonly string[], options: SpawnOptionsWithoutStdio = {}): Running {
  const child = spawn(program!, args, options)
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', text => {
      said[name] += text
    })
  const exit = once(child, 'close').then(([code]) => code as number | null)
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return exit
  }
  onTestFinished(async () => void (await stop('SIGKILL')))
  const says = async (pattern: RegExp) => {
    const found = () => pattern.exec(said.stdout) ?? pattern.exec(said.stderr)
    await until(() => found() !== null || child.exitCode !== null)
    return found() ?? Promise.reject(new Error(`${program} ended: ${said.stdout}${said.stderr}`))
  }
  return { child, said, says, exit, stop }
}

/** Returns the command that starts the gateway for the requests of the test service. */
export const gatewayCommand = (upstream: URL, dns: string, args: readonly string[]): string[] => [
  process.execPath,
  GATEWAY_CLI,
  '--upstream',
  upstream.href,
  '--dns-server',
  dns,
  '--https',
  'always',
  '--domain',
  'service.example',
  '--host',
  'receiver.example',
  '--account',
  '1234',
  ...(args.includes('--listen') ? [] : ['--listen', '127.0.0.1:0']),
  ...(args.includes('--drain-delay') ? [] : ['--drain-delay', '0']),
  ...args
]

/** Starts the gateway as a process; resolves when it listens. */
export async function startGatewayProcess(
  upstream: URL,
  dns: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {}
) {
  const running = startProcess(gatewayCommand(upstream, dns, args), { env: { PATH: process.env['PATH'], ...env } })
  const [, address] = await running.says(/listening on (?:https?:\/\/)?(\S+:\d+)/)
  return { ...running, address: address! }
}
