import { SCHEME_ALGORITHMS } from '../signature/algorithms.ts'
import type { Code } from '../verdict/codes.ts'
import type { CheckName, Failure } from '../verdict/verdict.ts'
import { compareWithClock } from './clock.ts'
import { digestAdvice } from './digest-advice.ts'
import { type Advice, type Evidence, evidenceOf } from './evidence.ts'
import { openSignature } from './opened-signature.ts'
import { hostAdvice, httpsAdvice } from './proxy-advice.ts'
import { escapeText } from './text.ts'

/** The likely cause and the fix of a failure: what its evidence shows, or else what is likely for its code. */
export function adviceOn(failure: Failure): Advice {
  const evidence = evidenceOf(failure)
  const rule = ADVICE[failure.code] ?? ADVICE[failure.check] ?? CHANGED_HEADER
  return typeof rule === 'function' ? rule(evidence) : rule
}

/** A header that is missing, repeated or malformed. */
const CHANGED_HEADER: Advice = [
  'the sender, or a proxy that changed it',
  'Have proxies pass every header on unchanged; compare with what was sent.'
]

/** For a Signature that reads like a dictionary of structured fields, `sig1=:...:` (RFC 9421 section 4.2). */
const OTHER_SCHEME: Advice = [
  'it is signed by RFC 9421, not by the draft',
  'If the service says so, allow it: schemes: [draftCavage, rfc9421].'
]

const CHECK_CLOCK =
  "Check this machine's clock (date -u) and keep it set by NTP; a retry needs a fresh signature."

/** The command that shows a key. The name is filled in only if a shell takes it as it is. */
const keyCommand = ({ name }: Evidence): string =>
  `npx signed-requests key ${/^[\w][\w.-]{0,252}$/.test(String(name)) ? name : 'NAME'}`

const resolver = (evidence: Evidence): Advice => [
  'your DNS server, or the network path to it',
  `Check the resolver and the firewall (UDP and TCP 53), with: ${keyCommand(evidence)}; the sender may try again.`
]

const timeAdvice = (what: string, evidence: Evidence): Advice => [
  `${compareWithClock(what, evidence)}; one of the clocks is wrong, or it was delayed or replayed`,
  CHECK_CLOCK
]

/** By code, or else by check. */
export const ADVICE: Readonly<Partial<Record<Code | CheckName, Advice | ((evidence: Evidence) => Advice)>>> =
  {
    request: ['a broken sender, or an attack', 'Pass method, target and headers as received, undecoded.'],
    https: httpsAdvice,
    'date-too-old': evidence => [
      `${compareWithClock('Date', evidence)}: the request was delayed or replayed, or this clock is fast`,
      CHECK_CLOCK
    ],
    'date-in-future': evidence => [
      `${compareWithClock('Date', evidence)}: the sender's clock is fast, or this one is slow`,
      CHECK_CLOCK
    ],
    host: hostAdvice,
    account: [
      'the service uses another header or prefix',
      'Set accountHeader and accountPrefix to what the service sends.'
    ],
    'account-mismatch': ({ received, expected }) =>
      expected === undefined
        ? [
            'your accounts function returned false',
            `If ${escapeText(String(received))} is yours, have the function return true for it.`
          ]
        : [
            'the request is for another customer of the service',
            `Add the id to accounts if it is yours (accounts is now ${escapeText(String([expected].flat().join(', ')))}).`
          ],
    'account-check-failed': ({ error }) =>
      String(error).startsWith('it returned')
        ? [
            'your accounts function does not return a boolean',
            'Return true or false: async id => (await find(id)) !== undefined.'
          ]
        : ['your accounts function threw', 'Fix it; the sender may try again.'],
    'signature-malformed': ({ excerpt }) =>
      /^[a-z*][a-z0-9_.*-]*=:/.test(String(excerpt)) ? OTHER_SCHEME : CHANGED_HEADER,
    'signature-algorithm-not-allowed': ({ received }) => {
      const name = Object.values(SCHEME_ALGORITHMS)
        .flat()
        .find(known => known === String(received).toLowerCase())
      return [
        'the sender uses another algorithm',
        name === undefined
          ? 'Have the sender sign with an allowed one: this library has no such algorithm.'
          : `If the service says so, add it: algorithms: [..., '${name}'].`
      ]
    },
    'signature-created-out-of-range': evidence => timeAdvice('created', evidence),
    'signature-expired': evidence => timeAdvice('expires', evidence),
    'signature-times-not-allowed': [
      'the sender covers a time that the draft forbids with this algorithm',
      'Have the sender leave (created) and (expires) out of headers, or sign with hs2019.'
    ],
    'coverage-insufficient': [
      'not signed as the service signs',
      'Have the sender sign it, or anyone can change it; check accountHeader and alsoCovered.'
    ],
    'key-name': ({ domain }) => [
      "somebody else's key, or a wrong serviceDomain",
      `Set serviceDomain to where the service publishes its keys${nowSet(domain)}.`
    ],
    'key-name-outside-domain': ({ received, domain }) =>
      String(received).toLowerCase().replace(/\.$/, '') === domain
        ? [
            'serviceDomain is the name of the key itself; keys are under serviceDomain, never at it',
            `Set serviceDomain to the service's own domain${domainAbove(String(domain))}.`
          ]
        : [
            "somebody else's key, or a wrong serviceDomain",
            `Set serviceDomain to where the service publishes its keys${nowSet(domain)}.`
          ],
    key: evidence => ['the service published a bad record', `Look at it with: ${keyCommand(evidence)}`],
    'key-not-found': evidence => [
      'it was withdrawn, is not published yet, or your DNS server cannot see it',
      `Ask again with: ${keyCommand(evidence)}`
    ],
    'key-revoked': ['it was replaced', 'Have the request signed with the new key.'],
    'key-lookup-failed': resolver,
    'key-lookup-timeout': resolver,
    signature: evidence => [
      isOpened(evidence)
        ? 'the key did make this signature, so one of the lines was changed on the way'
        : 'another key made it (was it replaced?), or a signed line was changed on the way',
      'Compare the lines with those that the sender signed; proxies often change those with a *, and routers the ' +
        'target: pass the one received, such as req.originalUrl.'
    ],
    'digest-mismatch': digestAdvice,
    'body-too-large': ({ limit }) => [
      'a large body, or a flood',
      `Raise maxBodyBytes if the service sends such bodies${nowSet(limit)}.`
    ],
    'body-unreadable': ['the connection broke', 'Nothing: the sender may try again.'],
    replay: ['the store is down or slow', 'Check the store; the sender may try again.'],
    replayed: [
      'a retry of the same bytes, or an attack',
      'When your handler fails, call verify.release(verdict) to let a retry in.'
    ]
  }

const nowSet = (value: Evidence[string]): string =>
  value === undefined ? '' : ` (it is now ${escapeText(String(value))})`

/** DKIM publishes keys at `<selector>._domainkey.<domain>` (RFC 6376 section 3.6.2.1). */
function domainAbove(name: string): string {
  const [, above = name.slice(name.indexOf('.') + 1)] = name.split('._domainkey.')
  return above.includes('.') ? `, such as '${escapeText(above)}'` : ''
}

function isOpened({ record, signature, algorithm }: Evidence): boolean {
  if (record === undefined || signature === undefined || algorithm === undefined) return false
  return (
    openSignature({
      record: String(record),
      signature: String(signature),
      algorithm: String(algorithm)
    }) !== undefined
  )
}
