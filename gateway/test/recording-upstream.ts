import { startSockets } from './sockets.ts'

/** Holds one request as it came over the upstream's socket. */
export interface RecordedRequest {
  requestLine: string
  lines: (readonly [name: string, value: string])[]
  body: Buffer
}

/** Starts an upstream that is a raw TCP socket: it shows the exact octets, without the leniency of an HTTP server. */
export interface RecordingUpstream {
  readonly url: URL
  /** every request so far, over all connections */
  readonly requests: RecordedRequest[]
  /** octets that are not a request framed by one Content-Length */
  readonly strays: string[]
  close(): Promise<void>
}

const HEAD_END = '\r\n\r\n'

/** Answers every request with 200. */
export async function startRecordingUpstream(): Promise<RecordingUpstream> {
  const requests: RecordedRequest[] = []
  const strays: string[] = []
  const { url, close } = await startSockets(socket => {
    let pending = Buffer.alloc(0)
    socket.on('data', chunk => {
      pending = Buffer.concat([pending, chunk])
      for (;;) {
        const taken = take(pending)
        if (taken === 'incomplete') return
        if (typeof taken === 'string') {
          strays.push(`${taken}: ${JSON.stringify(pending.toString('latin1'))}`)
          socket.destroy()
          return
        }
        requests.push(taken.request)
        pending = pending.subarray(taken.size)
        const isHead = taken.request.requestLine.startsWith('HEAD ')
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${isHead ? '' : 'ok'}`)
      }
    })
    socket.on('close', () => {
      if (pending.length > 0 && take(pending) === 'incomplete')
        strays.push(`broken off: ${JSON.stringify(pending.toString('latin1'))}`)
    })
  })
  return { url, requests, strays, close }
}

/** Parses the first request in these octets, or says what is wrong with them. Follows RFC 9112 strictly. */
function take(octets: Buffer): { request: RecordedRequest; size: number } | 'incomplete' | (string & {}) {
  const text = octets.toString('latin1')
  const end = text.indexOf(HEAD_END)
  if (end < 0) return 'incomplete'
  const [requestLine = '', ...fields] = text.slice(0, end).split('\r\n')
  if (!/^[!#$%&'*+.^_`|~\w-]+ [^\x00-\x20\x7f]+ HTTP\/1\.1$/.test(requestLine)) return 'a bad request line'
  const lines: [string, string][] = []
  for (const field of fields) {
    const line = /^([!#$%&'*+.^_`|~\w-]+): ([^\x00-\x08\x0a-\x1f\x7f]*)$/.exec(field)
    if (line === null) return 'a bad header line'
    lines.push([line[1]!, line[2]!])
  }
  const named = (name: string) => lines.filter(([header]) => header.toLowerCase() === name)
  if (named('transfer-encoding').length > 0) return 'a transfer coding'
  const lengths = named('content-length')
  if (lengths.length > 1) return 'two lengths'
  const length = lengths[0]?.[1] ?? '0'
  if (!/^(?:0|[1-9]\d*)$/.test(length)) return 'a bad length'
  const size = end + HEAD_END.length + Number(length)
  if (octets.length < size) return 'incomplete'
  const body = Buffer.from(octets.subarray(end + HEAD_END.length, size))
  return { request: { requestLine, lines, body }, size }
}
