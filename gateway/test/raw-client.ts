import { connect } from 'node:net'

/**
 * Writes these octets to a connection of its own. Resolves to the statuses of the final answers when the gateway has
 * closed it, or has sent as many of them as `until`.
 *
 * @param isCutOff ends the client's side after the last octet, as a sender does that disconnects
 */
export function converse(
  address: string,
  octets: Buffer,
  { until = Number.POSITIVE_INFINITY, isCutOff = false } = {}
): Promise<{ statuses: number[] }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1')
    let received = ''
    // Looks for status lines where an answer can begin: the recording upstream's bodies contain none.
    const statuses = () =>
      [...received.matchAll(/HTTP\/1\.1 ([2-9]\d\d) [^\r\n]*\r\n/g)].map(([, status]) => Number(status))
    const deadline = setTimeout(() => {
      socket.destroy()
      reject(new Error(`neither closed nor answered ${until} times; so far: ${JSON.stringify(received)}`))
    }, 50_000)
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
      if (statuses().length >= until) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(deadline)
      resolve({ statuses: statuses() })
    })
    if (isCutOff) socket.end(octets)
    else socket.write(octets)
  })
}
