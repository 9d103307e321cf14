import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import { getSystemErrorMap } from 'node:util'
import { mergeSmallChunks, waitForTurn } from '../../src/internal/index.ts'
import { authorityOf, networkOf } from './addresses.ts'
import type { Address } from './options/parse.ts'
import { createWaitingConnections, type Reason, type Waiter } from './waiting.ts'

/** Resolves to IP and port, the real one when 0 was asked for: `127.0.0.1:8080`. */
export async function listen(server: Server, { host, port }: Address): Promise<string> {
  server.listen(port, host.replace(/^\[|\]$/g, ''))
  await once(server, 'listening').catch(({ errno = 0, code }: NodeJS.ErrnoException) => {
    const [, problem] = getSystemErrorMap().get(errno) ?? []
    throw new Error(`cannot listen on ${authorityOf(host, port)} (--listen or --admin): ${problem ?? code}`)
  })
  return authorityOf(host, (server.address() as AddressInfo).port)
}

/** Returns whether an answer was sent, or cannot be. */
export const isOver = (res: ServerResponse): boolean => res.writableFinished || res.destroyed

/** Resolves when an answer was sent, or cannot be. */
export const whenOver = (res: ServerResponse): Promise<void> =>
  new Promise(resolve => {
    if (isOver(res)) return resolve()
    res.once('finish', resolve).once('close', resolve)
  })

/** Identifies a connection of a listener: with TLS, the socket of a connection is not that of its requests. */
const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** Notes what a request waits for. Meanwhile a new connection may replace its own when all are taken. */
export interface Waits {
  /** Says that the request was not verified: until its answer is over, a new connection may replace its own. */
  forAnswer(): void
  /**
   * @param onRevoked answers the request
   * @param onGone called when the sender has gone meanwhile
   */
  forKey(onRevoked: () => void, onGone: () => void): void
  /**
   * Does nothing if the body has arrived.
   *
   * @param owner identifies what all copies of the request have in common
   */
  forBody(owner: unknown, onRevoked: () => void): void
  /** Ends the wait for the key or the body. */
  end(): void
}

/** The waits of a request whose connection no other can replace. */
export const NO_WAITS: Waits = { forAnswer: () => {}, forKey: () => {}, forBody: () => {}, end: () => {} }

/** A connection of the listener, and its answers in progress, in the order of its requests. */
interface Connection extends Waiter {
  readonly socket: Socket
  readonly peer: string
  readonly answers: Set<ServerResponse>
  /** whether it is one of those that are limited: a new one may have taken its place */
  isCounted: boolean
}

/**
 * Limits the connections of a server and the answers in progress: pipelined answers are only added while all of them
 * are no more than connections may be.
 *
 * When all connections are taken, a new one replaces one of the largest group that waits for something: an attacker who
 * has most of the connections loses them, and a few genuine senders do not. Of connections without a
 * whole head it is a random one of the network address that has most of them; of the others, the newest copy of a
 * request that has several, or else the oldest.
 */
export function trackConnections(server: Server, isTls: boolean, maxConnections: number): Connections {
  const connections = new Connections(server, maxConnections)
  server.on('connection', socket => connections.accept(socket))
  server.on(isTls ? 'secureConnection' : 'connection', socket => connections.expectRequests(socket))
  return connections
}

export class Connections {
  private readonly server: Server
  private readonly maxConnections: number
  private readonly waiting = createWaitingConnections()
  private readonly open = new Map<string, Connection>()
  /** The key is the socket of the requests; with TLS it is not the socket of the connection. */
  private readonly running = new Map<Socket, Connection>()
  /** requests that are served or wait for their turn, also those whose sender has disconnected */
  private serving = 0
  private onServed: (() => void)[] = []
  /** answers in progress */
  private total = 0
  private isEnding = false
  private isDraining = false

  constructor(server: Server, maxConnections: number) {
    this.server = server
    this.maxConnections = maxConnections
  }

  /** Counts a new connection, in the place of another one if all are taken. */
  accept(socket: Socket): void {
    // The new one is not among those that may be replaced.
    if (this.open.size >= this.maxConnections && !this.waiting.replaceOne()) return void socket.destroy()
    const connection = createConnection(socket, true)
    const { peer } = connection
    this.open.set(peer, connection)
    this.waiting.begin(connection, 'silent', () => this.close(connection), networkOf(socket.remoteAddress))
    socket.once('close', () => {
      this.waiting.end(connection)
      this.uncount(connection)
    })
  }

  /** Notes the socket on which the requests of a connection come. */
  expectRequests(socket: Socket): void {
    // A connection that was refused or replaced during its handshake is no longer counted.
    this.running.set(socket, this.open.get(peerOf(socket)) ?? createConnection(socket, false))
    socket.once('close', () => this.running.delete(socket))
  }

  /** Returns the answer to the last request of a connection. */
  lastAnswer(socket: Socket): ServerResponse | undefined {
    return [...(this.running.get(socket)?.answers ?? [])].at(-1)
  }

  /** Runs a request in its turn. An error is printed, and ends the connection. */
  async run(res: ServerResponse, serve: (waits: Waits) => Promise<unknown>): Promise<void> {
    mergeSmallChunks(res.req)
    const connection = this.running.get(res.req.socket)
    if (connection === undefined) return // it has closed already
    this.serving += 1
    try {
      await this.runInTurn(res, connection, serve)
    } catch (error) {
      console.error(error)
      res.destroy()
    }
    this.serving -= 1
    if (this.serving > 0) return
    for (const resolve of this.onServed) resolve()
    this.onServed = []
  }

