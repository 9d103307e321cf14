import { type Cause, duration, findCause, withFinding } from '../../src/internal/index.ts'
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
  /** the Host of the URL, if it was signed because no other was named */
  readonly urlHost: string | undefined
}

/** The exit code, and the meaning of responses that differ from those of a correct receiver. */
export type Conclusion = readonly [exit: number, ...lines: string[]]

/** Collects what is known when the requests have been answered. */
interface Known {
  readonly first: Response
  readonly responses: readonly Response[]
  /** how many are accepted */
  readonly accepted: number
  /** the number of the first repetition that was accepted; undefined where none was */
  readonly again: number | undefined
  readonly attempt: Attempt
  /** whether anyone asked the DNS server of this command for the key */
  readonly isAsked: boolean
  /** a receiver with this library refused the first request */
  readonly isOurs: boolean
}

/**
 * Explains responses: the cause, and then the fix, which is empty where the receiver is right. Each line of a text
 * is printed by itself.
 */
interface SendConclusion<F = unknown> extends Cause<Known, F> {
  readonly exit: number
}

const conclusion = <F>(entry: SendConclusion<F>): SendConclusion =>
  withFinding<Known, F, Pick<SendConclusion, 'exit'>>(entry)

const EXPLAIN = 'Its own log says why it refused: explain(verdict).'
const MAYBE_NOT_OURS = 'It may not be signed-requests that refused: WWW-Authenticate: Signature is missing.'
const UNDECIDED = 'The receiver could not decide, and asks the sender to retry'

/** The first request was answered with 503 by a receiver with this library. */
const isUndecided = ({ first, isOurs }: Known): boolean => isOurs && first.status === 503

