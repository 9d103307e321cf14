import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import type { VerifierOptions } from '../../src/index.ts'
import { type Bare, bareReceiver } from '../bare-receiver.ts'

/** What a receiver does with a refused request besides the answer. */
export type Reaction = 'nothing' | 'log' | 'recorder'

/** The parent sends one of these first. */
export type Setup = Bare | OwnHandler

/** A receiver like that of the README. */
export interface OwnHandler {
  /** the build's `dist` */
  readonly folder: string
  readonly reaction: Reaction
  readonly options: Omit<VerifierOptions, 'lookupTxt'>
  /** the records of each name, answered from memory */
  readonly records: Readonly<Record<string, string[][]>>
  /** of the recorder */
  readonly directory: string
}

/** Runs in a process of its own, so that its CPU is counted without the sender's. */
process.once('message', async (setup: Setup) => {
  const receive = 'folder' in setup ? await ownHandler(setup) : bareReceiver(setup, 'received')
  // A connection may have to wait for its turn for longer than 5 s.
  const server = createServer({ keepAliveTimeout: 0 }, receive).listen(0, '127.0.0.1', () => {
    process.send!((server.address() as AddressInfo).port)
    process.on('message', () => {
      const { user, system } = process.cpuUsage()
      process.send!(user + system)
    })
  })
})
process.once('disconnect', () => process.exit())

async function ownHandler({ folder, reaction, options, records, directory }: OwnHandler): Promise<RequestListener> {
  const load = (file: string) => import(pathToFileURL(`${folder}/${file}`).href)
  const main: typeof import('../../src/index.ts') = await load('index.js')
  const { createRecorder }: typeof import('../../src/recorder/index.ts') = await load('recorder/index.js')
  const verify = main.createVerifier({
    ...options,
    lookupTxt: async name => records[name] ?? [],
    ...(reaction === 'recorder' && { recorder: createRecorder({ directory }) })
  })
  return main.nodeHandler(
    verify,
    (_verified, _req, res) => {
      res.end('received')
    },
    reaction === 'nothing'
      ? {}
      : { onRefused: verdict => console.warn(JSON.stringify({ time: new Date(), ...main.logRecord(verdict) })) }
  )
}
