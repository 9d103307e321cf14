import type { CheckOf, Code } from '../../result/codes.ts'
import type { KeyEvidence } from '../../result/evidence.ts'
import { inWords } from '../facts.ts'
import { isOutside } from '../outside-errors.ts'
import { describeProblem, findAppendedZone, findProblem, type RecordCode } from '../record-mistakes.ts'
import type { Cause, Causes, ConditionalCause, Text } from './row.ts'

type KeyCode = { [C in Code]: CheckOf<C> extends 'key' ? C : never }[Code]

/** The command that asks for the key, of the same server as was asked, which need not be the system's. */
function keyCommand({ name = '', servers = [] }: { name?: string; servers?: readonly string[] }): string {
  const [server = ''] = servers
  const isAddress = /^[\d.]+(?::\d+)?$|^\[[\da-f:]+\]:\d+$/.test(server)
  // Only a name that a shell takes as it is.
  const word = /^[\w][\w.-]{0,252}$/.test(name) ? name : 'NAME'
  return `npx signed-requests key ${word}${isAddress ? ` --dns-server ${server}` : ''}`
}

/** What somebody did to the record, where it shows; `key` says the same. */
const mistakeOf = (code: RecordCode, { name = '', record, records }: KeyEvidence) => {
  const found = findProblem(code, records ?? (record === undefined ? [] : [record]))
  const problem = (found.mistake === 'key-not-found' ? findAppendedZone(name) : undefined) ?? found
  return { ...describeProblem(problem), isRecognized: problem.mistake !== code }
}

/** The cause that is in the record itself. */
const inRecord = <C extends RecordCode>(code: C): Cause<C> => ({
  cause: (_, __, { evidence }) => mistakeOf(code, evidence).cause,
  fix: (_, __, { evidence }) =>
    `The sender must ${mistakeOf(code, evidence).fix}. Look at it with: ${keyCommand(evidence)}.`
})

/** The same, only where the record shows what somebody did. */
const mistakeInRecord = <C extends RecordCode>(code: C): ConditionalCause<C> => ({
  when: evidence => mistakeOf(code, evidence).isRecognized,
  ...inRecord(code)
})

const askAgain: Text<'key-not-found'> = (_, __, { evidence }) =>
  `Ask again with: ${keyCommand(evidence)}; if others see it, it is your DNS server.`

/** DNS over HTTPS, too, says ECONNREFUSED for any failure of the connection. */
const lookupError = (error: string): string =>
  error === 'ECONNREFUSED' ? `${error}, it is not reached` : inWords(error)

/** What happened in DNS, or on the way to it. */
const UNREACHED: Causes<'key-lookup-failed' | 'key-lookup-timeout'> = [
  {
    // An address has no letter above f.
    when: ({ servers = [] }) => servers.some(server => /[^\d.:[\]a-f]/i.test(server)),
    cause: ({ servers }, _, { evidence }) =>
      `DNS over HTTPS at ${servers}, or the network path to it: ${lookupError(evidence.error)}`,
    fix: ({ servers }) => `Check its URL, its certificate and HTTPS from here to ${servers}; the sender may try again.`
  },
  {
    cause: (_, __, { evidence }) => `your DNS server, or the network path to it: ${lookupError(evidence.error)}`,
    fix: (_, __, { evidence }) =>
      'Check the resolver and the firewall (UDP and TCP 53; long answers need TCP), with: ' +
      `${keyCommand(evidence)}; the sender may try again.`
  }
]

export const keyCauses = (): { readonly [C in KeyCode]: Causes<C> } => ({
  'key-not-found': [
    mistakeInRecord('key-not-found'),
    {
      when: ({ reason }) => reason === 'no key record among the TXT records',
      cause:
        'DNS has the name, and no key record there: the key is not published yet, or a wildcard or another TXT ' +
        'record is in its place',
      fix: (_, __, { evidence }) => `Look at it with: ${keyCommand(evidence)}; the service must publish the key.`
    },
    {
      when: ({ reason }) => reason === 'ENODATA',
      cause:
        'DNS has the name, and no TXT record there: the key was withdrawn, is not published yet, or your DNS server ' +
        'cannot see it',
      fix: askAgain
    },
    { cause: 'it was withdrawn, is not published yet, or your DNS server cannot see it', fix: askAgain }
  ],
  'key-malformed': [inRecord('key-malformed')],
  'key-version-unsupported': [inRecord('key-version-unsupported')],
  'key-type-mismatch': [
    mistakeInRecord('key-type-mismatch'),
    {
      cause: (_, { setting }) =>
        `the key and the algorithm do not fit: ${setting('algorithms')} lacks one, or the record is bad`,
      fix: (_, { setting }, { evidence }) =>
        `Look at it with: ${keyCommand(evidence)}; if the service documents such keys, add their algorithm to ` +
        `${setting('algorithms')}.`
    }
  ],
  'key-hash-not-allowed': [inRecord('key-hash-not-allowed')],
  'key-service-mismatch': [inRecord('key-service-mismatch')],
  'key-test-only': [inRecord('key-test-only')],
  'key-revoked': [inRecord('key-revoked')],
  'key-unreadable': [inRecord('key-unreadable')],
  'key-too-short': [
    mistakeInRecord('key-too-short'),
    {
      when: ({ bits = 0 }) => bits >= 1024,
      cause: ({ bits, limit }, { setting }) =>
        `the key has ${bits} bits, and ${setting('minRsaBits')} is ${limit}: is that above what the service uses?`,
      fix: ({ bits }, { setting }) => `If the service documents keys of ${bits} bits: ${setting('minRsaBits', bits)}.`
    },
    {
      cause: ({ bits }) => `the key has ${bits} bits, fewer than the RFC allows`,
      fix: ({ limit }, { setting }) =>
        'Have the service publish a longer key: RFC 8301 forbids fewer than 1024 bits ' +
        `(${setting('minRsaBits')} is ${limit}).`
    }
  ],
  'key-too-long': [
    mistakeInRecord('key-too-long'),
    {
      cause: ({ bits, limit }, { setting }) => `the key has ${bits} bits, and ${setting('maxRsaBits')} is ${limit}`,
      fix: ({ bits }, { setting }) =>
        `If the service documents keys of ${bits} bits: ${setting('maxRsaBits', bits)}; if not, have the service ` +
        'publish another key.'
    }
  ],
  'key-weak': [inRecord('key-weak')],
  'key-lookup-failed': [
    {
      when: ({ problem }) => problem === 'wrong-type',
      cause: ({ error }) => `your lookupTxt function does not return what DNS does: ${error}`,
      fix: 'Return an array of strings for each record, as dns.promises.resolveTxt does.'
    },
    {
      when: ({ limit }) => limit !== undefined,
      cause: ({ limit }) =>
        `${limit} lookups of other names were in flight: DNS answers slowly, or somebody floods you with made-up keys`,
      fix: 'Check the resolver; if it is a flood, limit requests in front of this receiver. The sender may try again.'
    },
    {
      when: ({ problem }) => problem === 'late',
      cause: 'the request was aborted before DNS had answered: its sender left, or the server ended it',
      fix: 'Nothing to fix while this is rare; if it is not, look at how fast DNS answers. The sender may try again.'
    },
    {
      when: ({ error, problem }) => problem === 'threw' && !isOutside(error),
      cause: ({ error }) => `your lookupTxt function threw ${error}`,
      fix: 'Fix that function; the sender may try again.'
    },
    ...UNREACHED
  ],
  'key-lookup-timeout': UNREACHED
})
