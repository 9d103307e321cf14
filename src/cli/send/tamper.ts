import type { SignedTestRequest } from '../../testing/sign.ts'
import { UsageError } from '../command.ts'

type Change = (request: SignedTestRequest, accountHeader: string) => SignedTestRequest

const inHeader =
  (name: string, change: (value: string) => string): Change =>
  request => ({
    ...request,
    headers: request.headers.map(([header, value]) => [
      header,
      header.toLowerCase() === name.toLowerCase() ? change(value) : value
    ])
  })

/** What `--tamper` changes after the request was signed, and how a receiver that verifies refuses it. */
const FORGERIES: Readonly<Record<string, readonly [what: string, refusal: string, change: Change]>> = {
  body: ['one byte of the body', 'digest-mismatch', changeBody],
  date: [
    'the Date, ten seconds earlier',
    'signature-mismatch',
    inHeader('date', value => new Date(Date.parse(value) - 10_000).toUTCString())
  ],
  host: ['the Host', 'host-mismatch', inHeader('host', () => 'forged.example')],
  account: [
    'the account id',
    'account-mismatch',
    (request, header) => inHeader(header, value => `${value}0`)(request, header)
  ],
  signature: [
    'one character of the signature',
    'signature-mismatch',
    // Near the end, which is base64 in both standards, but not the last: it stays canonical.
    inHeader('signature', value => value.replace(/.(?=.{20}$)/, found => (found === 'A' ? 'B' : 'A')))
  ]
}

export const TAMPER_NAMES = Object.keys(FORGERIES)

/** The request with one signed part changed. @throws UsageError for an unknown name */
export function tamper(name: string, request: SignedTestRequest, accountHeader: string) {
  if (!TAMPER_NAMES.includes(name)) throw new UsageError(`--tamper must be one of ${TAMPER_NAMES.join(', ')}`)
  const [what, refusal, change] = FORGERIES[name]!
  return {
    forged: change(request, accountHeader),
    text: `tampered after signing: ${what}. A receiver that verifies refuses it, with ${refusal}.`
  }
}

/**
 * Another digit, so that JSON stays JSON, or an x. The length stays the same, so that only the digest differs; an empty
 * body gets a byte.
 */
function changeBody(request: SignedTestRequest): SignedTestRequest {
  const text = Buffer.from(request.body ?? []).toString('latin1')
  const places = [/\d\D*$/, /[A-Za-z][^A-Za-z]*$/, /^/].map(pattern => text.search(pattern))
  const at = places.find(place => place >= 0)!
  const found = text.charAt(at)
  const other = /\d/.test(found) ? (Number(found) + 1) % 10 : found === 'x' ? 'y' : 'x'
  const body = new Uint8Array(Buffer.from(text.slice(0, at) + other + text.slice(at + 1), 'latin1'))
  const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-length')
  return { ...request, body, headers: [...others, ['Content-Length', String(body.length)]] }
}
