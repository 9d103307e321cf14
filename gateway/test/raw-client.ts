import { connect } from 'node:net'

/** What came back over one connection. */
export interface Conversation {
  /** the status of each final answer; interim ones (1xx) are in `interim` */
  statuses: number[]
  interim: number[]
  /** did the gateway close the connection? */
  isClosed: boolean
}

/**
 * Writes these octets to a connection of its own. Resolves when the gateway has closed it, or has sent as many answers
 * as `until`.
 *
 * @param isCutOff ends the client's side after the last octet, as a sender that dies
 */
export function converse(
  address: string,
  octets: Buffer,
  { until = Number.POSITIVE_INFINITY, isCutOff = false } = {}
): Promise<Conversation> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1')
    const deadline = setTimeout(() => {
      socket.destroy()
      reject(new Error(`neither closed nor answered ${until} times; so far: ${JSON.stringify(received)}`))
    }, 50_000)
    let received = ''
    const finish = (isClosed: boolean) => {
      clearTimeout(deadline)
      socket.destroy()
      resolve({ ...statusesOf(received), isClosed })
    }
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
      if (statusesOf(received).statuses.length >= until) finish(false)
    })
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
    if (isCutOff) socket.end(octets)
    else socket.write(octets)
  })
}

/** Status lines that stand where an answer can begin. The recording upstream's bodies have none in them. */
function statusesOf(received: string): Pick<Conversation, 'statuses' | 'interim'> {
  const all = [...received.matchAll(/HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g)].map(([, status]) => Number(status))
  return { statuses: all.filter(status => status >= 200), interim: all.filter(status => status < 200) }
}
