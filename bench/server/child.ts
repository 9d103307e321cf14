import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Setup, Usage } from './receiver.ts'

/** Runs a receiver in a process of its own. */
export interface Receiver {
  url: string
  /** usage since the last call */
  usage(): Promise<Usage>
  /** returns whether it ended by itself */
  crashed(): boolean
  stop(): void
}

export async function startReceiver(setup: Setup): Promise<Receiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
  const answer = async <T>(message: object): Promise<T> => {
    const answered = once(child, 'message')
    child.send(message)
    return (await answered)[0] as T
  }
  const port = await answer<number>(setup)
  return {
    url: `http://127.0.0.1:${port}`,
    usage: () => answer<Usage>({}),
    crashed: () => child.exitCode !== null || child.signalCode !== null,
    stop: () => child.disconnect()
  }
}
