import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReceivedRequest } from '../../src/index.ts'
import { wire } from '../../test/support/wire.ts'
import type { Build } from '../dist.ts'
import type { Contender } from '../rounds.ts'
import type { Sample } from '../sample.ts'
import type { Reaction, Setup } from './receiver.ts'

/** A sender keeps a few connections to its receiver. */
const CONNECTIONS = 4

/** A kind of request, of which many are sent. */
export interface Kind {
  readonly name: string
  readonly requests: readonly ReceivedRequest[]
  readonly status: number
}

/** A receiver in a process of its own, and connections to it over loopback. */
export interface Receiver {
  /** Sends requests of this kind; what counts is the receiver's CPU. */
  readonly contender: (kind: Kind) => Contender
  readonly stop: () => Promise<void>
}

/** Starts a server that hashes the body and verifies a signing string that is ready. */
export const startBare = ({ signingString, signature, key }: Sample): Promise<Receiver> =>
  start({
    signingString: signingString.toString('latin1'),
    signature: signature.toString('base64'),
    key: key.export({ type: 'spki', format: 'pem' }) as string
  })

/** Starts a server with the `nodeHandler` of a build, whose key comes from memory. */
export async function startHandler(build: Build, reaction: Reaction, { options, keyId }: Sample): Promise<Receiver> {
  const { lookupTxt, ...rest } = options
  const directory = mkdtempSync(join(tmpdir(), 'signed-requests-bench-'))
  const receiver = await start({
    folder: build.folder,
    reaction,
    options: { ...rest, requireHttps: false },
    records: { [keyId]: await lookupTxt!(keyId, { signal: new AbortController().signal }) },
    directory
  })
  return {
    ...receiver,
    async stop() {
      await receiver.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

async function start(setup: Setup): Promise<Receiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc']
  })
  const ask = async (message: object): Promise<number> => {
    const answered = once(child, 'message')
    child.send(message)
    return (await answered)[0] as number
  }
  const port = await ask(setup)
  const connections = Array.from({ length: CONNECTIONS }, () => createConnection(port))
  return {
    contender({ name, requests, status }) {
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
    },
    async stop() {
      for (const { close } of connections) close()
      child.disconnect()
      await once(child, 'exit')
    }
  }
}

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
