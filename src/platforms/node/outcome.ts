import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { isFailure } from '../handler.ts'
import type { NodeResponse } from './refusal.ts'
import type { NodeRequest } from './request.ts'

/**
 * Calls `onFailure` when the response has finished with a status of 500 or more, or when the receiver has destroyed it:
 * its work has failed. A sender that hangs up does not call it, because the work may be done. It may be called again,
 * and must be set before the handler runs.
 */
export function watchOutcome(req: NodeRequest, res: NodeResponse, onFailure: () => void): void {
  if ('stream' in res) watchStream(res, onFailure)
  else watchConnection(req.socket, res, onFailure)
}

/** Returns whether a failure was sent: a status that was only set may still change. */
const hasFailed = (res: NodeResponse): boolean => res.headersSent && isFailure(res.statusCode)

function watchConnection(socket: Partial<Socket> | null, res: ServerResponse, onFailure: () => void): void {
  const check = () => {
    if (hasFailed(res)) onFailure()
  }
  // Node.js destroys the response when its connection has closed: until then, only the receiver can have done it.
  const onClose = () => {
    if (res.destroyed && !hasHungUp(socket as Socket, res.errored)) onFailure()
    else check()
  }
  // Some platforms emulate a request, and its socket is not one.
  socket?.prependListener?.('close', onClose)
  // A pipeline to the response has most of the listeners of `close` that Node.js takes for a leak, so none is added.
  res.once('finish', () => {
    socket?.off?.('close', onClose)
    check()
  })
  // Comes late, and alone, when the handler answers a sender that has gone.
  res.once('prefinish', check)
}

/** Returns whether the sender has ended or reset the connection, before the response was destroyed with this error. */
const hasHungUp = (socket: Socket, error: Error | null): boolean =>
  socket.readableEnded || (socket.errored !== null && socket.errored !== error)

function watchStream(res: Http2ServerResponse, onFailure: () => void): void {
  const { stream } = res
  stream.once('aborted', () => {
    // A stream that the sender has reset is not destroyed yet; when the session ends, it ends first.
    if (stream.destroyed && stream.session?.destroyed === false) onFailure()
  })
  res.once('finish', () => {
    if (hasFailed(res)) onFailure()
  })
}
