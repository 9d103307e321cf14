import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import { getSystemErrorMap } from 'node:util'
import { joinPieces, waitForTurn } from '../../src/tools/index.ts'
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

/** Tells that a request was not verified: while its body is on its way, its connection may give way to a new one. */
type GiveWay = () => void

/**
 * The connections of a server, at most so many, and their answers in progress: pipelined ones in addition only while
 * all of them are as few as connections may be.
 *
 * When all connections are taken, a new one replaces another: one that has not sent a whole head, one that has not sent
 * the whole body of a request that was not verified, or one that is idle since its last answer. It is the oldest of the
 * largest of these groups, so that an attacker who has most of the connections loses them, and a few genuine senders do
 * not.
 */
export function trackConnections(server: Server, isTls: boolean, maxConnections: number) {
  const open = new Map<string, Socket>()
  /**
   * The peers of the connections that may be replaced, the oldest first. Of groups of the same size the first is taken.
   */
  const [unverified, idle, silent] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const groups = [unverified, idle, silent]
  /** The key is the socket of the requests; with TLS it is not the socket of the connection. */
  const running = new Map<Socket, Set<ServerResponse>>()
  const serving = new Set<Promise<void>>()
  let total = 0
  let isDraining = false

  function forget(peer: string): void {
    for (const peers of [open, ...groups]) peers.delete(peer)
  }

  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    open.set(peer, socket)
    silent.add(peer)
    socket.once('close', () => {
      if (open.get(peer) === socket) forget(peer)
    })
    if (open.size <= maxConnections) return
    // The new one is the last of the silent ones, so there is one.
    const [replaced = peer] = groups.reduce((most, group) => (group.size > most.size ? group : most))
    open.get(replaced)?.destroy()
    forget(replaced)
  })
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new Set())
    socket.once('close', () => running.delete(socket))
  })
  const lastAnswer = (socket: Socket) => [...(running.get(socket) ?? [])].at(-1)

  /** Runs a request when those before it on its connection were answered, unless one of them has closed it. */
  async function inTurn(res: ServerResponse, serve: (giveWay: GiveWay) => Promise<unknown>): Promise<void> {
    const { req } = res
    const { socket } = req
    const peer = peerOf(socket)
    const answers = running.get(socket)?.add(res)
    if (answers === undefined) return // it has closed already
    total += 1
    for (const group of groups) group.delete(peer)
    if (total > maxConnections && answers.size > 1) socket.destroy()
    if (isDraining) res.shouldKeepAlive = false
    const forgetAnswer = () => {
      if (!answers.delete(res)) return
      total -= 1
      unverified.delete(peer)
      if (answers.size === 0 && open.has(peer)) idle.add(peer)
      if (isDraining && answers.size === 0) socket.destroySoon()
    }
    res.once('close', forgetAnswer)
    const giveWay = () => {
      if (req.complete || !answers.has(res) || !open.has(peer)) return
      unverified.add(peer)
      req.once('end', () => unverified.delete(peer))
    }
    if (await waitForTurn(req, res)) await serve(giveWay)
    else forgetAnswer()
  }

  return {
    lastAnswer,
    /** Runs a request in its turn. An error is printed, and ends the connection. */
    run(res: ServerResponse, serve: (giveWay: GiveWay) => Promise<unknown>): Promise<void> {
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
    /** Destroys the connections that are left. */
    destroy(): void {
      for (const socket of open.values()) socket.destroy()
    }
  }
}
