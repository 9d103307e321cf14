import type { MessagePort } from 'node:worker_threads'

let closedPort: MessagePort | undefined

/**
 * Empties a chunk, and gives its memory back at once. V8 would do so when the chunks of 32 MB are garbage, and later on
 * another thread.
 *
 * What is transferred to a closed port is detached, and goes nowhere (HTML, "message port post message steps").
 */
export function freeMemory(chunk: Uint8Array): void {
  const { buffer } = chunk
  // A larger buffer is shared with other chunks.
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
