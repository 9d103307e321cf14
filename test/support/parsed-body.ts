import type { IncomingMessage } from 'node:http'
import { fromNodeRequest } from '../../src/index.ts'

/** Returns the message for a parsed body, which says for each framework what to write instead. */
export function parsedBodyMessage(): string {
  try {
    fromNodeRequest({ rawHeaders: [] } as never as IncomingMessage, { body: { parsed: true } as never })
  } catch (error) {
    return (error as TypeError).message
  }
  throw new TypeError('a parsed body was taken')
}
