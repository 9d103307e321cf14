import { createPublicKey } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { hashAndVerify } from './floor.ts'

/** The input of the floor, whatever is sent: a request's signing string, its signature and its key. */
export interface Bare {
  readonly signingString: string
  readonly signature: string
  readonly key: string
}

/** Makes a receiver that does the floor alone, and answers with this text. */
export function bareReceiver({ signingString, signature, key }: Bare, text = ''): RequestListener {
  const [signed, bytes] = [Buffer.from(signingString, 'latin1'), Buffer.from(signature, 'base64')]
  const keyObject = createPublicKey(key)
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      response.statusCode = hashAndVerify(body, signed, keyObject, bytes) ? 200 : 401
      response.end(text)
    })
  }
}
