import { join } from 'node:path'
import { inject } from 'vitest'
import { runProcess } from './run-process.ts'

/** Names the two command lines as files for Node.js, from bundles.ts. */
export const CLI = join(inject('bundles'), 'dist/cli.js')
export const GATEWAY_CLI = join(inject('bundles'), 'gateway/dist/cli.js')

export const runCli = (args: readonly string[], input?: string | Uint8Array) => runProcess(CLI, args, input)
export const runGateway = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  runProcess(GATEWAY_CLI, args, '', env)
