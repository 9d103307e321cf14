import { UsageError } from '../../flags/usage-error.ts'
import { quote } from '../../src/internal/index.ts'
import type { SignedTestRequest } from '../../src/testing/index.ts'

export const PRINTED_FORMS = ['http', 'curl'] as const

/** The forms in which `--print` writes a request. */
export type PrintedForm = (typeof PRINTED_FORMS)[number]

/** The server that gets a request, and the certificates that the client accepts there. */
interface Destination {
  readonly url: URL
  /** path and query as they are sent; the signed target may have more */
  readonly path: string
  /** any certificate is accepted */
  readonly isInsecure: boolean
}

/**
 * Writes the signed request as text of printable ASCII: the lines of HTTP/1.1, or a command for a POSIX shell.
 *
 * @throws UsageError for what cannot be written so, because another request would be printed than was signed
 */
export function printRequest(form: PrintedForm, request: SignedTestRequest, destination: Destination): string {
  const head = [destination.path, ...request.headers.flat()]
  if (!head.every(text => /^[ -~]*$/.test(text)))
    throw new UsageError('the head of this request is not ASCII, so --print cannot write it: send it instead')
  return form === 'http' ? http(request, destination) : curl(request, destination)
}

function http({ method, headers, body }: SignedTestRequest, { path }: Destination): string {
  const text = Buffer.from(body ?? []).toString('latin1')
  if (!/^[\n -~]*$/.test(text))
    throw new UsageError('the body is not lines of ASCII, so --print http would change it: use --print curl')
  const lines = headers.map(line => line.join(': '))
  return [`${method} ${path} HTTP/1.1`, ...lines, '', text].join('\n')
}

/**
 * Limits the length of a command: a single argument of a program may have 128 KB on Linux. Text that the shell itself
 * prints has no such limit.
 */
const MAX_ARGUMENT = 100_000

function curl({ method, headers, body }: SignedTestRequest, { url, path, isInsecure }: Destination): string {
  const text = Buffer.from(body ?? []).toString('latin1')
  const isArgument = /^[\n -~]*$/.test(text) && text.length <= MAX_ARGUMENT
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type')
  const words = [
    // With --request HEAD, curl would wait for a body.
    method === 'HEAD' ? '--head' : `--include --request ${quote(method)}`,
    ...(isInsecure ? ['--insecure'] : []),
    // curl takes brackets for a pattern, and removes dot segments.
    `--globoff --path-as-is ${quote(url.origin + path)}`,
    ...headers.map(([name, value]) => `--header ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    // curl adds the type of a form to a body.
    ...(body === null || isTyped ? [] : ["--header 'Content-Type:'"]),
    ...(body === null ? [] : [isArgument ? `--data-raw ${quote(text)}` : '--data-binary @-'])
  ]
  const command = `curl ${words.join(' \\\n  ')}`
  return isArgument || body === null
    ? command
    : `printf %s '${Buffer.from(text, 'latin1').toString('base64')}' | base64 -d | ${command}`
}
