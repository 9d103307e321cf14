import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { SignedTestRequest } from '../testing/sign.ts'

export interface Answer {
  status: number
  statusText: string
  /** the part of the body that is shown */
  body: Buffer
}

const MAX_SHOWN = 16_384

/** milliseconds */
export const ANSWER_TIMEOUT = 30_000

/** Sends the head as it was signed, in the same order and case. Rejects when there is no answer. */
export function transmit(url: URL, signed: SignedTestRequest, anyCertificate: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest
    const outgoing = request(
      url,
      {
        method: signed.method,
        headers: signed.headers.flat(),
        agent: false,
        rejectUnauthorized: !anyCertificate,
        signal: AbortSignal.timeout(ANSWER_TIMEOUT)
      },
      answer => readAnswer(answer).then(resolve, reject)
    )
    outgoing.on('error', reject)
    outgoing.end(signed.body)
  })
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= MAX_SHOWN) break
  }
  return {
    status: answer.statusCode ?? 0,
    statusText: answer.statusMessage ?? '',
    body: Buffer.concat(chunks).subarray(0, MAX_SHOWN)
  }
}
