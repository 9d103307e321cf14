import { duration } from '../../explain/text.ts'
import type { CountingDnsServer } from '../../testing/dns-server.ts'
import { EXIT } from '../command.ts'
import { describeResponse, isRefusal, type Response } from '../exchange.ts'

/** The exit code, and what the responses mean where they differ from those of a correct receiver. */
export function conclude(
  [first, ...repeated]: readonly Response[],
  isForgery: boolean,
  keyId: string,
  dns: CountingDnsServer | undefined,
  started: string | undefined,
  dateTolerance: number
): [exit: number, ...lines: string[]] {
  const { status, headers } = first!
  const asked = dns?.queries(keyId) ?? 0
  if (isAccepted(first!)) {
    if (isForgery)
      return [EXIT.refused, 'The forgery was accepted: nothing verifies it, or the receiver only observes.']
    const again = repeated.findIndex(isAccepted)
    const cause = 'the receiver has no replay store, or it only observes'
    if (again < 0) return [EXIT.ok]
    return [EXIT.refused, `Request ${again + 2}, a replay of the same bytes, was accepted: ${cause}.`]
  }
  // A receiver of one's own may leave WWW-Authenticate out; that it asked for the key shows that it verifies.
  // Only a body is too large, and it is read after the key was asked for.
  const isEarly = status === 413 && dns !== undefined && asked === 0
  const isOurs = (isRefusal(first!) && !isEarly) || (asked > 0 && [401, 413, 503].includes(status))
  const isUnmarked = status === 401 && headers['www-authenticate'] === undefined
  const doubt = isOurs ? '' : ' It may not be signed-requests that refused: WWW-Authenticate: Signature is missing.'
  if (isForgery && status !== 503 && (isOurs || isUnmarked)) return [EXIT.ok, `Refused, as it should be.${doubt}`]
  const exit = status === 503 ? EXIT.unknown : EXIT.refused
  if (!isOurs) return [exit, `This is not a refusal of signed-requests: ${describeResponse(first!)}.`]
  if (asked > 0)
    return [exit, `The receiver did get the key ${keyId}. Its own log says why it refused: explain(verdict).`]
  const clock = clockAdvice(headers.date ?? '', dateTolerance)
  if (clock !== undefined) return [exit, clock]
  if (started !== undefined)
    return [
      exit,
      `The receiver refused before it looked for the key (its log says why), or ${started} sets a resolver of its own, which --start does not replace: take it out for this.`
    ]
  const address = dns?.address ?? '127.0.0.1:5353'
  const advice =
    dns === undefined
      ? `A receiver that verifies refused it. It needs the record of ${keyId}: publish the one above, or have it served ` +
        `here with --serve-dns ${address} and start the gateway with --dns-server ${address}, or give createVerifier this line:`
      : `Nobody asked the DNS server at ${address} for ${keyId}: the receiver refused before it looked for the key (its ` +
        `log says why), or asks another server. For it to ask this one, start the gateway with --dns-server ${address}, ` +
        'or give createVerifier this line:'
  return [exit, advice, `  lookupTxt: dnsTxtLookup({ servers: ['${address}'] })`]
}

const isAccepted = ({ status }: Response): boolean => status >= 200 && status < 300

/** Says that the clocks differ by more than a receiver allows: it then refuses the Date before it asks for a key. */
function clockAdvice(date: string, dateTolerance: number): string | undefined {
  const ahead = (Date.now() - Date.parse(date)) / 1000
  if (!(Math.abs(ahead) >= dateTolerance)) return undefined
  const way = ahead > 0 ? 'ahead of' : 'behind'
  return (
    `This machine's clock (${new Date().toUTCString()}) is ${duration(Math.abs(ahead))} ${way} the receiver's ` +
    `(${new Date(date).toUTCString()}), so it refused the Date. Compare both with: date -u`
  )
}