const CONCLUSIONS: readonly SendConclusion[] = [
  {
    exit: EXIT.refused,
    find: ({ attempt, accepted }) => attempt.isForgery && accepted > 0,
    cause: 'The forgery was accepted: nothing verifies it, or the receiver only observes.',
    fix: ''
  },
  conclusion({
    exit: EXIT.refused,
    find: ({ again, first }) => first.status >= 500 && again,
    cause: ({ first, found }) =>
      `Request 1 got ${first.status}, and request ${found} with the same bytes was accepted: the receiver failed, ` +
      'and released the claim, as it should.',
    fix: ({ first }) => `Its own log says why it answered ${first.status}.`
  }),
  conclusion({
    exit: EXIT.refused,
    find: ({ again, first }) => !isAccepted(first) && again,
    cause: ({ found }) =>
      `Request ${found} was accepted, but request 1 with the same bytes was not: several receivers answer at this ` +
      'URL, and their settings, clocks or DNS differ; or the receiver was still starting.',
    fix: ''
  }),
  conclusion({
    exit: EXIT.refused,
    find: ({ again, accepted, responses }) => accepted === responses.length && again,
    cause: ({ found }) =>
      `Request ${found}, a replay of the same bytes, was accepted, like all others: the receiver has no replay ` +
      'store, or it only observes.',
    fix: ''
  }),
  conclusion({
    exit: EXIT.refused,
    find: ({ again }) => again,
    cause: ({ found, accepted, responses }) =>
      `Request ${found}, a replay of the same bytes, was accepted, but others were refused (${accepted} of ` +
      `${responses.length} accepted): several receivers answer at this URL, and they do not share a replay store.`,
    fix: 'Give all processes one store: Redis or PostgreSQL, or SQLite on one machine.'
  }),
  {
    exit: EXIT.ok,
    find: ({ first, attempt, isAsked }) => isAccepted(first) && (attempt.dns === undefined || isAsked),
    cause: '',
    fix: ''
  },
  {
    exit: EXIT.unknown,
    find: ({ first }) => isAccepted(first),
    cause: ({ attempt: { keyId, dns, started } }) => {
      const elsewhere =
        started === undefined
          ? 'or asks another DNS server'
          : `or sets its own resolver, which --start does not replace: take that out of ${started} for this test`
      return (
        `Accepted, but that proves nothing: nobody asked the DNS server at ${dns?.address} for ${keyId}, so the ` +
        `receiver verifies nothing, ${elsewhere}.`
      )
    },
    fix: '--tamper body shows which: a receiver that verifies refuses it.'
  },
  {
    exit: EXIT.ok,
    find: ({ attempt, isOurs, first }) => attempt.isForgery && isOurs && first.status !== 503,
    cause: 'Refused, as it should be.',
    fix: ''
  },
  {
    exit: EXIT.ok,
    find: ({ attempt, first }) => attempt.isForgery && isUnmarked(first),
    cause: `Refused, as it should be. ${MAYBE_NOT_OURS}`,
    fix: ''
  },
  ...[EXIT.unknown, EXIT.refused].map(exit => ({
    exit,
    find: ({ isOurs, first }: Known) => !isOurs && (exit !== EXIT.unknown || first.status === 503),
    cause: ({ first }: Known) => `This is not a refusal of signed-requests: ${describeResponse(first)}.`,
    fix: ({ first, attempt }: Known) => (first.status === 421 ? `\n${aboutHost(attempt)}` : '')
  })),
  {
    exit: EXIT.unknown,
    find: known => isUndecided(known) && known.isAsked,
    cause:
      `${UNDECIDED}. It did ask for the key, so it is probably its replay store or its accounts function, or DNS ` +
      'answered too late. Its own log says which: explain(verdict).',
    fix: ''
  },
  {
    exit: EXIT.unknown,
    find: isUndecided,
    cause:
      `${UNDECIDED}: its DNS or its store does not answer, or it refuses with 503 while it is introduced. Its own ` +
      'log says which: explain(verdict).',
    fix: ({ attempt: { keyId, dns, started } }) => {
      const asks =
        started === undefined
          ? 'On the machine where it runs, check whether DNS answers:'
          : `${started} may set its own resolver, which --start does not replace. Check whether DNS answers here:`
      const other =
        dns === undefined || started !== undefined
          ? ''
          : `\n${askThisOne(`To let it ask the DNS server at ${dns.address}, `, dns.address)}`
      return `${asks}\n  npx signed-requests key ${keyId}${other}`
    }
  },
  {
    exit: EXIT.refused,
    find: ({ isAsked }) => isAsked,
    cause: ({ attempt }) => `The receiver did get the key ${attempt.keyId}.`,
    fix: EXPLAIN
  },
  conclusion({
    exit: EXIT.refused,
    find: ({ first, attempt }) => clockDifference(first.headers.date ?? '', attempt.dateTolerance),
    cause: ({ found }) => found,
    fix: 'Compare both with: date -u'
  }),
  {
    exit: EXIT.refused,
    find: ({ attempt }) => attempt.started !== undefined,
    cause: ({ attempt }) =>
      `${aboutHost(attempt)}The receiver refused before it looked for the key (its log says why), or ` +
      `${attempt.started} sets its own resolver, which --start does not replace:`,
    fix: 'take it out for this test.'
  },
  conclusion({
    exit: EXIT.refused,
    find: ({ attempt }) => attempt.dns,
    cause: ({ attempt, found }) =>
      `${aboutHost(attempt)}Nobody asked the DNS server at ${found.address} for ${attempt.keyId}: the receiver ` +
      'refused before it looked for the key (its log says why), or asks another server.',
    fix: ({ found }) => askThisOne('To let it ask this one, ', found.address)
  }),
  {
    exit: EXIT.refused,
    cause: ({ attempt }) =>
      `${aboutHost(attempt)}A receiver that verifies refused it. It needs the record of ${attempt.keyId}:`,
    fix: askThisOne('publish the one above, or serve it with --serve-dns 127.0.0.1:5353 and ', '127.0.0.1:5353')
  }
]

