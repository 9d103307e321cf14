import { connect, type Socket } from 'node:net'
import type { ReceivedRequest } from 'signed-requests'
import { onTestFinished } from 'vitest'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { send, statusesOf } from '../../test/support/wire.ts'
import type { GatewaySettings } from '../src/options/settings.ts'
import { startSockets } from './sockets.ts'
import { startApplication, startTestGateway } from './start.ts'

/** Whatever is started here ends with the test, or with the file for `afterAll`. */
type AtEnd = (close: () => Promise<void>) => void

/** Starts a gateway in front of an application that records its requests. */
export async function start(settings: Partial<GatewaySettings> = {}, answer?: Parameters<typeof startApplication>[0]) {
  const application = await startApplication(answer)
  onTestFinished(application.close)
  return { ...(await startInFront(application.url, settings)), seen: application.seen }
}

export async function startInFront(
  upstream: URL,
  settings: Partial<GatewaySettings> = {},
  atEnd: AtEnd = onTestFinished
) {
  const gateway = await startTestGateway(upstream, settings)
  atEnd(async () => {
    await gateway.close()
  })
  /** Sends one request on a connection of its own; returns the statuses of the answers. */
  const statuses = async (signed: ReceivedRequest, more?: Parameters<typeof send>[2]) =>
    statusesOf(await send(gateway.address, signed, more))
  return { ...gateway, statuses }
}

/** Starts an upstream that reads a whole head and then calls this function; `count` counts the heads. */
export async function startRaw(
  answer: (socket: Socket, count: number, head: string) => unknown,
  atEnd: AtEnd = onTestFinished
): Promise<URL> {
  let count = 0
  const { url, close } = await startSockets(socket => {
    let text = ''
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      if (!text.includes('\r\n\r\n')) return
      count += 1
      answer(socket, count, text)
      text = ''
    })
  })
  atEnd(close)
  return url
}

/** Opens the sender's side of a connection, and sends these bytes. */
export function open(address: string, bytes: Uint8Array): Socket {
  const socket = connect(Number(new URL(`http://${address}`).port), '127.0.0.1').on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  socket.write(bytes)
  return socket
}

/** Returns everything that arrives on it until it is closed or reset. */
export function receivedOn(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', chunk => {
    text += chunk.toString('latin1')
  })
  return new Promise(resolve => socket.on('close', () => resolve(text)))
}

/** Counts the timers that keep the process. */
export const countTimers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length

/** Makes DNS that fails. */
export const withoutDns = {
  ...service.options,
  lookupTxt: () => Promise.reject(Object.assign(new Error('down'), { code: 'ESERVFAIL' }))
}

/** Makes DNS that replies when told to. */
export function heldDns() {
  let answer: (() => void) | undefined
  const lookupTxt: typeof service.lookupTxt = (...asked) =>
    new Promise(resolve => {
      answer = () => resolve(service.lookupTxt(...asked))
    })
  const isAsked = () => until(() => answer !== undefined)
  return { verifier: { ...service.options, lookupTxt }, isAsked, answerDns: () => answer?.() }
}

/** Sets a limit that a body of 11 bytes exceeds. */
export const withTinyBodies = { ...service.options, maxBodyBytes: 10 }

/** Accepts accounts once this many requests have arrived: their bodies are then read at once. */
export function untilAsked(count: number) {
  const waiting: (() => void)[] = []
  return () =>
    new Promise<boolean>(resolve => {
      waiting.push(() => resolve(true))
      if (waiting.length === count) for (const accept of waiting) accept()
    })
}
