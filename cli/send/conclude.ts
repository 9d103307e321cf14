import { duration } from '../../src/internal/index.ts'
import { EXIT } from '../command.ts'
import { describeResponse, isRefusal, type Response } from '../exchange.ts'

/** The DNS server that has the key, where this command runs one. */
interface ServedKey {
  readonly address: string
  /** whether anyone asked it for the key */
  readonly isAsked: boolean
}

/** The attempt, besides the responses to it. */
export interface Attempt {
  readonly isForgery: boolean
  readonly keyId: string
  readonly dns: ServedKey | undefined
  /** the receiver's file, where this command started it */
  readonly started: string | undefined
  /** seconds */
  readonly dateTolerance: number
  /** the Host that was signed because the URL has it, and nobody said another */
  readonly urlHost: string | undefined
}

/** The exit code, and the meaning of responses that differ from those of a correct receiver. */
export type Conclusion = readonly [exit: number, ...lines: string[]]

export function conclude(responses: readonly Response[], attempt: Attempt): Conclusion {
  const accepted = responses.filter(isAccepted).length
  if (attempt.isForgery && accepted > 0)
    return [EXIT.refused, 'The forgery was accepted: nothing verifies it, or the receiver only observes.']
  const repeated = concludeRepetitions(responses, accepted)
  if (repeated !== undefined) return repeated
  const [exit, ...lines] = concludeFirst(responses[0]!, attempt)
  return [exit, ...lines, ...aboutRefusedRepetitions(responses)]
}

/** Says what the repetitions show, when the first request was accepted and no repetition was. */
function aboutRefusedRepetitions([first, ...repeated]: readonly Response[]): string[] {
  if (repeated.length === 0 || !isAccepted(first!)) return []
  const other = repeated.find(({ status }) => status !== 401)
  if (other !== undefined)
    return [`No repetition was accepted, but a response was ${other.status}: a replay is refused with 401.`]
  return [
    repeated.length === 1 ? 'The replay was refused, as it should be.' : 'Each replay was refused, as it should be.'
  ]
}

/** Concludes from several requests, each with its own conclusion: every forgery, and the good one at the end. */
export function concludeAll(conclusions: readonly (readonly [name: string | undefined, exit: number])[]): Conclusion {
  const worst = [EXIT.refused, EXIT.unknown, EXIT.ok].find(exit => conclusions.some(([, each]) => each === exit))!
  if (conclusions.length === 1) return [worst]
  const names = conclusions.flatMap(([name, exit]) => (name !== undefined && exit !== EXIT.ok ? [name] : []))
  const isGoodAccepted = conclusions.some(([name, exit]) => name === undefined && exit === EXIT.ok)
  const forgeries = conclusions.length - 1
  const refused =
    names.length === 0 ? `all ${forgeries} forgeries were refused` : `not refused as it should be: ${names.join(', ')}`
  const good = isGoodAccepted
    ? 'the good request was accepted'
    : 'the good request was not shown to be accepted, so what was refused proves nothing yet'
  return [worst, `In all: ${refused}; ${good}.`]
}

export const isAccepted = ({ status }: Response): boolean => status >= 200 && status < 300

/** Compares several responses to the same bytes; undefined where they are as they should be. */
function concludeRepetitions([first, ...repeated]: readonly Response[], accepted: number): Conclusion | undefined {
  const again = repeated.findIndex(isAccepted)
  if (again < 0) return undefined
  const number = again + 2
  if (!isAccepted(first!))
    return [
      EXIT.refused,
      `Request ${number} was accepted, and request 1, of the same bytes, was not: several receivers answer at ` +
        'this URL, and their settings, clocks or DNS differ; or the first was too early, while it started.'
    ]
  const isEach = accepted === repeated.length + 1
  return [
    EXIT.refused,
    isEach
      ? `Request ${number}, a replay of the same bytes, was accepted, and so was each: the receiver has no ` +
        'replay store, or it only observes.'
      : `Request ${number}, a replay of the same bytes, was accepted, and others were refused (${accepted} of ` +
        `${repeated.length + 1} accepted): several receivers answer at this URL, and they do not share a replay ` +
        'store. Give all processes one store: Redis or PostgreSQL, or SQLite on one machine.'
  ]
}

