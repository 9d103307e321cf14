import { get } from 'node:http'
import { UsageError } from '../../flags/usage-error.ts'
import { isLoopback } from '../../src/internal/index.ts'

const MAX_BYTES = 16 * 2 ** 20
const TIMEOUT = 5000

/** Returns whether an argument is the address of an inspector, and not the name of a file. */
export const isAddress = (file: string): boolean => /^https?:\/\//i.test(file)

/**
 * Fetches the request list of ngrok's inspector from a loopback address. Nothing else is fetched, and no redirect is
 * followed.
 *
 * @throws UsageError
 */
export async function fetchInspector(address: string): Promise<Buffer> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' || !isLoopback(url.hostname) || url.username !== '' || url.password !== '')
    throw new UsageError('explain fetches only from an inspector on this machine, such as http://127.0.0.1:4040/')
  const path = url.pathname.startsWith('/api/requests/http') ? url.pathname + url.search : '/api/requests/http'
  try {
    return await fetchBytes(new URL(path, url))
  } catch (error) {
    throw new UsageError(`the inspector at ${url.host} did not return a request list: ${(error as Error).message}`)
  }
}

function fetchBytes(url: URL): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = get(
      url,
      { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(TIMEOUT) },
      response => {
        const chunks: Buffer[] = []
        let length = 0
        if (response.statusCode !== 200) {
          response.destroy()
          reject(new Error(`it answered ${response.statusCode}`))
          return
        }
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          length += chunk.length
          if (length > MAX_BYTES) response.destroy(new Error('it is larger than 16 MB'))
        })
        response.on('end', () => resolve(Buffer.concat(chunks)))
        response.on('error', reject)
      }
    )
    request.on('error', reject)
  })
}