  /** Runs a request when those before it on its connection were answered, unless one of them has closed it. */
  private async runInTurn(
    res: ServerResponse,
    connection: Connection,
    serve: (waits: Waits) => Promise<unknown>
  ): Promise<void> {
    const { answers } = connection
    const { socket } = res.req
    answers.add(res)
    this.total += 1
    // A pipelined request must not end the wait of the one before it.
    if (answers.size === 1) this.waiting.end(connection)
    if (this.total > this.maxConnections && answers.size > 1) socket.destroy()
    if (this.isEnding) res.shouldKeepAlive = false
    const request = new RequestWaits(this, res, connection)
    res.on('close', () => {
      request.onGone?.()
      this.forget(res, connection)
    })
    const isInTurn = (await waitForTurn(res.req, res)) && (res.socket !== null || (await getsConnection(res, request)))
    if (isInTurn) await serve(request)
    else this.forget(res, connection)
  }

  /** Forgets an answer that is over. */
  private forget(res: ServerResponse, connection: Connection): void {
    const { answers } = connection
    if (!answers.delete(res)) return
    this.total -= 1
    this.waiting.end(connection)
    if (answers.size > 0) return
    if (connection.isCounted) this.waiting.begin(connection, 'idle', () => this.close(connection))
    if (this.isDraining) res.req.socket.destroySoon()
  }

  /** Begins a wait of a request that is not over. */
  wait(res: ServerResponse, connection: Connection, reason: Reason, onReplaced: () => void, owner?: unknown): void {
    if (!connection.answers.has(res) || !connection.isCounted) return
    const replace = () => {
      this.uncount(connection)
      res.shouldKeepAlive = false
      onReplaced()
    }
    this.waiting.begin(connection, reason, replace, owner)
  }

  /** Ends the wait of a request that is not over. */
  endWait(res: ServerResponse, connection: Connection): void {
    if (connection.answers.has(res)) this.waiting.end(connection)
  }

  private uncount(connection: Connection): void {
    const { peer } = connection
    connection.isCounted = false
    // Another one may have its peer: a port is used again after a reset, and a sender that is gone has none.
    if (this.open.get(peer) === connection) this.open.delete(peer)
  }

  private close(connection: Connection): void {
    this.uncount(connection)
    connection.socket.destroy()
  }

  /** Resolves when all are over, also those whose sender has disconnected. */
  async served(): Promise<true> {
    while (this.serving > 0) await new Promise<void>(resolve => this.onServed.push(resolve))
    return true
  }

  /** Closes each connection after its next answer, so that a balancer moves on; new ones are still taken. */
  announceEnd(): void {
    this.isEnding = true
  }

  /** Takes no new connection and closes idle ones; the others are closed as their answers end. */
  drain(): void {
    this.isEnding = true
    this.isDraining = true
    // close() of node:http would destroy connections whose answer was ended but is not sent yet.
    TcpServer.prototype.close.call(this.server)
    for (const socket of this.running.keys()) {
      const last = this.lastAnswer(socket)
      if (last === undefined) socket.destroy()
      else last.shouldKeepAlive = false
    }
  }

  /** Destroys what is left. */
  destroy(): void {
    for (const { socket } of this.open.values()) socket.destroy()
  }
}

/**
 * Resolves to whether an answer gets its connection. Node.js answers some requests by itself, such as one without Host,
 * and may close the connection then: an answer that waits behind it would never be over.
 */
function getsConnection(res: ServerResponse, waits: Waits): Promise<boolean> {
  const { socket } = res.req
  waits.forAnswer()
  return new Promise(resolve => {
    if (socket.destroyed) return resolve(false)
    const end = (isAssigned: boolean) => {
      res.off('socket', onSocket)
      socket.off('close', onClose)
      resolve(isAssigned)
    }
    const onSocket = () => end(true)
    const onClose = () => end(false)
    res.once('socket', onSocket)
    socket.once('close', onClose)
  })
}

const createConnection = (socket: Socket, isCounted: boolean): Connection => ({
  socket,
  peer: peerOf(socket),
  answers: new Set(),
  isCounted,
  group: undefined,
  lease: undefined,
  onReplaced: () => {}
})

/** The waits of one request. Most requests have none but that for the key. */
class RequestWaits implements Waits {
  private readonly connections: Connections
  private readonly res: ServerResponse
  private readonly connection: Connection
  /** called when the connection closes during a wait for the key */
  onGone: (() => void) | undefined

  constructor(connections: Connections, res: ServerResponse, connection: Connection) {
    this.connections = connections
    this.res = res
    this.connection = connection
  }

  forAnswer(): void {
    this.connections.wait(this.res, this.connection, 'unverified', () => this.res.req.socket.destroy())
  }

  forKey(onRevoked: () => void, onGone: () => void): void {
    this.onGone = onGone
    this.connections.wait(this.res, this.connection, 'key', onRevoked)
  }

  forBody(owner: unknown, onRevoked: () => void): void {
    if (!this.res.req.complete) this.connections.wait(this.res, this.connection, 'body', onRevoked, owner)
  }

  end(): void {
    this.onGone = undefined
    this.connections.endWait(this.res, this.connection)
  }
}