function concludeFirst(first: Response, attempt: Attempt): Conclusion {
  const { status, headers } = first
  const { isForgery, keyId, dns, dateTolerance } = attempt
  const isAsked = dns?.isAsked === true
  if (isAccepted(first)) return dns === undefined || isAsked ? [EXIT.ok] : [EXIT.unknown, notProven(dns, attempt)]
  // A receiver with a handler of its own may leave WWW-Authenticate out; that it asked for the key shows that it
  // verifies. Only a body is too large, and it is read after the key was asked for.
  const isEarly = status === 413 && dns !== undefined && !isAsked
  const isOurs = (isRefusal(first) && !isEarly) || (isAsked && [401, 413, 503].includes(status))
  const isUnmarked = status === 401 && headers['www-authenticate'] === undefined
  const doubt = isOurs ? '' : ' It may not be signed-requests that refused: WWW-Authenticate: Signature is missing.'
  if (isForgery && status !== 503 && (isOurs || isUnmarked)) return [EXIT.ok, `Refused, as it should be.${doubt}`]
  const exit = status === 503 ? EXIT.unknown : EXIT.refused
  if (!isOurs)
    return [
      exit,
      `This is not a refusal of signed-requests: ${describeResponse(first)}.`,
      ...(status === 421 ? aboutHost(attempt) : [])
    ]
  if (status === 503) return [exit, ...undecided(attempt)]
  if (isAsked)
    return [exit, `The receiver did get the key ${keyId}. Its own log says why it refused: explain(verdict).`]
  const clock = clockAdvice(headers.date ?? '', dateTolerance)
  return clock === undefined ? [exit, ...aboutHost(attempt), ...keyAdvice(attempt)] : [exit, clock]
}

/** Says which Host was signed where nobody chose it, and a receiver may have refused it. */
const aboutHost = ({ urlHost }: Attempt): string[] =>
  urlHost === undefined
    ? []
    : [`Host ${urlHost} was signed, that of the URL. If the receiver has another name (hosts): --host NAME signs that.`]

/** Explains a response of 2xx without a query for the key. */
function notProven({ address }: ServedKey, { keyId, started }: Attempt): string {
  const elsewhere =
    started === undefined
      ? 'or asks another DNS server'
      : `or sets a resolver of its own, which --start does not replace: take that out of ${started} for this`
  return (
    `Accepted, which is no proof: nobody asked the DNS server at ${address} for ${keyId}, so the receiver verifies ` +
    `nothing, ${elsewhere}. --tamper body shows which: a receiver that verifies refuses it.`
  )
}

/** Explains a 503 of this library: no check failed, and one could not be decided. */
function undecided({ keyId, dns, started }: Attempt): string[] {
  if (dns?.isAsked === true)
    return [
      'The receiver could not decide, and tells the sender to try again. It did ask for the key, so it is ' +
        'probably its replay store or its accounts function, or the answer of DNS came too late. Its own log ' +
        'says which: explain(verdict).'
    ]
  const asks =
    started === undefined
      ? 'On the machine where it runs, see whether DNS answers there:'
      : `${started} may set a resolver of its own, which --start does not replace. See whether DNS answers here:`
  return [
    'The receiver could not decide, and tells the sender to try again: its DNS or its store does not answer, or it ' +
      `refuses with 503 while it is introduced. Its own log says which: explain(verdict). ${asks}`,
    `  npx signed-requests key ${keyId}`,
    ...(dns === undefined || started !== undefined
      ? []
      : askThisOne(`If it is to ask the DNS server at ${dns.address}, `, dns.address))
  ]
}

/** Advises on a receiver that refused before it asked for the key, as far as can be seen. */
function keyAdvice({ keyId, dns, started }: Attempt): string[] {
  if (started !== undefined)
    return [
      `The receiver refused before it looked for the key (its log says why), or ${started} sets a resolver of ` +
        `its own, which --start does not replace: take it out for this.`
    ]
  const address = dns?.address ?? '127.0.0.1:5353'
  return askThisOne(
    dns === undefined
      ? `A receiver that verifies refused it. It needs the record of ${keyId}: publish the one above, or have it ` +
          `served here with --serve-dns ${address} and `
      : `Nobody asked the DNS server at ${address} for ${keyId}: the receiver refused before it looked for the ` +
          'key (its log says why), or asks another server. For it to ask this one, ',
    address
  )
}

/** Says how to make a receiver ask the DNS server of this command. */
const askThisOne = (when: string, address: string): string[] => [
  `${when}start the gateway with --dns-server ${address}, or give createVerifier this line:`,
  `  lookupTxt: dnsTxtLookup({ servers: ['${address}'] })`
]

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
