import type { SignedTestRequest } from '../../testing/sign.ts'
import { UsageError } from '../command.ts'

interface Forgery {
  what: string
  /** of a receiver that verifies */
  refusal: string
  change(request: SignedTestRequest, accountHeader: string): SignedTestRequest
}

/** What `--tamper` changes after the request was signed. */
const FORGERIES: Readonly<Record<string, Forgery>> = {
  body: { what: 'one byte of the body', refusal: 'digest-mismatch', change: changeBody },
  date: {
    what: 'the Date, ten seconds earlier',
    refusal: 'signature-mismatch',
    change: request =>
      withHeader(request, 'date', value => new Date(Date.parse(value) - 10_000).toUTCString())
  },
  host: {
    what: 'the Host',
    refusal: 'host-mismatch',
    change: request => withHeader(request, 'host', () => 'forged.example')
  },
  account: {
    what: 'the account id',
    refusal: 'account-mismatch',
    change: (request, header) => withHeader(request, header, value => `${value}0`)
  },
  signature: {
    what: 'one character of the signature',
    refusal: 'signature-mismatch',
    // Near the end, which is base64 in both standards, but not the last: it stays canonical.
    change: request =>
      withHeader(request, 'signature', value =>
        value.replace(/.(?=.{20}$)/, character => (character === 'A' ? 'B' : 'A'))
      )
  }
}

export const TAMPER_NAMES = Object.keys(FORGERIES)

/** The request with one signed part changed. @throws UsageError for an unknown name */
export function tamper(name: string, request: SignedTestRequest, accountHeader: string) {
  if (!Object.hasOwn(FORGERIES, name))
    throw new UsageError(`--tamper must be one of ${TAMPER_NAMES.join(', ')}`)
  const { what, refusal, change } = FORGERIES[name]!
  return {
    forged: change(request, accountHeader),
    text: `tampered after signing: ${what}. A receiver that verifies refuses it, with ${refusal}.`
  }
}

const withHeader = (request: SignedTestRequest, name: string, change: (value: string) => string) => ({
  ...request,
  headers: request.headers.map(([header, value]): [string, string] => [
    header,
    header.toLowerCase() === name.toLowerCase() ? change(value) : value
  ])
})

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
