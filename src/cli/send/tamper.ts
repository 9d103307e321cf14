import type { SignedTestRequest } from '../../testing/sign.ts'
import { UsageError } from '../command.ts'

type Change = (request: SignedTestRequest) => SignedTestRequest

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
const forgeriesOf = (
  accountHeader: string
): Readonly<Record<string, readonly [what: string, refusal: string, change: Change]>> => ({
  body: ['one byte of the body', 'digest-mismatch', changeBody],
  date: ['the Date, ten seconds earlier', 'signature-mismatch', inHeader('date', tenSecondsEarlier)],
  host: ['the Host', 'host-mismatch', inHeader('host', () => 'forged.example')],
  account: ['the account id', 'account-mismatch', inHeader(accountHeader, value => `${value}0`)],
  signature: ['one character of the signature', 'signature-mismatch', inHeader('signature', otherCharacter)]
})

const tenSecondsEarlier = (date: string): string => new Date(Date.parse(date) - 10_000).toUTCString()

/** Near the end, which is base64 in both standards, but not the last: it stays canonical. */
const otherCharacter = (signature: string): string =>
  signature.replace(/.(?=.{20}$)/, found => (found === 'A' ? 'B' : 'A'))

export const TAMPER_NAMES = Object.keys(forgeriesOf(''))

/** The request with one signed part changed. @throws UsageError for an unknown name */
export function tamper(name: string, request: SignedTestRequest, accountHeader: string) {
  if (!TAMPER_NAMES.includes(name)) throw new UsageError(`--tamper must be one of ${TAMPER_NAMES.join(', ')}`)
  const [what, refusal, change] = forgeriesOf(accountHeader)[name]!
  const text = `tampered after signing: ${what}. A receiver that verifies refuses it, with ${refusal}.`
  return { forged: change(request), text }
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