/** Summarizes the responses to one request and its repetitions. */
export function summarizeResponses(
  responses: readonly [Response, ...Response[]] | readonly Response[],
  attempt: Attempt
): Conclusion {
  const first = responses[0]!
  const isAsked = attempt.dns?.isAsked === true
  const repetition = responses.slice(1).findIndex(isAccepted)
  const known = {
    first,
    responses,
    accepted: responses.filter(isAccepted).length,
    again: repetition < 0 ? undefined : repetition + 2,
    attempt,
    isAsked,
    isOurs: isOurs(first, attempt)
  }
  const { entry, cause, fix } = findCause(CONCLUSIONS, known)!
  const lines = `${cause} ${fix}`.split('\n').map(line => line.trimEnd())
  return [entry.exit, ...lines.filter(line => line !== ''), ...aboutRefusedRepetitions(responses, known.again)]
}

/**
 * Returns whether a receiver with this library refused. A receiver with a handler of its own may leave WWW-Authenticate
 * out; that it asked for the key shows that it verifies. Only a body is too large, and it is read after the key was
 * asked for.
 */
function isOurs(first: Response, { dns }: Attempt): boolean {
  const isAsked = dns?.isAsked === true
  const isEarly = first.status === 413 && dns !== undefined && !isAsked
  return (isRefusal(first) && !isEarly) || (isAsked && [401, 413, 503].includes(first.status))
}

const isUnmarked = ({ status, headers }: Response): boolean =>
  status === 401 && headers['www-authenticate'] === undefined

/** Says what the repetitions show, when the first request was accepted and no repetition was. */
function aboutRefusedRepetitions([first, ...repeated]: readonly Response[], again: number | undefined): string[] {
  if (repeated.length === 0 || again !== undefined || !isAccepted(first!)) return []
  const other = repeated.find(({ status }) => status !== 401)
  if (other !== undefined) return [`No replay was accepted, but one response was ${other.status} instead of 401.`]
  return [
    repeated.length === 1 ? 'The replay was refused, as it should be.' : 'Each replay was refused, as it should be.'
  ]
}

/** Summarizes several requests, each with its own conclusion: every forgery, and the good one at the end. */
export function summarizeRequests(
  conclusions: readonly (readonly [name: string | undefined, exit: number])[]
): Conclusion {
  const worst = [EXIT.refused, EXIT.unknown, EXIT.ok].find(exit => conclusions.some(([, each]) => each === exit))!
  if (conclusions.length === 1) return [worst]
  const names = conclusions.flatMap(([name, exit]) => (name !== undefined && exit !== EXIT.ok ? [name] : []))
  const isGoodAccepted = conclusions.some(([name, exit]) => name === undefined && exit === EXIT.ok)
  const forgeries = conclusions.length - 1
  const refused =
    names.length === 0 ? `all ${forgeries} forgeries were refused` : `not refused as it should be: ${names.join(', ')}`
  const good = isGoodAccepted
    ? 'the good request was accepted'
    : 'the good request was not accepted, so the refusals prove nothing yet'
  return [worst, `In all: ${refused}; ${good}.`]
}

export const isAccepted = ({ status }: Response): boolean => status >= 200 && status < 300

/** Says which Host was signed if it was not chosen: a receiver may have refused it. */
const aboutHost = ({ urlHost }: Attempt): string =>
  urlHost === undefined
    ? ''
    : `The Host of the URL, ${urlHost}, was signed. If the receiver has another name (hosts), sign that: --host NAME.\n`

/** Says how to make a receiver ask the DNS server of this command. */
function askThisOne(when: string, address: string): string {
  const start = `${when}start the gateway with --dns-server ${address}, or give createVerifier this line:`
  return `${start}\n  lookupTxt: dnsTxtLookup({ servers: ['${address}'] })`
}

/** Says that the clocks differ by more than a receiver allows: it then refuses the Date before it asks for a key. */
function clockDifference(date: string, dateTolerance: number): string | undefined {
  const ahead = (Date.now() - Date.parse(date)) / 1000
  if (!(Math.abs(ahead) >= dateTolerance)) return undefined
  const way = ahead > 0 ? 'ahead of' : 'behind'
  return (
    `This machine's clock (${new Date().toUTCString()}) is ${duration(Math.abs(ahead))} ${way} the receiver's ` +
    `(${new Date(date).toUTCString()}), so it refused the Date.`
  )
}
