import type { SignedTestRequest } from '../../src/testing/index.ts'

type Change = (text: string) => string

/**
 * Changes the last digit, or the last letter if there is none: the JSON stays valid and keeps its length. An empty body
 * gets a byte.
 */
const otherByte: Change = body => {
  const place = [/\d(?=\D*$)/, /[a-z](?=[^a-z]*$)/i, /^.?/s].find(pattern => pattern.test(body))!
  return body.replace(place, found => String.fromCharCode((found || 'y').charCodeAt(0) ^ 1))
}

const tenSecondsEarlier: Change = date => new Date(Date.parse(date) - 10_000).toUTCString()

/**
 * Changes a character near the end, which is base64 in both standards. The last one stays, so the base64 is canonical.
 */
const otherCharacter: Change = signature => signature.replace(/.(?=.{20}$)/, found => (found === 'A' ? 'B' : 'A'))

export const FORGERY_NAMES = ['body', 'date', 'host', 'account', 'signature'] as const

export type ForgeryName = (typeof FORGERY_NAMES)[number]

/** The words that `--tamper` takes. */
export const TAMPERINGS = [...FORGERY_NAMES, 'all'] as const

/**
 * Says what each word of `--tamper` changes after the request was signed, and how a receiver that verifies refuses it.
 */
const FORGERIES: Readonly<Record<ForgeryName, readonly [what: string, refusal: string, change: Change]>> = {
  body: ['one byte of the body', 'digest-mismatch', otherByte],
  date: ['the Date, ten seconds earlier', 'signature-mismatch', tenSecondsEarlier],
  host: ['the Host', 'host-mismatch', () => 'forged.example'],
  account: ['the account id', 'account-mismatch', account => `${account}0`],
  signature: ['one character of the signature', 'signature-mismatch', otherCharacter]
}

/** Returns the request with one signed part changed. */
export function tamper(name: ForgeryName, request: SignedTestRequest, accountHeader: string) {
  const [what, refusal, change] = FORGERIES[name]
  const text = `tampered after signing: ${what}. A receiver that verifies refuses it, with ${refusal}.`
  const forged: SignedTestRequest = { ...request, headers: [...request.headers] }
  if (name === 'body') {
    const body = change(Buffer.from(request.body ?? []).toString('latin1'))
    forged.body = new Uint8Array(Buffer.from(body, 'latin1'))
    const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-length')
    forged.headers = [...others, ['Content-Length', String(body.length)]]
  } else {
    const changed = name === 'account' ? accountHeader.toLowerCase() : name
    const at = request.headers.findIndex(([header]) => header.toLowerCase() === changed)
    const [header, value] = request.headers[at]!
    forged.headers[at] = [header, change(value)]
  }
  return { forged, text }
}
