import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReceivedRequest } from '../../src/index.ts'
import { wire } from '../../test/support/wire.ts'
import type { Build } from '../dist.ts'
import { alternate, type Effort, type Timing } from '../rounds.ts'
import type { Sample } from '../sample.ts'
import type { Reaction, Setup } from './receiver.ts'

const EFFORT: Effort = { rounds: 30, warmUp: 6, milliseconds: 30 }

/** A sender keeps a few connections to its receiver. */
const CONNECTIONS = 4

/** A kind of request, of which many are sent. */
export interface Kind {
  readonly name: string
  readonly requests: readonly ReceivedRequest[]
  readonly status: number
}

/** Times the CPU of a receiver for each kind of request, over loopback. */
export async function timeOverHttp(
  build: Build,
  reaction: Reaction,
  sample: Sample,
  kinds: readonly Kind[]
): Promise<Timing[]> {
  const directory = mkdtempSync(join(tmpdir(), 'signed-requests-bench-'))
  const { lookupTxt: _, ...options } = sample.options
  const child = fork(new URL('./receiver.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc']
  })
  const ask = async (message: object): Promise<number> => {
    const answered = once(child, 'message')
    child.send(message)
    return (await answered)[0] as number
  }
  const setup: Setup = {
    folder: build.folder,
    reaction,
    options: { ...options, requireHttps: false },
    records: { [sample.keyId]: await recordsOf(sample) },
    directory
  }
  const port = await ask(setup)
  const connections = Array.from({ length: CONNECTIONS }, () => createConnection(port))
  try {
    return await alternate(
      kinds.map(({ name, requests, status }) => {
        const octets = requests.map(request => wire(request))
        let at = 0
        return {
          name,
          cpu: () => ask({}),
          async run(times: number) {
            let left = times
            await Promise.all(
              connections.map(async ({ send }) => {
                while (left-- > 0) {
                  const got = await send(octets[at++ % octets.length]!)
                  if (got !== status) throw new Error(`${name}: answered with ${got}, not ${status}`)
                }
              })
            )
          }
        }
      }),
      EFFORT
    )
  } finally {
    for (const { close } of connections) close()
    child.disconnect()
    await once(child, 'exit')
    rmSync(directory, { recursive: true, force: true })
  }
}

const recordsOf = ({ options, keyId }: Sample): Promise<string[][]> =>
  options.lookupTxt!(keyId, { signal: new AbortController().signal })

/** Sends requests one after another on a connection, or on a new one where the receiver has closed it. */
function createConnection(port: number) {
  let socket: Socket | undefined
  return {
    async send(octets: Buffer): Promise<number> {
      // An error ends in 'close' as well.
      socket ??= connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {})
      const { status, isClosing } = await exchange(socket, octets)
      if (isClosing) {
        socket.destroy()
        socket = undefined
      }
      return status
    },
    close: () => socket?.destroy()
  }
}

function exchange(socket: Socket, octets: Buffer): Promise<{ status: number; isClosing: boolean }> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const settle = (result?: { status: number; isClosing: boolean }) => {
      socket.off('data', read).off('close', fail)
      if (result === undefined) reject(new Error('the receiver closed the connection without an answer'))
      else resolve(result)
    }
    const fail = () => settle()
    const read = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      const end = answer.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = answer.slice(0, end)
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      if (answer.length < end + 4 + length) return
      settle({ status: Number(head.slice(9, 12)), isClosing: /^connection: close/im.test(head) })
    }
    socket.on('data', read).on('close', fail)
    socket.write(octets)
  })
}
