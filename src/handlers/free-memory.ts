import type { MessagePort } from 'node:worker_threads'

let closedPort: MessagePort | undefined

/**
 * Empties a chunk and frees its memory at once. Node.js copies each chunk of HTTP/1 into an ArrayBuffer of its own, and
 * V8 begins to collect them when 32 MB are garbage.
 *
 * A buffer transferred to a closed port is detached and dropped (HTML, "message port post message steps").
 */
export function freeMemory(chunk: Uint8Array): void {
  const { buffer } = chunk
  // A larger buffer may be shared with other chunks.
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== chunk.byteLength) return
  try {
    closedPort ??= openAndClose()
    closedPort.postMessage(undefined, [buffer])
  } catch {
    // What cannot be transferred is left to the collector.
  }
}

function openAndClose(): MessagePort {
  const { port1 } = new MessageChannel()
  port1.close()
  return port1
}
