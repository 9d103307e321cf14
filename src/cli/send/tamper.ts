import type { SignedTestRequest } from '../../testing/sign.ts'
import { UsageError } from '../command.ts'

/** What `send --tamper` changes after the request was signed, and the refusal of a receiver that verifies. */
interface Forgery {
  readonly what: string
  readonly refusal: string
  change(request: SignedTestRequest, accountHeader: string): SignedTestRequest
}

const FORGERIES: Readonly<Record<string, Forgery>> = {
  body: {
    what: 'one byte of the body',
    refusal: 'digest-mismatch',
    change: request => withBody(request, changeByte(request.body ?? new Uint8Array(0)))
  },
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
    change: (request, accountHeader) => withHeader(request, accountHeader, value => `${value}0`)
  },
  signature: {
    what: 'one character of the signature',
    refusal: 'signature-mismatch',
    change: request => withHeader(request, 'signature', changeSignature)
  }
}

export const TAMPER_NAMES = Object.keys(FORGERIES)

/**
 * The request with one signed part changed.
 *
 * @throws UsageError for an unknown name
 */
export function tamper(
  name: string,
  request: SignedTestRequest,
  accountHeader: string
): { forged: SignedTestRequest; text: string } {
  const forgery = Object.hasOwn(FORGERIES, name) ? FORGERIES[name] : undefined
  if (forgery === undefined) throw new UsageError(`--tamper must be one of ${TAMPER_NAMES.join(', ')}`)
  const { what, refusal, change } = forgery
  return {
    forged: change(request, accountHeader),
    text: `tampered after signing: ${what}. A receiver that verifies refuses it, with ${refusal}.`
  }
}

function withHeader(
  request: SignedTestRequest,
  name: string,
  change: (value: string) => string
): SignedTestRequest {
  const headers = request.headers.map(([header, value]): [string, string] =>
    header.toLowerCase() === name.toLowerCase() ? [header, change(value)] : [header, value]
  )
  return { ...request, headers }
}

/** The length stays the same, so that only the digest differs; an empty body gets a byte. */
function changeByte(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const changed = body.length === 0 ? Uint8Array.of(0x20) : new Uint8Array(body)
  let index = changed.length - 1
  while (index > 0 && !/[A-Za-z0-9]/.test(String.fromCharCode(changed[index]!))) index--
  changed[index] = changed[index] === 0x78 ? 0x79 : 0x78
  return changed
}

function withBody(request: SignedTestRequest, body: Uint8Array<ArrayBuffer>): SignedTestRequest {
  const hasLength = request.headers.some(([name]) => name.toLowerCase() === 'content-length')
  const headers = hasLength
    ? request.headers
    : [...request.headers, ['Content-Length', String(body.length)] as [string, string]]
  return { ...withHeader({ ...request, headers }, 'content-length', () => String(body.length)), body }
}

/** In the middle, so that it stays canonical base64; in the draft's header, of the parameter called signature. */
const changeSignature = (value: string): string =>
  value.replace(
    /((?:^|,)\s*signature="|^[^=,]+=:)([A-Za-z0-9+/]{20})(.)/,
    (_, before, start, character) => `${before}${start}${character === 'A' ? 'B' : 'A'}`
  )
