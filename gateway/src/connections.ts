import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import { getSystemErrorMap } from 'node:util'
import { joinPieces, waitForTurn } from '../../src/internal/index.ts'
import { type Budget, createBudget } from './budget.ts'
import type { Address } from './options/parse.ts'

/** Writes an address as in a URL: IPv6 in brackets. */
export const authorityOf = (host: string, port: number): string =>
  `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`

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
  forNothing(): void
  /** @param onRevoked answers the request; @returns ends the wait */
  forKey(onRevoked: () => void): () => void
  /**
   * Does nothing if the body has arrived.
   *
   * @param owner identifies what all copies of the request have in common
   */
  forBody(owner: unknown, onRevoked: () => void): () => void
}

/** The waits of a request whose connection nobody else needs. */
export const ALONE: Waits = { forNothing: () => {}, forKey: () => () => {}, forBody: () => () => {} }

/**
 * Limits the connections of a server and the answers in progress: pipelined answers are only added while all of them
 * are no more than connections may be.
 *
 * When all connections are taken, a new one replaces another: one that has not sent a whole head, one that is idle
 * since its last answer, one whose request was not verified and has no whole answer (while observing, that waits for
 * the application), or one whose request waits for DNS, or for the rest of its body. It is one of the largest group, so
 * that an attacker who has most of the connections loses them, and a few genuine senders do not: the newest copy of a
 * request that has several, or else the oldest.
 */
export function trackConnections(server: Server, isTls: boolean, maxConnections: number) {
  const open = new Map<string, Socket>()
  const groups = {
    unverified: createBudget(),
    idle: createBudget(),
    silent: createBudget(),
    key: createBudget(),
    body: createBudget()
  }
  /** The key is the socket of the requests; with TLS it is not the socket of the connection. */
  const running = new Map<Socket, Set<ServerResponse>>()
  const serving = new Set<Promise<void>>()
  /** The end of what each connection waits for, by its peer. */
  const waiting = new Map<string, () => void>()
  let total = 0
  let isDraining = false

  function forget(peer: string): void {
    waiting.get(peer)?.()
    open.delete(peer)
  }

  /** Notes what a connection waits for now, until that or another wait begins or ends. */
  function wait(peer: string, group: Budget, owner: unknown, onRevoked: () => void): () => void {
    waiting.get(peer)?.()
    const lease = group.lease(owner, () => {
      forget(peer)
      onRevoked()
    })
    lease.charge(1)
    const end = () => {
      lease.release()
      if (waiting.get(peer) === end) waiting.delete(peer)
    }
    waiting.set(peer, end)
    return end
  }

  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    open.set(peer, socket)
    wait(peer, groups.silent, peer, () => socket.destroy())
    socket.once('close', () => {
      if (open.get(peer) === socket) forget(peer)
    })
    if (open.size <= maxConnections) return
    // The new one is silent, so there is one.
    Object.values(groups)
      .reduce((most, group) => (group.used() > most.used() ? group : most))
      .revokeOne()
  })
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new Set())
    socket.once('close', () => running.delete(socket))
  })
  const lastAnswer = (socket: Socket) => [...(running.get(socket) ?? [])].at(-1)

  /** Runs a request when those before it on its connection were answered, unless one of them has closed it. */
  async function inTurn(res: ServerResponse, serve: (waits: Waits) => Promise<unknown>): Promise<void> {
    const { req } = res
    const { socket } = req
    const peer = peerOf(socket)
    const answers = running.get(socket)?.add(res)
    if (answers === undefined) return // it has closed already
    total += 1
    // A pipelined request must not end the wait of the one before it.
    if (answers.size === 1) waiting.get(peer)?.()
    if (total > maxConnections && answers.size > 1) socket.destroy()
    if (isDraining) res.shouldKeepAlive = false
    const forgetAnswer = () => {
      if (!answers.delete(res)) return
      total -= 1
      waiting.get(peer)?.()
      if (answers.size === 0 && open.has(peer)) wait(peer, groups.idle, peer, () => socket.destroy())
      if (isDraining && answers.size === 0) socket.destroySoon()
    }
    res.once('close', forgetAnswer)
    const waitIn = (group: Budget, owner: unknown, onRevoked: () => void) => {
      if (!answers.has(res) || !open.has(peer)) return () => {}
      return wait(peer, group, owner, () => {
        res.shouldKeepAlive = false
        onRevoked()
      })
    }
    const waitForBody: Waits['forBody'] = (...how) => (req.complete ? () => {} : waitIn(groups.body, ...how))
    const waits: Waits = {
      forKey: onRevoked => waitIn(groups.key, peer, onRevoked),
      forBody: waitForBody,
      forNothing() {
        waitIn(groups.unverified, peer, () => socket.destroy())
      }
    }
    if (await waitForTurn(req, res)) await serve(waits)
    else forgetAnswer()
  }

  return {
    lastAnswer,
    /** Runs a request in its turn. An error is printed, and ends the connection. */
    run(res: ServerResponse, serve: (waits: Waits) => Promise<unknown>): Promise<void> {
      joinPieces(res.req)
      const over = inTurn(res, serve)
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
    /** Takes no new connection and closes idle ones; the others are closed as their answers end. */
    drain(): void {
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
