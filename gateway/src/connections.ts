import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import { getSystemErrorMap } from 'node:util'
import { mergeSmallChunks, waitForTurn } from '../../src/internal/index.ts'
import { authorityOf, networkOf } from './addresses.ts'
import type { Address } from './options/parse.ts'
import { createWaitingConnections } from './waiting.ts'

/** Resolves to IP and port, the real one when 0 was asked for: `127.0.0.1:8080`. */
export async function listen(server: Server, { host, port }: Address): Promise<string> {
  server.listen(port, host.replace(/^\[|\]$/g, ''))
  await once(server, 'listening').catch(({ errno = 0, code }: NodeJS.ErrnoException) => {
    const [, problem] = getSystemErrorMap().get(errno) ?? []
    throw new Error(`cannot listen on ${authorityOf(host, port)} (--listen or --admin): ${problem ?? code}`)
  })
  return authorityOf(host, (server.address() as AddressInfo).port)
}

/** Resolves when an answer was sent, or cannot be. */
export const whenOver = (res: ServerResponse): Promise<void> =>
  new Promise(resolve => {
    if (res.writableFinished || res.destroyed) return resolve()
    res.once('finish', resolve).once('close', resolve)
  })

/** Identifies a connection of a listener: with TLS, the socket of a connection is not that of its requests. */
const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** Notes what a request waits for. Meanwhile a new connection may replace its own when all are taken. */
export interface Waits {
  /** Says that the request was not verified: until its answer is over, a new connection may replace its own. */
  forAnswer(): void
  /** @param onRevoked answers the request; @returns ends the wait */
  forKey(onRevoked: () => void): () => void
  /**
   * Does nothing if the body has arrived.
   *
   * @param owner identifies what all copies of the request have in common
   */
  forBody(owner: unknown, onRevoked: () => void): () => void
}

/** The waits of a request whose connection no other can replace. */
export const NO_WAITS: Waits = { forAnswer: () => {}, forKey: () => () => {}, forBody: () => () => {} }

/** Answers are in progress on a connection, in the order of its requests. */
type Answers = Set<ServerResponse>

/**
 * Limits the connections of a server and the answers in progress: pipelined answers are only added while all of them
 * are no more than connections may be.
 *
 * When all connections are taken, a new one replaces one of the largest group that waits for something: an attacker who
 * has most of the connections loses them, and a few genuine senders do not. Of connections without a
 * whole head it is a random one of the network address that has most of them; of the others, the newest copy of a
 * request that has several, or else the oldest.
 */
export function trackConnections(server: Server, isTls: boolean, maxConnections: number) {
  const open = new Map<string, Socket>()
  const waiting = createWaitingConnections()
  /** The key is the socket of the requests; with TLS it is not the socket of the connection. */
  const running = new Map<Socket, Answers>()
  const serving = new Set<Promise<void>>()
  let total = 0
  let isEnding = false
  let isDraining = false

  function forget(peer: string): void {
    waiting.end(peer)
    open.delete(peer)
  }

  server.on('connection', (socket: Socket) => {
    // The new one is not among those that may be replaced.
    if (open.size >= maxConnections && !waiting.replaceOne()) return void socket.destroy()
    const peer = peerOf(socket)
    open.set(peer, socket)
    waiting.begin(peer, 'silent', networkOf(socket.remoteAddress), () => {
      open.delete(peer)
      socket.destroy()
    })
    socket.once('close', () => {
      if (open.get(peer) === socket) forget(peer)
    })
  })
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new Set())
    socket.once('close', () => running.delete(socket))
  })
  const lastAnswer = (socket: Socket) => [...(running.get(socket) ?? [])].at(-1)

  /** Forgets an answer that is over. */
  function forgetAnswer(res: ServerResponse, answers: Answers, peer: string, socket: Socket): void {
    if (!answers.delete(res)) return
    total -= 1
    waiting.end(peer)
    if (answers.size > 0) return
    if (open.has(peer))
      waiting.begin(peer, 'idle', peer, () => {
        open.delete(peer)
        socket.destroy()
      })
    if (isDraining) socket.destroySoon()
  }

  function waitsOf(res: ServerResponse, answers: Answers, peer: string): Waits {
    const { req } = res
    const begin = (reason: 'unverified' | 'key' | 'body', owner: unknown, onReplaced: () => void) => {
      if (!answers.has(res) || !open.has(peer)) return () => {}
      return waiting.begin(peer, reason, owner, () => {
        open.delete(peer)
        res.shouldKeepAlive = false
        onReplaced()
      })
    }
    return {
      forKey: onRevoked => begin('key', peer, onRevoked),
      forBody: (owner, onRevoked) => (req.complete ? () => {} : begin('body', owner, onRevoked)),
      forAnswer: () => void begin('unverified', peer, () => req.socket.destroy())
    }
  }

  /** Runs a request when those before it on its connection were answered, unless one of them has closed it. */
  async function runInTurn(res: ServerResponse, serve: (waits: Waits) => Promise<unknown>): Promise<void> {
    const { socket } = res.req
    const peer = peerOf(socket)
    const answers = running.get(socket)?.add(res)
    if (answers === undefined) return // it has closed already
    total += 1
    // A pipelined request must not end the wait of the one before it.
    if (answers.size === 1) waiting.end(peer)
    if (total > maxConnections && answers.size > 1) socket.destroy()
    if (isEnding) res.shouldKeepAlive = false
    const onOver = () => forgetAnswer(res, answers, peer, socket)
    res.once('close', onOver)
    if (await waitForTurn(res.req, res)) await serve(waitsOf(res, answers, peer))
    else onOver()
  }

  return {
    lastAnswer,
    /** Runs a request in its turn. An error is printed, and ends the connection. */
    run(res: ServerResponse, serve: (waits: Waits) => Promise<unknown>): Promise<void> {
      mergeSmallChunks(res.req)
      const over = runInTurn(res, serve)
        .catch(error => {
          console.error(error)
          res.destroy()
        })
        .finally(() => serving.delete(over))
      serving.add(over)
      return over
    },
    /** Resolves when all are over, also those whose sender has disconnected. */
    async served(): Promise<true> {
      while (serving.size > 0) await Promise.all(serving)
      return true
    },
    /** Closes each connection after its next answer, so that a balancer moves on; new ones are still taken. */
    announceEnd(): void {
      isEnding = true
    },
    /** Takes no new connection and closes idle ones; the others are closed as their answers end. */
    drain(): void {
      isEnding = true
      isDraining = true
      // close() of node:http would destroy connections whose answer was ended but is not sent yet.
      TcpServer.prototype.close.call(server)
      for (const socket of running.keys()) {
        const last = lastAnswer(socket)
        if (last === undefined) socket.destroy()
        else last.shouldKeepAlive = false
      }
    },
    /** Destroys what is left. */
    destroy(): void {
      for (const socket of open.values()) socket.destroy()
    }
  }
}
