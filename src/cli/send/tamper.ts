import type { SignedTestRequest } from '../../testing/sign.ts'
import { UsageError } from '../command.ts'

type Change = (request: SignedTestRequest, accountHeader: string) => SignedTestRequest

/** What `--tamper` changes after the request was signed, and the refusal of a receiver that verifies. */
const FORGERIES: ReadonlyMap<string, readonly [what: string, refusal: string, change: Change]> = new Map([
  [
    'body',
    ['one byte of the body', 'digest-mismatch', request => withBody(request, changeByte(request.body))]
  ],
  [
    'date',
    [
      'the Date, ten seconds earlier',
      'signature-mismatch',
      request => withHeader(request, 'date', value => new Date(Date.parse(value) - 10_000).toUTCString())
    ]
  ],
  ['host', ['the Host', 'host-mismatch', request => withHeader(request, 'host', () => 'forged.example')]],
  [
    'account',
    [
      'the account id',
      'account-mismatch',
      (request, header) => withHeader(request, header, value => `${value}0`)
    ]
  ],
  [
    'signature',
    [
      'one character of the signature',
      'signature-mismatch',
      request => withHeader(request, 'signature', changeSignature)
    ]
  ]
])

export const TAMPER_NAMES = [...FORGERIES.keys()]

/** The request with one signed part changed. @throws UsageError for an unknown name */
export function tamper(name: string, request: SignedTestRequest, accountHeader: string) {
  const forgery = FORGERIES.get(name)
  if (forgery === undefined) throw new UsageError(`--tamper must be one of ${TAMPER_NAMES.join(', ')}`)
  const [what, refusal, change] = forgery
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
function changeByte(body: Uint8Array | null): Uint8Array<ArrayBuffer> {
  const changed = body?.length ? new Uint8Array(body) : Uint8Array.of(0x20)
  const text = Buffer.from(changed).toString('latin1')
  const digit = text.search(/[0-9][^0-9]*$/)
  const index = digit < 0 ? Math.max(0, text.search(/[A-Za-z][^A-Za-z]*$/)) : digit
  const byte = changed[index]!
  if (digit < 0) changed[index] = byte === 0x78 ? 0x79 : 0x78
  else changed[index] = byte === 0x39 ? 0x38 : byte + 1
  return changed
}

function withBody(request: SignedTestRequest, body: Uint8Array<ArrayBuffer>): SignedTestRequest {
  const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-length')
  const isSame = body.length === (request.body?.length ?? 0)
  return {
    ...request,
    body,
    headers: isSame ? request.headers : [...others, ['Content-Length', String(body.length)]]
  }
}

/** In the middle, so that it stays canonical base64; in the draft's header, of the parameter called signature. */
const changeSignature = (value: string): string =>
  value.replace(
    /((?:^|,)\s*signature="|^[^=,]+=:)([A-Za-z0-9+/]{20})(.)/,
    (_, before, start, character) => `${before}${start}${character === 'A' ? 'B' : 'A'}`
  )
