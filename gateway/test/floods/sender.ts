import { connect, type Socket } from 'node:net'

/** The parent sends this first, and gets `'ready'`, then an `Outcome` at the end. */
export interface Flood {
  readonly port: number
  /** the bytes of each request, in base64: sent in turn */
  readonly requests: readonly string[]
  readonly connections: number
  readonly perSecond: number
  readonly seconds: number
}

export interface Outcome {
  readonly sent: number
  /** by status */
  readonly answers: Readonly<Record<string, number>>
  /** connections that the receiver closed */
  readonly closed: number
}

/** A connection has at most so many requests without an answer; all that may be sent are sent in one write. */
const MOST_IN_FLIGHT = 8
const TICK = 4

/** A flood in a process of its own: what it costs must not slow down the genuine sender. */
process.once('message', ({ port, requests, connections, perSecond, seconds }: Flood) => {
  const each = requests.map(request => Buffer.from(request, 'base64'))
  // Twice, so that requests in a row are one slice.
  const octets = Buffer.concat([...each, ...each])
  const starts = [0]
  for (const { length } of [...each, ...each]) starts.push(starts.at(-1)! + length)
  const answers: Record<string, number> = {}
  let [sent, closed, next] = [0, 0, 0]
  let isOver = false
  const lines = Array.from({ length: connections }, open)

  // Node.js accepts one connection in each turn of its loop: who connects after these would wait for all of them.
  for (const line of lines) line.fill(1)
  const wait = setInterval(() => {
    if (!lines.every(line => line.isIdle())) return
    clearInterval(wait)
    process.send!('ready')
    begin()
  }, TICK)

  function begin(): void {
    const start = performance.now()
    const before = sent
    const timer = setInterval(() => {
      const elapsed = performance.now() - start
      if (elapsed > seconds * 1000) return finish(timer)
      const due = before + Math.floor((elapsed / 1000) * perSecond)
      for (let i = 0; i < lines.length && sent < due; i++) lines[(next + i) % lines.length]!.fill(due - sent)
      next = (next + 1) % lines.length
    }, TICK)
  }

  /** A second later the last answers have arrived. */
  function finish(timer: NodeJS.Timeout): void {
    clearInterval(timer)
    isOver = true
    setTimeout(() => process.send!({ sent, answers, closed } satisfies Outcome), 1000)
  }

  function open() {
    let socket: Socket | undefined
    let inFlight = 0
    let at = Math.floor(Math.random() * each.length)

    function connected(): Socket {
      inFlight = 0
      let rest = ''
      return connect({ port, host: '127.0.0.1', noDelay: true })
        .on('error', () => {}) // ends in 'close'
        .on('data', chunk => {
          const text = rest + chunk.toString('latin1')
          let end = 0
          for (const { 0: found, 1: status = '', index } of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
            end = index + found.length
            inFlight -= 1
            answers[status] = (answers[status] ?? 0) + 1
          }
          // A status line may be cut.
          rest = text.slice(Math.max(end, text.length - 'HTTP/1.1 200'.length + 1))
        })
        .on('close', () => {
          socket = undefined
          if (!isOver) closed += 1
        })
    }

    return {
      isIdle: () => inFlight === 0,
      fill(most: number) {
        socket ??= connected()
        const count = Math.min(MOST_IN_FLIGHT - inFlight, most, each.length)
        if (count <= 0) return
        socket.write(octets.subarray(starts[at], starts[at + count]))
        at = (at + count) % each.length
        inFlight += count
        sent += count
      }
    }
  }
})
process.once('disconnect', () => process.exit())
