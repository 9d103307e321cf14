import { isIP, type Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'

/**
 * Milliseconds that an idle connection is kept: less than any common server does (gunicorn: 2 s), so that a request
 * rarely meets a connection that is just being closed. No request is sent twice, so that would be a 502.
 */
const IDLE = 1000

/** The state of one connection to the upstream. It carries one request at a time. */
export interface Connection {
  /** the connection is ending, and that by a reset */
  isReset: boolean
  /** the head of the answer to the last request, as far as it was not checked; undefined when it was */
  unchecked: string | undefined
}

/** A request for the pool. The client that carries it notes its connection here. */
export interface UpstreamRequest extends Dispatcher.DispatchOptions {
  connection?: Connection
}

/**
 * Makes a pool of connections that accept only complete answers of HTTP/1.
 *
 * @param timeout milliseconds until a connection is made, until an answer begins, and between two parts of it
 */
export function createPool(url: URL, hostname: string, timeout: number): Pool {
  return new Pool(url, {
    factory: (origin, options) => strictClient(origin, options, hostname, timeout),
    pipelining: 1,
    keepAliveTimeout: IDLE,
    keepAliveMaxTimeout: IDLE,
    headersTimeout: timeout,
    bodyTimeout: timeout
  })
}

function strictClient(origin: URL, options: object, hostname: string, timeout: number): Client {
  const connection: Connection = { isReset: false, unchecked: '' }
  const client = new Client(origin, { ...options, connect: strictConnector(hostname, timeout, connection) })
  const dispatch = client.dispatch.bind(client)
  client.dispatch = (request, handler) => {
    Object.assign(request, { connection } satisfies Partial<UpstreamRequest>)
    return dispatch(request, handler)
  }
  return client
}

function strictConnector(hostname: string, timeout: number, connection: Connection): buildConnector.connector {
  // Half open, so that a connection that was ended can still be written to.
  const connect = buildConnector({ timeout, allowHalfOpen: true })
  const servername = isIP(hostname) === 0 ? hostname : ''
  return (options, callback) =>
    connect({ ...options, servername, host: hostname }, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      connection.isReset = false
      watch(socket, connection)
      callback(null, socket)
    })
}

function watch(socket: Socket, connection: Connection): void {
  // undici takes a reset as the end of an answer without a length, but that answer was cut off.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = 'CUT_OFF'
  })
  // Node.js reports a reset right behind data as a plain end (libuv). Writing fails after a reset, and not after an
  // end.
  socket.on('end', () => {
    socket.write('\r\n')
    connection.isReset = socket.errored !== null
  })
  // The parser of undici accepts HTTP/2.0 and HTTP/0.9. One request at a time is sent, and one answer comes, which may
  // begin before the request has been sent as a whole.
  socket.on('data', (chunk: Buffer) => {
    if (!isHttp1(connection, chunk)) socket.destroy(new Error('the answer is not HTTP/1'))
  })
}

const END_OF_HEAD = '\r\n\r\n'
const VERSION = 'HTTP/1.'

/** The beginning of most answers: no interim one, and whole up to its status. */
const FINAL = /^HTTP\/1\.. [^1]/
const STATUS_LINE = 'HTTP/1.1 2'.length

/** Checks the version of an answer, and of each interim one (1xx) before it. */
function isHttp1(connection: Connection, chunk: Buffer): boolean {
  if (connection.unchecked === undefined) return true
  if (connection.unchecked === '' && FINAL.test(chunk.toString('latin1', 0, STATUS_LINE))) {
    connection.unchecked = undefined
    return true
  }
  let searched = connection.unchecked.length - END_OF_HEAD.length
  let text = connection.unchecked + chunk.toString('latin1')
  connection.unchecked = text
  while (text.startsWith(VERSION)) {
    const status = text.charAt('HTTP/1.1 '.length)
    if (status === '') return true
    connection.unchecked = status === '1' ? text : undefined
    if (status !== '1') return true
    const end = text.indexOf(END_OF_HEAD, Math.max(0, searched))
    if (end < 0) return true
    text = text.slice(end + END_OF_HEAD.length)
    connection.unchecked = text
    searched = 0
  }
  return VERSION.startsWith(text)
}
