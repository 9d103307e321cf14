import { describeProblem } from '../../explain/record-mistakes.ts'
import { duration, escapeText, plural } from '../../explain/text.ts'
import type { Conclusion } from './conclude.ts'
import type { Finding } from './findings.ts'
import type { ServerReport } from './trace.ts'

/** Who has to do it; `undefined` where there is nothing to do. */
export type Actor = 'sender' | 'receiver' | undefined

/** The conclusion in words: who must do what, and then why. Printable ASCII. */
export function inWords(conclusion: Conclusion): { readonly actor: Actor; readonly text: string } {
  const { actor, action, reason } = adviceOn(conclusion)
  const who = actor === undefined ? 'Nothing to do for sender and receiver' : `The ${actor} must ${action}`
  return { actor, text: `${who}: ${reason}.` }
}

interface Advice {
  readonly actor: Actor
  /** what follows "must"; short, so that it stands in the first line */
  readonly action?: string
  readonly reason: string
}

const sender = (action: string, reason: string): Advice => ({ actor: 'sender', action, reason })
const receiver = (action: string, reason: string): Advice => ({ actor: 'receiver', action, reason })

function adviceOn(conclusion: Conclusion): Advice {
  const zone = 'zone' in conclusion ? escapeText(conclusion.zone ?? 'the zone') : ''
  switch (conclusion.kind) {
    case 'published': {
      const reason = `the key is on each name server that replies (${conclusion.servers}), and the receiver has it`
      return { actor: undefined, reason }
    }
    case 'resolver-has-key':
      return { actor: undefined, reason: "the receiver's DNS server has a good key" }
    case 'resolver-has-none':
      return sender(
        'publish the key, unless others see it',
        "the receiver's DNS server has none. Without --no-trace and --doh this command asks the name servers, too"
      )
    case 'bad-record': {
      const { cause, fix } = describeProblem(conclusion.problem)
      return sender(fix, cause)
    }
    case 'resolver-has-old': {
      const wait = conclusion.ttl === undefined ? 'a while' : seconds(conclusion.ttl)
      const has = conclusion.has === 'none' ? 'that there was no record' : 'an earlier record'
      return receiver(
        `wait ${wait}, or empty the cache of its DNS server`,
        `the sender has published the key, and the receiver's DNS server remembers ${has}`
      )
    }
    case 'withdrawn': {
      const wait = conclusion.ttl === undefined ? '' : ` for another ${seconds(conclusion.ttl)}`
      return sender(
        'publish the key again, unless it was withdrawn',
        `the name servers of ${zone} have no record any more, and the receiver's DNS server has one${wait}, ` +
          'from its cache or of its own'
      )
    }
    case 'servers-differ': {
      const { one, other } = conclusion
      return sender('make its name servers equal', describeDifference(one, other))
    }
    case 'server-fails': {
      const { server, finding } = conclusion.report
      const fails = `${escapeText(server)}, a name server of ${zone}, gives ${describeFinding(finding)}`
      return sender('repair a name server', `${fails}; the others have the key, and so has the receiver`)
    }
    case 'not-published':
      return conclusion.isAlias
        ? sender('publish the key where its alias leads', `there is none at ${escapeText(conclusion.name)}`)
        : sender('publish the key', `the name servers of ${zone} have no record at the name`)
    case 'servers-private':
      return receiver(
        'run this again with --private',
        `the name servers of ${zone} are at private addresses; ${had(conclusion.hasKey)}, ` +
          'and the world may see another answer'
      )
    case 'servers-unreachable':
      return receiver(
        'open port 53 (UDP and TCP) and run this again',
        `no name server of ${zone} replies to this machine; ${had(conclusion.hasKey)}`
      )
    case 'no-server-answers':
      return sender(
        'repair its name servers',
        `no name server of ${zone} replies to this machine or to the receiver's DNS server`
      )
    case 'signatures-invalid':
      return sender(
        'sign its zone again',
        `the DNSSEC signatures of ${zone} do not validate, and each DNS server that validates fails`
      )
    case 'alias-circle':
      return sender('end the circle of aliases', conclusion.names.map(name => escapeText(name)).join(', '))
    case 'too-many-aliases':
      return sender('use fewer aliases', `more than 8 follow one another (${escapeText(conclusion.names[0]!)})`)
    case 'resolver-fails':
      return receiver('repair its DNS server', `it fails with ${escapeText(conclusion.error)}`)
    case 'resolver-unreachable':
      return receiver(
        'start its DNS server, or name another (--dns-server)',
        `it does not reply (${escapeText(conclusion.error)})`
      )
  }
}

const had = (hasKey: boolean): string => `the receiver's DNS server has ${hasKey ? 'a good' : 'no good'} key`

/** Exact where it is short: somebody waits for it. */
export const seconds = (ttl: number): string => (ttl < 1000 ? `${ttl} s` : `${duration(ttl)} (${ttl} s)`)

/** `ns2 has another record than ns1 (serial 12 and 11)`; the server without a record is the one that lacks it. */
function describeDifference(one: ServerReport, other: ServerReport): string {
  const isEmpty = ({ finding }: ServerReport) => finding.found === 'none' || finding.found === 'no-such-name'
  const [less, more] = isEmpty(one) ? [one, other] : [other, one]
  const has = isEmpty(less) ? 'no record, unlike' : 'another record than'
  const serials = [less, more].map(({ serial }) => serial ?? 'unknown').join(' and ')
  return `${escapeText(less.server)} has ${has} ${escapeText(more.server)} (serial ${serials})`
}

/** What a server says, in a few words. */
export function describeFinding(finding: Finding): string {
  switch (finding.found) {
    case 'record':
      return `${plural(finding.texts.length, 'record')}, TTL ${finding.ttl}`
    case 'alias':
      return `an alias of ${escapeText(finding.target)}, TTL ${finding.ttl}`
    case 'none':
      return 'no TXT record'
    case 'no-such-name':
      return 'no such name'
    case 'referral':
      return `a referral to ${escapeText(finding.zone)}`
    case 'refusal':
      return `no answer for the zone (${escapeText(finding.error)})`
    case 'no-reply':
      return finding.error === 'EBUDGET'
        ? 'nothing: not asked, too many queries'
        : `no reply (${escapeText(finding.error)})`
    case 'not-asked':
      return 'nothing: not asked, a private address'
  }
}
